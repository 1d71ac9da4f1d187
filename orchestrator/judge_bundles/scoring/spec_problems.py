"""What is wrong with the scoring part of a rule: all of it at once, each with the path of its key.

Whoever read the file adds its name and the line; quoted text is not yet escaped for any sink.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.errors import UserError
from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring.values import is_number

KeyPath = tuple[str | int, ...]

_MAX_SHOWN_CHARACTERS: Final = 40
_MAX_SHOWN_NAME_CHARACTERS: Final = 80
_MAX_LISTED_NAMES: Final = 20
_MAX_SHOWN_BITS: Final = 128
"""Of an integer; Python refuses to write very long ones as text."""


@dataclass(frozen=True, slots=True)
class SpecProblem:
    """One mistake: where, such as ("thresholds", "quality", "min_mean"), and what."""

    path: KeyPath
    message: str


class ScoringSpecError(UserError):
    """`thresholds` or `reward` of a rule cannot be used; `problems` says why, at least once."""

    def __init__(self, problems: Sequence[SpecProblem]) -> None:
        super().__init__(
            "\n".join(f"{'.'.join(map(str, one.path))}: {one.message}" for one in problems)
        )
        self.problems = tuple(problems)


def described(raw: Any) -> str:
    """Return a value of the file in words, shortened."""
    if isinstance(raw, str):
        return f'the text "{_cut(raw, _MAX_SHOWN_CHARACTERS)}"'
    if isinstance(raw, int) and raw.bit_length() > _MAX_SHOWN_BITS:
        return "a number of too many digits"
    if raw is None or isinstance(raw, bool | int | float):
        return "empty" if raw is None else repr(raw).lower()
    if isinstance(raw, Mapping):
        return "a mapping"
    return "a list" if isinstance(raw, list | tuple) else f"a {type(raw).__name__}"


def number_problem(raw: object) -> str | None:
    """Say why a value of the file is no number to count with; None when it is one."""
    if is_number(raw):
        return None
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return f"must be finite and at most {MAX_SCORE_SIZE:g} in size, but it is {described(raw)}"
    return f"must be a number, but it is {described(raw)}"


def quoted(name: str) -> str:
    """Return a name of the file for a message."""
    return f"`{_cut(name, _MAX_SHOWN_NAME_CHARACTERS)}`"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown `name`: the known one closest to it, else all of them."""
    names = list(known)
    close = difflib.get_close_matches(name[:_MAX_SHOWN_NAME_CHARACTERS], names, n=1)
    if close:
        return f"did you mean {quoted(close[0])}?"
    if not names:
        return "there is none"
    more = len(names) - _MAX_LISTED_NAMES
    listed = ", ".join(quoted(one) for one in names[:_MAX_LISTED_NAMES])
    return f"known are {listed}{f' and {more} more' if more > 0 else ''}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
