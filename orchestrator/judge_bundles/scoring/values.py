"""What a judge may answer: a bool or a finite number, within its range where it has one.

The edge that keeps everything else out: behind it no NaN, infinity, text or huge integer exists.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeGuard

from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring.exact import exact, shown

Value = bool | float
"""True or false of a pass/fail judge, a number (int or float) of any other."""

JudgeKind = Literal["pass_fail", "numeric"]

_MAX_SHOWN_CHARACTERS: Final = 40


def is_number(raw: object) -> TypeGuard[float]:
    """Whether `raw` is an int or a float of at most MAX_SCORE_SIZE, so no NaN, and no bool."""
    return isinstance(raw, int | float) and not isinstance(raw, bool) and abs(raw) <= MAX_SCORE_SIZE


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The numbers a judge may give, both ends included. ValueError unless increasing numbers."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (is_number(self.low) and is_number(self.high) and self.low < self.high):
            raise ValueError("a range is two numbers, the lower one first")

    def __contains__(self, value: float) -> bool:
        return exact(self.low) <= exact(value) <= exact(self.high)

    def __str__(self) -> str:
        return f"from {shown(exact(self.low))} to {shown(exact(self.high))}"

    def unit(self, value: float) -> Fraction:
        """Return where `value` lies, 0 for the lower end and 1 for the upper one."""
        low, high = exact(self.low), exact(self.high)
        return (exact(value) - low) / (high - low)


@dataclass(frozen=True, slots=True)
class JudgeScale:
    """What is known of a judge's answers before it ran.

    `kind` is None when only running it tells, as with Python judges. `score_range` is the range
    that is enforced on its numbers; None when there is none.
    """

    name: str
    kind: JudgeKind | None = None
    score_range: ScoreRange | None = None


def refusal(raw: object, score_range: ScoreRange | None = None) -> str | None:
    """Say in one sentence why `raw`, the answer of a judge, cannot count; None when it can.

    An answer is never moved into the range, and text that looks like a number is text.
    """
    if isinstance(raw, bool):
        if score_range is None:
            return None
        return f"the value is {str(raw).lower()}, where a number {score_range} was asked for"
    if not isinstance(raw, int | float):
        return f"the value is {_described(raw)}, neither a bool nor a number"
    if not is_number(raw):
        return f"the value is {_described(raw)}, no finite number of at most {MAX_SCORE_SIZE:g}"
    if score_range is not None and raw not in score_range:
        return f"the value {shown(exact(raw))} is not in the range {score_range}"
    return None


def _described(raw: object) -> str:
    if isinstance(raw, str):
        cut = raw if len(raw) <= _MAX_SHOWN_CHARACTERS else raw[: _MAX_SHOWN_CHARACTERS - 1] + "…"
        return f'the text "{cut}"'
    if isinstance(raw, float):
        return str(float(raw))
    if isinstance(raw, int):
        return "an integer too large for any score"
    return "null" if raw is None else f"a {type(raw).__name__}"
