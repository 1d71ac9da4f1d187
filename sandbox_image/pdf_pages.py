"""Count the pages of a PDF, about: by its page objects, also those in compressed object streams.

A file that was changed in place may still hold pages that are gone, so the count is an upper bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox_image.limits import MAX_OBJECT_STREAMS, MAX_OBJECTS_BYTES, MAX_PDF_DICTIONARY_BYTES

_PAGE = re.compile(rb"/Type\s{0,8}/Page(?![A-Za-z])")
_OBJECT_STREAM = re.compile(rb"/Type\s{0,8}/ObjStm(?![A-Za-z])")
_STREAM = re.compile(rb"stream\r?\n")
_END = b"endstream"


def pages(data: bytes) -> int | None:
    """Return the number of page objects; None for none, or where not all could be looked through."""
    try:
        count = sum(_count(part) for part in (data, *_unpacked(data)))
    except ValueError:
        return None
    return count or None


def _count(part: bytes) -> int:
    return sum(1 for _ in _PAGE.finditer(part))


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yield the content of each object stream; `ValueError` for what cannot be unpacked in bounds."""
    import zlib  # noqa: PLC0415 - most bundles hold no PDF, and each start of the server counts

    room, left, position = MAX_OBJECTS_BYTES, MAX_OBJECT_STREAMS, 0
    while found := _OBJECT_STREAM.search(data, position):
        begin = _STREAM.search(data, found.end(), found.end() + MAX_PDF_DICTIONARY_BYTES)
        position = data.find(_END, begin.end()) if begin else -1
        if begin is None or position < 0 or not left:
            raise ValueError
        try:
            part = zlib.decompressobj().decompress(data[begin.end() : position], room + 1)
        except zlib.error:
            raise ValueError from None
        room, left = room - len(part), left - 1
        if room < 0:
            raise ValueError
        yield part
