"""How a file of a bundle reads as text: exactly as the tool server in the sandbox reads and shows it.

The rule is a contract between the two; one table of cases is run against both:

1. it begins with a UTF-16 mark: UTF-16 if all of it is, else not text; with a UTF-32 mark: not text;
2. all of it is UTF-8: UTF-8, unless more than 30 % of the bytes are control characters;
3. more than 2 % control characters: not text;
4. some character of several bytes is valid UTF-8: UTF-8, and the bytes that are not stay as they are;
5. else Latin-1.
"""

import codecs
import re
from dataclasses import dataclass
from typing import Final

from judge_bundles.limits import KIB

_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CONTROL: Final = bytes([*(set(range(0x20)) - set(b"\t\n\r\f\b\x1b")), 0x7F])
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
_STEP_BYTES: Final = 256 * KIB
_CHARACTER_OF_SEVERAL_BYTES: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}"
    rb"|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text file as it lies, and its encoding. Places in it are offsets in bytes."""

    raw: bytes
    codec: str
    mark_bytes: int = 0
    """Length of its byte order mark."""

    @property
    def content(self) -> str:
        """All of it as the tools show it, without the byte order mark."""
        return visible(self.characters(self.mark_bytes, len(self.raw)))

    @property
    def errors(self) -> str:
        """How bytes that are no character are kept, as the name of Python's error handler."""
        return "surrogatepass" if self.wide else "surrogateescape"

    @property
    def wide(self) -> bool:
        """Characters are units of two bytes."""
        return self.codec.startswith("utf-16")

    def characters(self, start: int, end: int) -> str:
        """Return bytes `start` to `end` as text that keeps every byte; half units are left out."""
        if self.wide:
            start, end = start + start % 2, end - end % 2
        return self.raw[start:end].decode(self.codec, self.errors)

    def length(self, characters: str) -> int:
        """Return how many bytes of the file such characters are."""
        return len(characters.encode(self.codec, self.errors))

    def newlines(self, start: int, end: int) -> int:
        """Count the line breaks in bytes `start` to `end`."""
        if not self.wide:
            return self.raw.count(b"\n", start, end)
        return sum(
            self.characters(step, min(step + _STEP_BYTES, end)).count("\n")
            for step in range(start, end, _STEP_BYTES)
        )


def visible(characters: str) -> str:
    """Return what is shown: text as it is, but for NUL and for bytes that are no character."""
    shown = characters.replace("\0", "␀")
    return _NOT_UTF8.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", shown)


def decode(raw: bytes, *, whole: bool = True) -> Text | None:
    """Return a file as text, or None when it is not.

    Not `whole`, it is the beginning of a file, in which a last character may be cut off.
    """
    if raw.startswith(codecs.BOM_UTF32_LE):
        return None
    if codec := _UTF16.get(raw[:2]):
        return Text(raw, codec, 2) if _is_all(raw, codec, whole=whole) else None
    controls = len(raw) - len(raw.translate(None, _CONTROL))
    valid = _is_all(raw, "utf-8", whole=whole)
    if controls * 10 > 3 * len(raw) if valid else controls * 50 > len(raw):
        return None
    if valid or _CHARACTER_OF_SEVERAL_BYTES.search(raw):
        return Text(raw, "utf-8", 3 if raw.startswith(codecs.BOM_UTF8) else 0)
    return Text(raw, "latin-1")


def _is_all(raw: bytes, codec: str, *, whole: bool) -> bool:
    """Tell whether all of it is of an encoding, step by step, so that no second copy is made."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for step in range(0, len(raw), _STEP_BYTES):
            decoder.decode(raw[step : step + _STEP_BYTES])
        decoder.decode(b"", final=whole)
    except UnicodeDecodeError:
        return False
    return True
