"""How a file reads as text: its encoding, and text that keeps every byte.

A file is one of: UTF-8 (with or without byte order mark), UTF-8 with some bytes that are not,
UTF-16 with a byte order mark, Latin-1, or not text. The rule is part of the contract with the host,
which looks quotes up in the same text:

1. it begins with a UTF-16 mark: UTF-16 if all of it is, else not text;
2. all of it is UTF-8: UTF-8, unless more than 30 % of the bytes are control characters;
3. more than 2 % control characters: not text;
4. some character of several bytes is valid UTF-8: UTF-8, and the bytes that are not stay as they are;
5. else Latin-1.

Inside the tools bytes that are not UTF-8 are lone surrogates, so that lengths in bytes are exact;
`visible` makes of it what is shown.
"""

from __future__ import annotations

import codecs
import os
import re
from typing import NamedTuple

from sandbox_image.limits import SCAN_BYTES

_CONTROL = bytes([*(set(range(0x20)) - set(b"\t\n\r\f\b\x1b")), 0x7F])
_LONGEST_CHARACTER = 4
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class Text(NamedTuple):
    """What reading a text file through found out."""

    codec: str
    size: int
    lines: int
    marked: bool
    """It begins with a byte order mark."""
    broken: bool
    """UTF-8 with some bytes that are not."""
    nuls: int
    marks: tuple[tuple[int, int], ...]
    """For each step of the scan its byte offset and the number of newlines before it."""

    @property
    def wide(self) -> bool:
        """Characters are units of two bytes."""
        return self.codec.startswith("utf-16")

    @property
    def label(self) -> str:
        """The encoding for a person, with what is unusual about it."""
        if self.codec == "latin-1":
            name = "not UTF-8 and read as Latin-1"
        else:
            name = "UTF-8" if self.codec == "utf-8" else "UTF-16"
        marked = " with byte order mark" if self.marked else ""
        broken = "; bytes that are not UTF-8 are shown as \\x.." if self.broken else ""
        nuls = f"; {self.nuls:,} NUL characters are shown as ␀" if self.nuls else ""
        return f"{name}{marked}{broken}{nuls}"


def examine(descriptor: int) -> Text | None:
    """Read a file through; None when it is not text."""
    head = os.pread(descriptor, 4, 0)
    if head == codecs.BOM_UTF32_LE:
        return None
    codec = _UTF16.get(head[:2])
    return _examine_utf16(descriptor, codec) if codec else _examine_bytes(descriptor)


def decode(raw: bytes, codec: str) -> str:
    """Return text that `encode` turns into the same bytes again."""
    return raw.decode(codec, "surrogatepass" if codec.startswith("utf-16") else "surrogateescape")


def encode(text: str, codec: str) -> bytes:
    """Return the bytes that `decode` made `text` of."""
    return text.encode(codec, "surrogatepass" if codec.startswith("utf-16") else "surrogateescape")


def visible(text: str) -> str:
    """Return what is shown: text as it is, but for NUL and for bytes that are no character."""
    shown = text.replace("\0", "␀")
    return _NOT_UTF8.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", shown)


def _examine_bytes(descriptor: int) -> Text | None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    marks = []
    size = newlines = controls = nuls = 0
    valid, multibyte = True, False
    tail = b""
    while chunk := os.pread(descriptor, SCAN_BYTES, size):
        marks.append((size, newlines))
        size += len(chunk)
        newlines += chunk.count(b"\n")
        nuls += chunk.count(b"\0")
        controls += len(chunk) - len(chunk.translate(None, _CONTROL))
        if not (multibyte or chunk.isascii()):
            multibyte = not (tail + chunk).decode("utf-8", "ignore").isascii()
        valid = valid and _decodes(decoder, chunk)
        tail = chunk[1 - _LONGEST_CHARACTER :]
    valid = valid and _decodes(decoder, b"", final=True)
    if controls * 10 > 3 * size if valid else controls * 50 > size:
        return None
    return Text(
        codec="utf-8" if valid or multibyte else "latin-1",
        size=size,
        lines=newlines + (tail[-1:] not in (b"", b"\n")),
        marked=os.pread(descriptor, 3, 0) == codecs.BOM_UTF8,
        broken=multibyte and not valid,
        nuls=nuls,
        marks=tuple(marks),
    )


def _examine_utf16(descriptor: int, codec: str) -> Text | None:
    decoder = codecs.getincrementaldecoder(codec)()
    marks = []
    size = newlines = nuls = 0
    last = ""
    try:
        while chunk := os.pread(descriptor, SCAN_BYTES, size):
            marks.append((size, newlines))
            size += len(chunk)
            text = decoder.decode(chunk)
            newlines += text.count("\n")
            nuls += text.count("\0")
            last = text[-1:] or last
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    lines = newlines + (last not in ("\ufeff", "\n") or (size > 2 and last == "\ufeff"))
    return Text(codec, size, lines, marked=True, broken=False, nuls=nuls, marks=tuple(marks))


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True
