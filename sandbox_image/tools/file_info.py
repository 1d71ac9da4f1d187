"""Exact facts about one file: size, lines, SHA-256, kind, and the pixels of an image."""

from __future__ import annotations

import os

from sandbox_image.answers import Answer
from sandbox_image.arguments import Arguments, Text
from sandbox_image.bundle import Bundle
from sandbox_image.images import pixels
from sandbox_image.kinds import MEDIA_TYPES, kind_of
from sandbox_image.limits import SCAN_BYTES
from sandbox_image.names import brief
from sandbox_image.reading import examined, opened
from sandbox_image.registry import tool


@tool(path=Text(required=True))
def file_info(bundle: Bundle, arguments: Arguments) -> Answer:
    """No content is shown, so no bytes count as read."""
    named = bundle.file(arguments.text("path"))
    with opened(bundle, named.path) as descriptor:
        text = examined(bundle, named.path, descriptor)
        kind = kind_of(descriptor, is_text=text is not None)
        facts = [f"{brief(named.path)}: {kind}", *([named.remark] if named.remark else [])]
        facts.append(f"size: {os.fstat(descriptor).st_size:,} bytes")
        if text is not None:
            facts.append(f"lines: {text.lines:,}")
            facts.append(f"encoding: {text.label}")
        facts += _dimensions(descriptor, kind)
        facts.append(f"sha256: {_sha256(descriptor)}")
    return Answer("\n".join(facts))


def _dimensions(descriptor: int, kind: str) -> list[str]:
    media_type = MEDIA_TYPES.get(kind, "")
    if not media_type.startswith("image/"):
        return []
    size = pixels(os.pread(descriptor, SCAN_BYTES, 0), media_type)
    return [f"pixels: {size[0]:,} × {size[1]:,}" if size else "pixels: unknown, damaged header"]


def _sha256(descriptor: int) -> str:
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which would slow every start of the server

    digest = hashlib.sha256()
    offset = 0
    while chunk := os.pread(descriptor, SCAN_BYTES, offset):
        digest.update(chunk)
        offset += len(chunk)
    return digest.hexdigest()
