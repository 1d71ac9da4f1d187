"""Reduce N independent answers of one stochastic judge to one, and say how they were spread."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from judge_bundles.error_kinds import KINDS
from judge_bundles.scoring.values import Value
from judge_bundles.verdict import JudgeStatus, Stability, VerdictError


@dataclass(frozen=True, slots=True)
class Reduction:
    """What the samples amount to. `chosen` is the first of the values that says so, if any does."""

    status: JudgeStatus
    value: Value | None
    chosen: int | None
    error: VerdictError | None
    stability: Stability


def decided(values: Sequence[Value], errors: int, requested: int) -> bool:
    """Whether no further sample can change what `reduce` makes of those that ran.

    `values` are the answers and `errors` the number of samples without one so far.
    """
    left = requested - len(values) - errors
    if left <= 0 or _mixed(values):
        return True
    if values and not _all_bool(values):
        return _median_decided(values, left, requested)
    passes, fails = values.count(True), values.count(False)
    if 2 * max(passes, fails) > requested:
        return True
    reachable = 2 * (max(passes, fails) + left) > requested
    tie_possible = not errors and requested % 2 == 0
    return not (reachable or tie_possible)


def reduce(values: Sequence[Value], errors: Sequence[VerdictError], requested: int) -> Reduction:
    """Return one answer for all samples that ran.

    A bool needs more than half of the samples *requested*; a true tie (an even number, all of them
    answered) is a fail. Numbers give their lower median once more than half of those requested
    answered. What is not reached is an error.
    """
    value = _reduced(values, requested)
    stability = Stability(
        requested=requested,
        passes=sum(one is True for one in values),
        fails=sum(one is False for one in values),
        errors=len(errors),
        stable=not errors and len(set(values)) == 1 and not _mixed(values),
        values=tuple(values),
    )
    if value is None:
        return Reduction("error", None, None, _not_reached(values, errors, requested), stability)
    return Reduction(_status(value), value, values.index(value), None, stability)


def combined_error(errors: Sequence[VerdictError], note: str) -> VerdictError:
    """Return one error for several, at least one: the most frequent kind and its first message.

    It can be retried if any of them can. `note` leads the message of more than one sample.
    """
    counts = Counter(error.kind for error in errors)
    kind = min(counts, key=lambda one: (-counts[one], KINDS.index(one)))
    message = next(error.message for error in errors if error.kind == kind)
    retryable = any(error.retryable for error in errors)
    return VerdictError(kind, f"{note}: {message}" if note else message, retryable)


def _reduced(values: Sequence[Value], requested: int) -> Value | None:
    if not values or _mixed(values):
        return None
    if not _all_bool(values):
        return median_low(values) if 2 * len(values) > requested else None
    passes, fails = values.count(True), values.count(False)
    if 2 * passes > requested:
        return True
    return False if 2 * fails > requested or 2 * passes == 2 * fails == requested else None


def _median_decided(values: Sequence[Value], left: int, requested: int) -> bool:
    """Whether `left` more numbers, or errors in their place, leave the lower median where it is."""
    if 2 * (len(values) + left) <= requested:
        return True
    if 2 * len(values) <= requested:
        return False
    ordered = sorted(values)
    for more in range(left + 1):
        highest = (len(ordered) + more - 1) // 2  # all that are still to come lie above
        lowest = highest - more  # or all of them below
        if lowest < 0 or highest >= len(ordered) or ordered[lowest] != ordered[highest]:
            return False
    return True


def _not_reached(
    values: Sequence[Value], errors: Sequence[VerdictError], requested: int
) -> VerdictError:
    if _mixed(values):
        message = "some samples answered pass or fail and some gave a number"
        return VerdictError("invalid_verdict", message, retryable=True)
    if not errors:
        message = f"only {len(values)} of {requested} samples ran"
        return VerdictError("interrupted", message, retryable=True)
    note = f"no majority among the samples ({len(errors)} of {requested} ended in error)"
    return combined_error(errors, note if requested > 1 else "")


def _status(value: Value) -> JudgeStatus:
    if isinstance(value, bool):
        return "pass" if value else "fail"
    return "scored"


def _all_bool(values: Sequence[Value]) -> bool:
    return all(isinstance(value, bool) for value in values)


def _mixed(values: Sequence[Value]) -> bool:
    return len({isinstance(value, bool) for value in values}) > 1
