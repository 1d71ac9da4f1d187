"""Show file names that may be anything, reversibly: the same two functions as on the host.

A name is a `str` decoded with `os.fsdecode`; its printable form escapes whatever could act on a
terminal, hide or mislead. The host's copy is `judge_prechecks.names`; a test compares the two.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sandbox_image.limits import MAX_NAME_CHARACTERS

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_NAMED: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN: Final = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\nrt])|x(?P<byte>[0-9a-f]{2})|u(?P<four>[0-9a-f]{4})|U(?P<eight>[0-9a-f]{8}))"
)


def show(name: str) -> str:
    """Return `name` in its printable, reversible form."""
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    return "".join(_show_character(character) for character in name)


def parse(shown: str) -> str:
    """Return the name whose `show` form is `shown`; text without escapes is returned as it is."""
    return _ESCAPE.sub(_parse_escape, shown) if "\\" in shown else shown


def brief(name: str) -> str:
    """Return the printable form for a sentence, cut where it is very long."""
    shown = show(name)
    return shown if len(shown) <= MAX_NAME_CHARACTERS else shown[: MAX_NAME_CHARACTERS - 1] + "…"


def _show_character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if unicodedata.category(character) not in _HIDDEN:
        return character
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _parse_escape(match: re.Match[str]) -> str:
    if match["plain"]:
        return _PLAIN[match["plain"]]
    if match["byte"]:
        byte = int(match["byte"], 16)
        return chr(0xDC00 + byte) if byte >= 0x80 else chr(byte)
    code = int(match["four"] or match["eight"], 16)
    return chr(code) if code <= 0x10FFFF else match[0]
