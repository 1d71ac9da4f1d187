"""Measure a JSON document without parsing it: how many values, how deep, how many members.

All by a few passes over bytes in C. Of the text only quotes, brackets, commas and colons are kept;
what stands between quotes falls out by counting quotes in pairs. For a valid document the numbers
are exact. For any other they are at least those of the part before its first mistake, which is all
that a limit on the work of a parser needs.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final

_STRUCTURE: Final = b'"[]{}:,'
_REST: Final = bytes(byte for byte in range(256) if byte not in _STRUCTURE)
_NOT_BRACKETS: Final = b'":,'
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_ROUNDS: Final = 8
_CENTRE: Final = (ord("[") + ord("]")) // 2


@dataclass(frozen=True)
class Shape:
    """`nodes`: opening brackets and commas; `members`: colons."""

    nodes: int
    members: int
    brackets: bytes
    """All brackets in their order, as if all were square."""

    @cached_property
    def depth(self) -> int:
        """Brackets within brackets. Worked out when asked for: look at `nodes` first."""
        return _depth(self.brackets)


def measure(data: bytes) -> Shape:
    """Return the shape of a UTF-8 document."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = data.translate(None, _REST).replace(b'""', b"")
    if b'"' in structure:
        structure = b"".join(structure.split(b'"')[::2])
    opened = structure.count(b"[") + structure.count(b"{")
    return Shape(
        nodes=opened + structure.count(b","),
        members=structure.count(b":"),
        brackets=structure.translate(_ONE_KIND, _NOT_BRACKETS),
    )


def has_digit_run(data: bytes, length: int) -> bool:
    """Return whether there may be `length` digits in a row: never False when there are.

    Any such run covers one whole block of half its length, wherever the run begins.
    """
    block = (length + 1) // 2
    return len(data) >= length and any(
        data[start : start + block].isdigit() for start in range(0, len(data), block)
    )


def _depth(brackets: bytes) -> int:
    """Return the greatest depth of a sequence of `[` and `]`.

    Real documents are shallow and wide: taking out all innermost pairs at once is a level less.
    """
    for taken in range(_ROUNDS):
        if not brackets:
            return taken
        brackets = brackets.replace(b"[]", b"")
    deepest = max(accumulate(_CENTRE - byte for byte in brackets), default=0)
    return _ROUNDS + max(deepest, 0)
