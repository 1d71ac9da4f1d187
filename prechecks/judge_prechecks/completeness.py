"""Find out from the two ends of a file whether it has text and ends as it should.

A good file costs one or two windows at its end, however large it is. Only where those are blank is
more read, backwards for the end and forwards for the rest, and both stop at a limit that the answer
names. Text is UTF-8; bytes that are not count as visible, as a viewer shows a replacement for them.
"""

import codecs
import os
import re
from dataclasses import dataclass
from typing import BinaryIO, Final

from judge_prechecks.limits import MAX_SCAN_BYTES, MIB, TAIL_BYTES
from judge_prechecks.present import quote
from judge_prechecks.visible import has_visible

_SHOWN_CHARACTERS: Final = 80
_UNDECODED: Final = re.compile("[\udc80-\udcff]")
_LIMIT: Final = f"{MAX_SCAN_BYTES // MIB} MiB"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file is not complete, as the end of a sentence, and its last text where that matters."""

    reason: str
    observed: str | None = None


def find_fault(stream: BinaryIO, marker: str | None) -> Fault | None:
    """Return what is wrong with a file opened for reading bytes, None when it is complete."""
    size = stream.seek(0, os.SEEK_END)
    if size == 0:
        return Fault("is empty")
    if marker is None:
        start, text = _window(stream, size)
        return None if _visible(text) else _look_from_the_start(stream, start)
    end = _end_of_text(stream, size)
    if end is None:
        return Fault(f"ends with more than {_LIMIT} of whitespace; nothing before that was read")
    return _fault_at(stream, end, marker.rstrip())


def _fault_at(stream: BinaryIO, end: int, marker: str) -> Fault | None:
    """Look at a file whose text ends at byte `end`."""
    start, text = _window(stream, end)
    if not text.endswith(marker):
        if not _visible(text) and (fault := _look_from_the_start(stream, start)):
            return fault
        last = _replaced(text[-_SHOWN_CHARACTERS:])
        return Fault(f"does not end with {quote(marker)} but with {quote(last)}", last)
    if _visible(text[: -len(marker)]):
        return None
    return _look_from_the_start(stream, start, " but the marker at its end")


def _end_of_text(stream: BinaryIO, size: int) -> int | None:
    """Return the offset of the whitespace that reaches to the end; None past the limit."""
    end = size
    while end and size - end < MAX_SCAN_BYTES:
        start, text = _window(stream, end)
        stripped = text.rstrip()
        if stripped:
            return end - len(text[len(stripped) :].encode("utf-8", "surrogateescape"))
        end = start
    return None if end else 0


def _window(stream: BinaryIO, end: int) -> tuple[int, str]:
    """Return the text of one window before `end`, and its offset, which is never inside a character.

    Undecodable bytes become surrogates, so that the length in bytes can be told from the text.
    """
    start = max(0, end - TAIL_BYTES)
    stream.seek(start)
    data = stream.read(end - start)
    cut = 0
    while start and cut < min(3, len(data) - 1) and data[cut] & 0xC0 == 0x80:
        cut += 1
    return start + cut, data[cut:].decode("utf-8", "surrogateescape")


def _look_from_the_start(stream: BinaryIO, end: int, besides: str = "") -> Fault | None:
    """Look for visible text before the offset `end`; return the fault when there is none."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    stream.seek(0)
    position = 0
    while position < min(end, MAX_SCAN_BYTES):
        data = stream.read(min(TAIL_BYTES, end - position))
        if not data:
            break
        position += len(data)
        if has_visible(decoder.decode(data, final=position >= end)):
            return None
    if position < end:
        return Fault(f"has no visible character in its first {_LIMIT}; the rest was not read")
    return Fault(f"has no visible character{besides}")


def _visible(text: str) -> bool:
    return has_visible(text) or _UNDECODED.search(text) is not None


def _replaced(text: str) -> str:
    return _UNDECODED.sub("\ufffd", text)
