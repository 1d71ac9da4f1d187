import math
from typing import Any

import pytest

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.scoring import Outcome, bundle_outcome
from judge_bundles.verdict import (
    JudgeResult,
    JudgeStatus,
    PrecheckResult,
    Stage,
    Status,
    Verdict,
    VerdictError,
)

JUDGES = ("safe", "quality")
HELD = PrecheckResult(0, "file_present", held=True, message="ok")
BROKEN = PrecheckResult(1, "file_present", held=False, message="no")


def error(kind: ErrorKind) -> VerdictError:
    return VerdictError(kind, "it broke", retryable=True)


def verdict(
    status: Status,
    stage: Stage = "judge",
    *,
    prechecks: tuple[PrecheckResult, ...] = (HELD,),
    judges: tuple[JudgeResult, ...] = (),
    failure: VerdictError | None = None,
) -> Verdict:
    return Verdict("r", "e", None, "n", "d", status, "x", stage, prechecks, judges, error=failure)


def statuses(one: Verdict, *, has_gate: bool = True) -> tuple[str, ...]:
    return tuple(outcome.status for outcome in bundle_outcome(one, JUDGES, has_gate=has_gate).all)


SAFE = JudgeResult("safe", "check", "pass", value=True)
QUALITY = JudgeResult("quality", "prompt", "scored", value=4)
TIMED_OUT = JudgeResult("quality", "prompt", "error", error=error("timeout"))


def test_what_judges_said_is_taken_over_in_the_order_of_the_rule() -> None:
    one = bundle_outcome(verdict("pass", judges=(QUALITY, SAFE)), JUDGES, has_gate=True)
    assert one.judges == (Outcome("safe", "pass", True), Outcome("quality", "scored", 4))
    assert (one.entry_id, one.status) == ("e", "pass")


@pytest.mark.parametrize(
    ("case", "one", "expected"),
    [
        ("all said", verdict("pass", judges=(SAFE, QUALITY)), ("pass", "pass", "scored")),
        (
            "the gate failed",
            verdict("fail", "precheck", prechecks=(HELD, BROKEN)),
            ("fail", "skipped", "skipped"),
        ),
        ("only the gate ran", verdict("pass", "precheck"), ("pass", "skipped", "skipped")),
        (
            "refused at intake",
            verdict("error", "intake", prechecks=(), failure=error("intake")),
            ("error", "error", "error"),
        ),
        (
            "a fault before any judge",
            verdict("error", prechecks=(), failure=error("internal")),
            ("error", "error", "error"),
        ),
        (
            "the money was spent before the judges",
            verdict("error", failure=error("budget")),
            ("pass", "error", "error"),
        ),
        (
            "one judge errored",
            verdict("error", judges=(SAFE, TIMED_OUT), failure=error("timeout")),
            ("pass", "pass", "error"),
        ),
        (
            "the copy changed under the judges",
            verdict("error", judges=(SAFE, QUALITY), failure=error("snapshot_changed")),
            ("error", "error", "error"),
        ),
        (
            "the copy changed and a judge errored too",
            verdict("error", judges=(SAFE, TIMED_OUT), failure=error("snapshot_changed")),
            ("error", "error", "error"),
        ),
    ],
)
def test_each_way_a_bundle_can_end_counts_for_the_gate_and_each_judge(
    case: str, one: Verdict, expected: tuple[str, ...]
) -> None:
    assert statuses(one) == expected


def test_without_a_gate_there_is_nothing_to_count_for_it() -> None:
    assert statuses(verdict("pass", prechecks=(), judges=(SAFE, QUALITY)), has_gate=False) == (
        "skipped",
        "pass",
        "scored",
    )


def test_judges_skipped_by_their_condition_stay_skipped_when_nothing_was_judged() -> None:
    skipped = tuple(JudgeResult(name, "check", "skipped") for name in JUDGES)
    one = verdict("error", prechecks=(), judges=skipped, failure=error("not_judged"))
    assert statuses(one, has_gate=False) == ("skipped", "skipped", "skipped")


@pytest.mark.parametrize("value", [None, math.nan, math.inf, True])
def test_a_stored_score_that_is_no_number_is_an_error(value: Any) -> None:
    judges = (SAFE, JudgeResult("quality", "prompt", "scored", value=value))
    assert statuses(verdict("pass", judges=judges)) == ("pass", "pass", "error")


@pytest.mark.parametrize(
    ("status", "value"),
    [
        ("pass", False),
        ("pass", 1),
        ("fail", None),
        ("fail", 0),
        ("scored", True),
        ("scored", math.nan),
        ("scored", -math.inf),
        ("scored", 10**400),
        ("scored", None),
        ("skipped", 1),
        ("error", False),
    ],
)
def test_an_outcome_whose_value_does_not_fit_cannot_be_made(
    status: JudgeStatus, value: Any
) -> None:
    with pytest.raises(ValueError, match="is no value of status"):
        Outcome("judge", status, value)
