"""Read a window of a text file, by lines or by bytes; the bytes shown are stated exactly."""

from __future__ import annotations

import os
from typing import NamedTuple

from sandbox_image.answers import Answer, Shown, refuse_arguments
from sandbox_image.arguments import Arguments, Number, Text
from sandbox_image.bundle import Bundle
from sandbox_image.limits import CONTENT_CHARACTERS
from sandbox_image.lines import line_at, line_start, whole_characters
from sandbox_image.names import brief
from sandbox_image.reading import Opened, opened_text
from sandbox_image.registry import tool
from sandbox_image.text import decode, encode, visible

_CHARACTER_BYTES = 4
_NEWLINE = "\n"
_WIDEST_SHOWN = 4
"""Characters that one byte may be shown as."""


class Window(NamedTuple):
    """What is shown: bytes `start` to `end` as `content`, with the statements about it."""

    start: int
    end: int
    content: str
    stated: str
    cut: str = ""


@tool(
    path=Text(required=True),
    start_line=Number(1),
    line_count=Number(1),
    start_byte=Number(0),
    byte_count=Number(1),
)
def read_file(bundle: Bundle, arguments: Arguments) -> Answer:
    """Without a window: from the first line as far as the answer goes."""
    by_lines = arguments.has("start_line") or arguments.has("line_count")
    by_bytes = arguments.has("start_byte") or arguments.has("byte_count")
    if by_lines and by_bytes:
        raise refuse_arguments("give a window in lines or in bytes, not both")
    named = bundle.file(arguments.text("path"))
    with opened_text(bundle, named.path) as file:
        window = _by_bytes(file, arguments) if by_bytes else _by_lines(file, arguments)
    head = f"{brief(named.path)}: {window.stated}; {file.text.size:,} bytes, {file.text.label}"
    lines = [line for line in (head, named.remark, window.cut) if line]
    return Answer(
        "\n".join([*lines, "", window.content]),
        shown=(Shown(named.path, window.start, window.end),),
        cut=bool(window.cut),
    )


def _by_lines(file: Opened, arguments: Arguments) -> Window:
    total = file.text.lines
    first = arguments.number("start_line", 1)
    wanted = min(arguments.number("line_count", total or 1), total - first + 1)
    if total == 0:
        return Window(0, file.text.size, "", "0 lines, nothing to show")
    if first > total:
        raise refuse_arguments(f"start_line={first} is past the end: the file has {total:,} lines")
    start = line_start(file.descriptor, file.text, first)
    rows, end = _rows(file, start, first, wanted)
    if not rows:
        return _head_of_line(file, start, first)
    last = first + len(rows) - 1
    stated = f"lines {first:,}–{last:,} of {total:,}"
    cut = "" if len(rows) == wanted else f"Cut: go on with start_line={last + 1}."
    return Window(start, end, "\n".join(rows), stated, cut)


def _rows(file: Opened, start: int, first: int, wanted: int) -> tuple[list[str], int]:
    """Return as many whole numbered lines as fit, and the offset after them."""
    raw = os.pread(file.descriptor, CONTENT_CHARACTERS * _CHARACTER_BYTES, start)
    *whole, rest = decode(raw, file.text.codec).split("\n")
    pieces = [f"{line}\n" for line in whole]
    if rest and start + len(raw) >= file.text.size:
        pieces.append(rest)
    rows: list[str] = []
    room, end = CONTENT_CHARACTERS, start
    for number, piece in enumerate(pieces[:wanted], first):
        row = f"{number:>6}\t{_shown(file, end, piece[:-1] if piece[-1] == _NEWLINE else piece)}"
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
        end += len(encode(piece, file.text.codec))
    return rows, end


def _head_of_line(file: Opened, start: int, line: int) -> Window:
    """Show the beginning of a line that does not fit as a whole."""
    end = line_start(file.descriptor, file.text, line + 1)
    part = _part(file, start, end)
    stated = (
        f"line {line:,} of {file.text.lines:,} is {end - start:,} bytes long; of it bytes "
        f"{part.start:,}–{part.end - 1:,} of the file"
    )
    return part._replace(stated=stated, cut=f"Cut: go on with start_byte={part.end}.")


def _by_bytes(file: Opened, arguments: Arguments) -> Window:
    size = file.text.size
    start = arguments.number("start_byte", 0)
    end = min(size, start + arguments.number("byte_count", size or 1))
    if size == 0:
        return Window(0, 0, "", "0 bytes, nothing to show")
    if start >= size:
        raise refuse_arguments(f"start_byte={start} is past the end: the file has {size:,} bytes")
    part = _part(file, start, end)
    line = line_at(file.descriptor, file.text, part.start)
    stated = (
        f"bytes {part.start:,}–{part.end - 1:,} of {size:,}, "
        f"from within line {line:,} of {file.text.lines:,}"
    )
    cut = f"Cut: go on with start_byte={part.end}." if part.end < end else ""
    return part._replace(stated=stated, cut=cut)


def _part(file: Opened, start: int, end: int) -> Window:
    """Return bytes `start` to `end`, or as many as fit, widened to whole characters."""
    room = CONTENT_CHARACTERS // _WIDEST_SHOWN if file.text.broken else CONTENT_CHARACTERS
    start, end = whole_characters(file.descriptor, file.text, start, min(end, start + room))
    raw = os.pread(file.descriptor, end - start, start)
    return Window(start, end, _shown(file, start, decode(raw, file.text.codec)), "")


def _shown(file: Opened, offset: int, text: str) -> str:
    """Return text as shown; the byte order mark is no part of it."""
    marked = offset == 0 and file.text.marked
    return visible(text[1:] if marked else text)
