"""Turn a file of a bundle into text the way the tool server does, so that quotes can be looked up.

The order of attempts is part of the contract with the tools: byte order marks, then strict UTF-8,
then Latin-1 for what holds no NUL byte. Everything else is not text.
"""

import codecs
from dataclasses import dataclass
from typing import Final

_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded content; `codec` and `mark_bytes` lead from a character back to its byte."""

    content: str
    codec: str
    mark_bytes: int = 0

    def byte_offset(self, character: int) -> int:
        """Offset in bytes, in the file, of the character at that index."""
        return self.mark_bytes + len(self.content[:character].encode(self.codec, "surrogatepass"))


def decode(raw: bytes) -> Text | None:
    """Return the text of a file, or None when it is not text."""
    if raw.startswith(codecs.BOM_UTF8):
        return _strict(raw[3:], "utf-8", 3)
    for mark, codec in _UTF16:
        if raw.startswith(mark):
            return _strict(raw[2:], codec, 2)
    if b"\0" in raw:
        return None
    return _strict(raw, "utf-8", 0) or Text(raw.decode("latin-1"), "latin-1")


def _strict(raw: bytes, codec: str, mark_bytes: int) -> Text | None:
    try:
        return Text(raw.decode(codec), codec, mark_bytes)
    except UnicodeDecodeError:
        return None
