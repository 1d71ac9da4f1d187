"""Find lines and whole characters in a text file, in exact byte offsets, without reading all of it."""

from __future__ import annotations

import bisect
import os

from sandbox_image.limits import SCAN_BYTES
from sandbox_image.text import Text, decode, encode

_LONGEST_CHARACTER = 4
_AROUND_BYTES = 10
"""Enough, from just before a character, to hold all of it; even."""


def line_start(descriptor: int, text: Text, line: int) -> int:
    """Return the byte offset of a line (from 1); the line after the last begins at the end."""
    if line <= 1:
        return 0
    if line > text.lines:
        return text.size
    newlines = line - 1
    step = bisect.bisect_left([count for _, count in text.marks], newlines) - 1
    offset, before = text.marks[step]
    chunk = os.pread(descriptor, SCAN_BYTES, offset)
    return offset + _after_newlines(chunk, text, newlines - before)


def line_at(descriptor: int, text: Text, offset: int) -> int:
    """Return the number (from 1) of the line that the byte at `offset` belongs to."""
    if not text.marks:
        return 1
    step = bisect.bisect_right([start for start, _ in text.marks], offset) - 1
    start, before = text.marks[step]
    chunk = os.pread(descriptor, offset - start, start)
    newlines = decode(chunk, text.codec).count("\n") if text.wide else chunk.count(b"\n")
    return before + newlines + 1


def whole_characters(descriptor: int, text: Text, start: int, end: int) -> tuple[int, int]:
    """Widen a byte range until it cuts through no character, within what the file has."""
    first = _character_around(descriptor, text, min(start, text.size))
    last = _character_around(descriptor, text, min(end, text.size))
    return first[0], last[1]


def _character_around(descriptor: int, text: Text, position: int) -> tuple[int, int]:
    """Return start and end of the character that `position` cuts through, or twice `position`."""
    if position in (0, text.size) or text.codec == "latin-1":
        return position, position
    # Even, so that it begins at a unit of UTF-16; UTF-8 finds its characters from anywhere.
    start = max(0, position - _LONGEST_CHARACTER) & ~1
    for character in decode(os.pread(descriptor, _AROUND_BYTES, start), text.codec):
        end = start + len(encode(character, text.codec))
        if start < position < end:
            return start, end
        start = end
    return position, position


def _after_newlines(chunk: bytes, text: Text, newlines: int) -> int:
    """Return the offset just after the n-th line break of a chunk that has as many."""
    if text.wide:
        rest = decode(chunk, text.codec).split("\n", newlines)[-1]
        return len(chunk) - len(encode(rest, text.codec))
    return len(chunk) - len(chunk.split(b"\n", newlines)[-1])
