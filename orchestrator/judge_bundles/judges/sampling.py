"""Reduce N independent judgements of one stochastic judge to one status."""

from collections.abc import Sequence
from typing import Literal

from judge_bundles.verdict import JudgeStatus, Stability

Outcome = Literal["pass", "fail", "error"]


def decided(outcomes: Sequence[Outcome], requested: int) -> Outcome | None:
    """Return the status once no further sample can change it, else None.

    More than half of the samples *requested* must agree. A true tie (an even number, all valid) is
    a fail; a majority that errors made unreachable is an error.
    """
    passes, fails = outcomes.count("pass"), outcomes.count("fail")
    left = requested - len(outcomes)
    if 2 * passes > requested:
        return "pass"
    if 2 * fails > requested:
        return "fail"
    if left == 0:
        return "fail" if 2 * passes == 2 * fails == requested else "error"
    pass_possible = 2 * (passes + left) > requested
    fail_possible = 2 * (fails + left) > requested
    tie_possible = "error" not in outcomes and requested % 2 == 0
    return None if pass_possible or fail_possible or tie_possible else "error"


def stability(outcomes: Sequence[Outcome], requested: int) -> Stability:
    """Return the spread; stable means that every sample that ran agreed and none errored."""
    return Stability(
        requested=requested,
        passes=outcomes.count("pass"),
        fails=outcomes.count("fail"),
        errors=outcomes.count("error"),
        stable=len(set(outcomes)) == 1 and outcomes[0] != "error",
    )


def as_outcome(status: JudgeStatus) -> Outcome:
    """Return the outcome of a pass/fail judge's status."""
    assert status == "pass" or status == "fail" or status == "error", status  # noqa: PLR1714 - narrows
    return status
