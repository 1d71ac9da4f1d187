"""Numbers without rounding: what a person wrote as 0.7 is seven tenths.

Limits and scores are decimal text in a file, an answer or a record. Read as binary fractions, 0.1
three times is above 0.3; read as the shortest decimal text of the float, it is equal.
"""

from fractions import Fraction
from typing import Final

_FEWEST_DIGITS: Final = 4
_MOST_DIGITS: Final = 17
"""Enough to tell any two floats apart."""


def exact(number: float) -> Fraction:
    """Return the fraction that the shortest decimal text of a finite `number` stands for."""
    if isinstance(number, int):
        return Fraction(int(number))
    return Fraction(float.__repr__(number))


def shown(number: Fraction, *, beside: Fraction | None = None) -> str:
    """Return `number` for people, rounded, but never so far that it reads like `beside`.

    Both fit a float. Two unequal numbers that are the same float are shown as fractions.
    """
    other = number if beside is None else beside
    first = _FEWEST_DIGITS + max(len(str(int(abs(number)))) - 1, 0)
    for digits in range(min(first, _MOST_DIGITS), _MOST_DIGITS + 1):
        text = f"{float(number):.{digits}g}"
        if number == other or text != f"{float(other):.{digits}g}":
            return text
    return str(number)
