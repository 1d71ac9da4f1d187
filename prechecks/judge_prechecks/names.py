"""Show file names that may be anything, reversibly.

Inside the program a name is a `str` decoded with `os.fsdecode` (invalid UTF-8 bytes are lone
surrogates). People, models and records see the form made here: printable Unicode stays as it is,
everything that could act on a terminal, hide or mislead is an escape, and `parse` gives the
original back. The tool server in the sandbox carries the same two functions; a test compares them.
"""

import re
import unicodedata
from typing import Final

# Cc control, Cf format (bidi, zero width, tags), Cs surrogate, Cn unassigned, Co private,
# Zl/Zp line and paragraph separators.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_NAMED: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\nrt])|x(?P<byte>[0-9a-f]{2})|u(?P<four>[0-9a-f]{4})|U(?P<eight>[0-9a-f]{8}))"
)
_PLAIN: Final = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}

_CLUTTER: Final = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db"})


def is_clutter(component: str) -> bool:
    """Return whether a name is what operating systems leave behind and never part of a bundle."""
    return component in _CLUTTER or component.startswith("._")


def show(name: str) -> str:
    """Return `name` (decoded with surrogateescape) in its printable, reversible form."""
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    return "".join(_show_character(character) for character in name)


def parse(shown: str) -> str:
    """Return the name whose `show` form is `shown`; text without escapes is returned as it is."""
    return _ESCAPE.sub(_parse_escape, shown) if "\\" in shown else shown


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
    if plain := match["plain"]:
        return _PLAIN[plain]
    if byte := match["byte"]:
        return chr(0xDC00 + int(byte, 16)) if int(byte, 16) >= 0x80 else chr(int(byte, 16))
    code = int(match["four"] or match["eight"], 16)
    return chr(code) if code <= 0x10FFFF else match[0]
