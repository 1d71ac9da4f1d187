"""Open a file of the bundle as text, or say what it is instead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sandbox_image.answers import ToolError
from sandbox_image.bundle import Bundle
from sandbox_image.kinds import MEDIA_TYPES, kind_of
from sandbox_image.limits import MAX_PROFILES
from sandbox_image.names import brief
from sandbox_image.text import Text, examine


class Opened(NamedTuple):
    """A text file: its exact name, an open descriptor, and what reading it through found out."""

    path: str
    descriptor: int
    text: Text


@contextmanager
def opened(bundle: Bundle, path: str) -> Iterator[int]:
    """Give a descriptor of a regular file."""
    descriptor = bundle.open(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_text(bundle: Bundle, path: str) -> Iterator[Opened]:
    """Give a text file; anything else is refused with its kind and size."""
    with opened(bundle, path) as descriptor:
        text = examined(bundle, path, descriptor)
        if text is None:
            raise _not_text(path, descriptor)
        yield Opened(path, descriptor, text)


def examined(bundle: Bundle, path: str, descriptor: int) -> Text | None:
    """Read a file through, once; None when it is not text."""
    if path not in bundle.texts:
        if len(bundle.texts) >= MAX_PROFILES:
            bundle.texts.pop(next(iter(bundle.texts)))
        bundle.texts[path] = examine(descriptor)
    return bundle.texts[path]


def _not_text(path: str, descriptor: int) -> ToolError:
    kind = kind_of(descriptor, is_text=False)
    hint = "view_media shows it" if kind in MEDIA_TYPES else "file_info tells its SHA-256"
    size = os.fstat(descriptor).st_size
    return ToolError("not_text", f"{brief(path)} is not text: {kind}, {size:,} bytes; {hint}")
