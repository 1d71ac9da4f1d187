"""Give an image or a PDF whole, for the model to look at."""

from __future__ import annotations

import binascii
import os

from sandbox_image.answers import Answer, Media, Shown, ToolError
from sandbox_image.arguments import Arguments, Text
from sandbox_image.bundle import Bundle
from sandbox_image.images import pixels
from sandbox_image.kinds import MEDIA_TYPES, kind_of
from sandbox_image.limits import MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE
from sandbox_image.names import brief
from sandbox_image.pdf_pages import pages
from sandbox_image.reading import examined, opened
from sandbox_image.registry import tool

_END_OF_PDF = b"%%EOF"
_TAIL_BYTES = 1024


@tool(path=Text(required=True))
def view_media(bundle: Bundle, arguments: Arguments) -> Answer:
    """What a model's server would refuse is refused here, with the reason."""
    named = bundle.file(arguments.text("path"))
    name = brief(named.path)
    with opened(bundle, named.path) as descriptor:
        is_text = examined(bundle, named.path, descriptor) is not None
        kind = kind_of(descriptor, is_text=is_text)
        size = os.fstat(descriptor).st_size
        media_type = MEDIA_TYPES.get(kind)
        if media_type is None:
            raise ToolError("bad_input", f"{name} is no image or PDF: {kind}; read_file reads text")
        limit = MAX_IMAGE_BYTES if media_type.startswith("image/") else MAX_DOCUMENT_BYTES
        if size > limit:
            raise ToolError("too_large", f"{name}: {kind} of {size:,} bytes, over {limit:,}")
        data = os.pread(descriptor, limit, 0)
    detail = _checked(name, data, media_type)
    block = Media(
        "image" if media_type.startswith("image/") else "document",
        media_type,
        binascii.b2a_base64(data, newline=False).decode("ascii"),
        1 if media_type.startswith("image/") else pages(data),
    )
    if block.kind == "document":
        detail = f", about {block.pages:,} pages" if block.pages else ", number of pages unknown"
    text = "\n".join(
        part for part in (f"{name}: {kind}{detail}, {size:,} bytes", named.remark) if part
    )
    return Answer(text, shown=(Shown(named.path, 0, size),), media=(block,))


def _checked(name: str, data: bytes, media_type: str) -> str:
    """Return a detail for the text, or refuse a file that is damaged or too large to look at."""
    if media_type == "application/pdf":
        if _END_OF_PDF not in data[-_TAIL_BYTES:]:
            raise ToolError("unreadable", f"{name} is a damaged PDF: it has no end")
        return ""
    size = pixels(data, media_type)
    if size is None:
        raise ToolError("unreadable", f"{name} is a damaged image: its header cannot be read")
    if max(size) > MAX_IMAGE_SIDE:
        raise ToolError(
            "too_large",
            f"{name}: {size[0]:,} × {size[1]:,} pixels, over {MAX_IMAGE_SIDE:,} on a side",
        )
    return f", {size[0]:,} × {size[1]:,} pixels"
