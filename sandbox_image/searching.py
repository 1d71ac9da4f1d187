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
    """One line of a result: its number, whether it matches, what is shown, and those bytes.

    A line shown to its end includes its line break, and the first one the byte order mark, so that
    lines that follow each other touch, as they do in a window of `read_file`.
    """

    line: int
    matches: bool
    shown: str
    start: int
    end: int


class Block:
    """Some lines, as `text` and, once they are asked for, as `lines`. `first` numbers the first one.

    `start` is its offset in bytes. The first `again` lines stood in the block before and are here
    as context only. A line longer than `PIECE_BYTES` lies in several blocks: one `goes_on` in the
    next, which `continues` it.
    """

    def __init__(
        self, text: str, *, start: int, first: int, again: int, continues: bool, goes_on: bool
    ) -> None:
        self.text = text
        self.start = start
        self.first = first
        self.again = again
        self.continues = continues
        self.goes_on = goes_on
        self._lines: list[str] | None = None
        self._passed = (0, start)
        """How many lines were passed, and the offset in bytes after them."""

    @property
    def lines(self) -> list[str]:
        """The lines without their breaks."""
        if self._lines is None:
            self._lines = (self.text.removesuffix("\n")).split("\n")
        return self._lines

    def offset(self, index: int, codec: str) -> int:
        """Return where a line begins, in bytes. Asked in the order of lines this costs no time."""
        passed, offset = self._passed if index >= self._passed[0] else (0, self.start)
        between = "".join(f"{line}\n" for line in self.lines[passed:index])
        self._passed = (index, offset + len(encode(between, codec)))
        return self._passed[1]


def rows(file: Opened, pattern: re.Pattern[str], context: int) -> Iterator[Row]:
    """Yield matching lines and `context` lines around them, in order, each line once."""
    last = after = 0
    for block in _blocks(file, context):
        candidates = Candidates(pattern, block.text)
        if not after and not candidates.any():
            continue
        lines = block.lines
        index = block.again
        while index < len(lines):
            if not after:
                index = candidates.next(lines, index)
                if index == len(lines):
                    break
            match = candidates.search(lines[index])
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
    low = max(0, match.start() - _BEFORE_MATCH) if match and len(line) > ROW_CHARACTERS else 0
    part = line[low : low + ROW_CHARACTERS]
    start = block.offset(index, text.codec) + len(encode(line[:low], text.codec))
    end = start + len(encode(part, text.codec))
    is_last = index == len(block.lines) - 1
    opened = low > 0 or (index == 0 and block.continues)
    left_open = low + len(part) < len(line) or (is_last and block.goes_on)
    if text.marked and start == len(encode("\ufeff", text.codec)):
        start = 0
    if not left_open and (not is_last or block.text.endswith("\n")):
        end += len(encode("\n", text.codec))
    shown = f"{'…' if opened else ''}{visible(part)}{'…' if left_open else ''}"
    return Row(block.first + index, match is not None, shown, start, end)


def _blocks(file: Opened, context: int) -> Iterator[Block]:
    codec = file.text.codec
    offset = len(encode("\ufeff", codec)) if file.text.marked else 0
    line = 1
    carried = ""
    goes_on = False
    while offset < file.text.size:
        raw = _some_lines(file, offset)
        again = carried.count("\n")
        text = carried + decode(raw, codec)
        continues, goes_on = goes_on, not text.endswith("\n")
        block = Block(
            text,
            start=offset - len(encode(carried, codec)),
            first=line - again,
            again=again,
            continues=continues,
            goes_on=goes_on and offset + len(raw) < file.text.size,
        )
        yield block
        offset += len(raw)
        line += block.text.count("\n") - again
        carried = _last_lines(block, context)


def _last_lines(block: Block, count: int) -> str:
    """Return lines for the next block to show before its matches; none of a line not yet ended."""
    if not count or not block.text.endswith("\n"):
        return ""
    return "".join(f"{line}\n" for line in block.lines[-count:])


def _some_lines(file: Opened, offset: int) -> bytes:
    """Read whole lines, or the next piece of a line that is too long to be read whole."""
    for length in (BLOCK_BYTES, PIECE_BYTES):
        raw = os.pread(file.descriptor, length, offset)
        if offset + len(raw) >= file.text.size:
            return raw
        whole = _whole_lines(raw, file.text)
        if whole:
            return raw[:whole]
    end = whole_characters(file.descriptor, file.text, offset, offset + PIECE_BYTES)[1]
    return os.pread(file.descriptor, end - offset, offset)


def _whole_lines(raw: bytes, text: Text) -> int:
    """Return how many bytes of `raw` are whole lines."""
    if not text.wide:
        return raw.rfind(b"\n") + 1
    decoded = decode(raw, text.codec)
    return len(encode(decoded[: decoded.rfind("\n") + 1], text.codec))
