"""What the two readers agree on: which numbers and texts a document may hold, and equal keys."""

import math
import re
from typing import Final

from judge_bundles import escape
from judge_bundles.documents.document import DocumentLimits
from judge_bundles.limits import MAX_NUMBER_DIGITS

NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?[0-9]++)?+")
"""A number of JSON; the groups are its fraction and its exponent."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def number(match: re.Match[str]) -> int | float:
    """Return the value of a `NUMBER`; ValueError says in words why it cannot be used."""
    if len(match[0]) > MAX_NUMBER_DIGITS:
        raise ValueError(f"a number has more than {MAX_NUMBER_DIGITS} digits")
    if match[1] is None and match[2] is None:
        return int(match[0])
    value = float(match[0])
    if math.isinf(value):
        raise ValueError(f"the number {match[0]} is too large")
    return value


def sound_text(text: str, limits: DocumentLimits) -> str:
    """Return `text`; ValueError when it holds half a character and `limits` do not let it."""
    if not limits.lone_surrogates and _SURROGATE.search(text):
        raise ValueError("a text holds a lone surrogate, which is not a character")
    return text


def key_given_twice(key: str, first_line: int) -> str:
    """Say that a mapping has one key twice."""
    return f"key `{escape.line(key, limit=80)}` is given twice (first on line {first_line})"
