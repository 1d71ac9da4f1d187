"""Find a regular expression in the lines of one text file, with context, in exact bytes.

Works through the file in bounded blocks of whole lines. Called in a child process only: a pattern
may take forever on some line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from sandbox_image.candidates import Candidates
from sandbox_image.limits import BLOCK_BYTES, PIECE_BYTES, ROW_CHARACTERS
from sandbox_image.lines import whole_characters
from sandbox_image.reading import Opened
from sandbox_image.text import Text, decode, encode, visible

_BEFORE_MATCH = 100
"""Characters shown before a match in a line that is too long to be shown whole."""


class Row(NamedTuple):
    """One line of a result: its number, whether it matches, what is shown, and those bytes."""

    line: int
    matches: bool
    shown: str
    start: int
    end: int


class Block(NamedTuple):
    """Some lines as `text` and split. `first` is the number of the first one.

    `start` is its offset in bytes. The first `again` lines stood in the block before and are here
    as context only. One part of a line longer than `PIECE_BYTES` is a block of its own.
    """

    start: int
    first: int
    text: str
    lines: list[str]
    again: int


def rows(file: Opened, pattern: re.Pattern[str], context: int) -> Iterator[Row]:
    """Yield matching lines and `context` lines around them, in order, each line once."""
    last = after = 0
    for block in _blocks(file, context):
        candidates = Candidates(pattern, block.text, block.lines)
        index = block.again
        while index < len(block.lines):
            if not after:
                index = candidates.next(index)
                if index == len(block.lines):
                    break
            match = candidates.search(block.lines[index])
            if match:
                for earlier in range(max(0, index - context), index):
                    if block.first + earlier > last:
                        yield _row(file.text, block, earlier, None)
            yield _row(file.text, block, index, match)
            last = block.first + index
            after = context if match else after - 1
            index += 1


def _row(text: Text, block: Block, index: int, match: re.Match[str] | None) -> Row:
    line = block.lines[index]
    before = "".join(f"{earlier}\n" for earlier in block.lines[:index])
    low = max(0, match.start() - _BEFORE_MATCH) if match and len(line) > ROW_CHARACTERS else 0
    part = line[low : low + ROW_CHARACTERS]
    start = block.start + len(encode(before + line[:low], text.codec))
    end = start + len(encode(part, text.codec))
    opening, closing = "…" if low else "", "…" if low + len(part) < len(line) else ""
    shown = f"{opening}{visible(part)}{closing}"
    return Row(block.first + index, match is not None, shown, start, end)


def _blocks(file: Opened, context: int) -> Iterator[Block]:
    offset = len(encode("\ufeff", file.text.codec)) if file.text.marked else 0
    line = 1
    carried = ""
    while offset < file.text.size:
        raw = _some_lines(file, offset)
        start = offset - len(encode(carried, file.text.codec))
        text = carried + decode(raw, file.text.codec)
        ended = text.endswith("\n")
        lines = (text[:-1] if ended else text).split("\n")
        again = carried.count("\n")
        yield Block(start, line - again, text, lines, again)
        offset += len(raw)
        line += len(lines) - again if ended else 0
        carried = (
            "".join(f"{earlier}\n" for earlier in lines[-context:]) if ended and context else ""
        )


def _some_lines(file: Opened, offset: int) -> bytes:
    """Read whole lines, or the next piece of a line that is too long to be read whole."""
    for length in (BLOCK_BYTES, PIECE_BYTES):
        raw = os.pread(file.descriptor, length, offset)
        if offset + len(raw) >= file.text.size:
            return raw
        text = decode(raw, file.text.codec)
        whole = text.rfind("\n") + 1
        if whole:
            return raw[: len(encode(text[:whole], file.text.codec))]
    end = whole_characters(file.descriptor, file.text, offset, offset + PIECE_BYTES)[1]
    return os.pread(file.descriptor, end - offset, offset)
