"""Read the extra fields of a zip member: what its entry says beside the fixed fields."""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

from judge_bundles.bundles.refusals import refusal

ZIP64: Final = 1
_UNICODE_PATH: Final = 0x7075
_UNICODE_PATH_START: Final = struct.Struct("<BL")


def extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield id and content of each whole extra field; padding at the end is passed over."""
    position = 0
    while position + 4 <= len(extra):
        identity, size = struct.unpack_from("<2H", extra, position)
        if position + 4 + size > len(extra):
            return
        yield identity, extra[position + 4 : position + 4 + size]
        position += 4 + size


def unicode_path(extra: bytes, stored_name: bytes) -> bytes | None:
    """Return the UTF-8 name that stands in for `stored_name`, as Info-ZIP writes and obeys it.

    A field that was made for another stored name says nothing. Raises `JudgementError` for several.
    """
    names = {
        data[_UNICODE_PATH_START.size :]
        for identity, data in extra_fields(extra)
        if identity == _UNICODE_PATH
        and len(data) >= _UNICODE_PATH_START.size
        and _UNICODE_PATH_START.unpack_from(data) == (1, zlib.crc32(stored_name))
    }
    if len(names) > 1:
        raise refusal("its headers give it two names", stored_name)
    return names.pop() if names else None
