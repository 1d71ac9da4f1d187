"""Undo what hides words from a search and not from a reader: one plain form for text to be scanned.

Lower case, compatibility forms (full-width letters, ligatures) as plain ones, accents and invisible
characters gone, letters of other scripts that look Latin as Latin ones, invisible tag characters as
the ASCII they stand for. Line breaks stay, so lines keep their numbers.
"""

import unicodedata
from typing import Final

_MAX_EXPANSION: Final = 4
"""Characters that one may become; some compatibility forms are whole phrases."""
_GONE: Final = frozenset({"Cf", "Mn", "Me"})
_TAGS: Final = range(0xE0020, 0xE007F)
_PAIRS: Final = "аaвbеeѕsіiјjкkмmнhоoрpсcтtуyхxһhԁdԛqԝwѵvӏlαaεeιiκkνvοoρpτtυuχxωwϲcıiɡg"
_LOOK_ALIKES: Final = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
"""Cyrillic, Greek and others, each with the Latin letter it looks like."""


class _Table(dict[int, str]):
    """What each code point becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _folded(code)
        return folded


def _folded(code: int) -> str:
    if code in _TAGS:
        return chr(code - 0xE0000).lower()
    plain = unicodedata.normalize("NFKD", chr(code)).casefold()
    return "".join(
        _LOOK_ALIKES.get(character, character)
        for character in plain[:_MAX_EXPANSION]
        if unicodedata.category(character) not in _GONE
    )


_TABLE: Final = _Table()


def fold(text: str) -> str:
    """Return the plain form of `text`."""
    return text.lower() if text.isascii() else text.translate(_TABLE)
