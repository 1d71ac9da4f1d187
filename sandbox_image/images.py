"""Read the size in pixels from an image's header, so that no model server has to refuse it."""

from __future__ import annotations

from typing import Callable

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})


def pixels(data: bytes, media_type: str) -> tuple[int, int] | None:
    """Return width and height, or None when the header is damaged or cut off."""
    try:
        width, height = _READERS[media_type](data)
    except (IndexError, ValueError):
        return None
    return (width, height) if width > 0 and height > 0 else None


def _number(data: bytes, start: int, length: int, order: str = "big") -> int:
    part = data[start : start + length]
    if len(part) < length:
        raise IndexError
    return int.from_bytes(part, "big" if order == "big" else "little")


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        raise ValueError
    return _number(data, 16, 4), _number(data, 20, 4)


def _gif(data: bytes) -> tuple[int, int]:
    return _number(data, 6, 2, "little"), _number(data, 8, 2, "little")


def _jpeg(data: bytes) -> tuple[int, int]:
    position = 2
    while True:
        if data[position] != 0xFF:
            raise ValueError
        marker = data[position + 1]
        if marker == 0xFF:
            position += 1
        elif marker in _JPEG_ALONE:
            position += 2
        elif marker in _JPEG_FRAMES:
            return _number(data, position + 7, 2), _number(data, position + 5, 2)
        else:
            position += 2 + max(2, _number(data, position + 2, 2))


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X":
        return _number(data, 24, 3, "little") + 1, _number(data, 27, 3, "little") + 1
    if form == b"VP8L":
        bits = _number(data, 21, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 ":
        return _number(data, 26, 2, "little") & 0x3FFF, _number(data, 28, 2, "little") & 0x3FFF
    raise ValueError


_READERS: dict[str, Callable[[bytes], tuple[int, int]]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/jpeg": _jpeg,
    "image/webp": _webp,
}
