"""Tell text that a reader can see from text that only looks like something to a program.

Blank are whitespace, controls, format characters, unassigned and private code points, and the
characters that Unicode draws as nothing although they count as letters, marks or symbols.
"""

import re
import unicodedata
from typing import Final

_INK: Final = re.compile("[!-~]")
_BLANK_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_DRAWN_AS_NOTHING: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)


def has_visible(text: str) -> bool:
    """Return whether some character of `text` can be seen."""
    if _INK.search(text):
        return True
    return not text.isascii() and any(map(_is_visible, set(text)))


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _BLANK_CATEGORIES and not (
        _DRAWN_AS_NOTHING.match(character)
    )
