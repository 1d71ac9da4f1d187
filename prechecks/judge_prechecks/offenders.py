"""List what breaks a condition: the first ones in words, all of them in number."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from judge_prechecks.limits import MAX_LISTED, MAX_NAMED

T = TypeVar("T")


def listed(offenders: Sequence[T], describe: Callable[[T], str]) -> tuple[str, ...]:
    """Describe up to `MAX_LISTED` offenders; one more line counts those left out."""
    texts = tuple(describe(offender) for offender in offenders[:MAX_LISTED])
    left_out = len(offenders) - len(texts)
    return (*texts, f"and {left_out:,} more") if left_out else texts


def named(offenders: Sequence[T], describe: Callable[[T], str]) -> str:
    """Describe the first few in one line for a sentence."""
    first = "; ".join(describe(offender) for offender in offenders[:MAX_NAMED])
    left_out = len(offenders) - MAX_NAMED
    return f"{first}; and {left_out:,} more" if left_out > 0 else first
