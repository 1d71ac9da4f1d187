import json

import pytest

from judge_bundles.error_kinds import EXPLANATIONS, KINDS
from judge_bundles.errors import JudgementError
from judge_bundles.verdict import (
    Coverage,
    CriterionResult,
    Evidence,
    FileCoverage,
    InjectionFlag,
    InspectedStep,
    JudgeResult,
    PrecheckResult,
    Stability,
    Status,
    Usage,
    Verdict,
    VerdictError,
    from_record,
    to_record,
)


def whole() -> Verdict:
    criterion = CriterionResult("c", "why", (Evidence("r.md", 1, 2, "q", verified=True),), met=True)
    judge = JudgeResult(
        "rubric",
        "agent",
        "pass",
        value=True,
        rationale="so",
        inspected=(InspectedStep(1, "read_file", "r.md"),),
        criteria=(criterion,),
        stability=Stability(3, 2, 1, 0, stable=False),
    )
    return Verdict(
        run_id="run",
        entry_id="a/b",
        bundle_digest="sha256:0",
        rule="rule",
        rule_digest="sha256:1",
        status="pass",
        reason="so",
        stage="judge",
        prechecks=(PrecheckResult(0, "json_valid", held=True, message="m", observed={"a": [1]}),),
        judges=(judge,),
        inspected=judge.inspected,
        coverage=Coverage((FileCoverage("r.md", 4, 2),), ("x",), 1),
        injection_suspected=(InjectionFlag("r.md", 3, "dear judge"),),
        usage=Usage(1, 2, 3, 4, 5),
    )


def test_a_record_turns_back_into_its_verdict() -> None:
    errored = Verdict(
        "r", "e", None, "n", "d", "error", "x", "intake", error=VerdictError("intake", "x", False)
    )
    for verdict in (whole(), errored):
        assert from_record(json.loads(json.dumps(to_record(verdict)))) == verdict


@pytest.mark.parametrize(
    ("status", "passed", "score"),
    [("pass", True, 1.0), ("fail", False, 0.0), ("error", None, None)],
)
def test_an_error_is_neither_a_pass_nor_a_fail(
    status: Status, passed: bool | None, score: float | None
) -> None:
    verdict = Verdict("r", "e", None, "n", "d", status, "x", "judge")
    assert (verdict.passed, verdict.score) == (passed, score)
    record = to_record(verdict)
    assert (record["passed"], record["score"]) == (passed, score)


def test_the_record_has_the_documented_keys() -> None:
    assert {
        *(
            "run_id",
            "entry_id",
            "bundle_digest",
            "rule",
            "rule_digest",
            "status",
            "passed",
            "score",
        ),
        *("reason", "stage", "prechecks", "judges", "inspected", "coverage", "injection_suspected"),
        *("usage", "cost_usd", "model", "image_id", "latency_ms", "started_at", "finished_at"),
        *("reused_from", "error"),
    } <= set(to_record(whole()))
    judge = to_record(whole())["judges"][0]
    assert {
        "name",
        "type",
        "status",
        "value",
        "rationale",
        "inspected",
        "criteria",
        "cost_usd",
    } <= set(judge)


def test_coverage_states_the_share_of_each_file() -> None:
    assert to_record(whole())["coverage"]["opened"][0]["fraction"] == 0.5
    assert FileCoverage("empty", 0, 0).fraction == 1.0


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3, 4, 5) + Usage(1, 1, 1, 1, 1) == Usage(2, 3, 4, 5, 6)
    assert Usage(1, 2, 3, 4, 5).total_tokens == 10


def test_every_error_kind_is_explained_and_decides_whether_trying_again_helps() -> None:
    assert set(EXPLANATIONS) == set(KINDS)
    for kind, explanation in EXPLANATIONS.items():
        assert explanation.cause.endswith(".")
        assert explanation.advice.endswith(".")
        assert JudgementError(kind, "m").retryable is explanation.retryable
    assert JudgementError("intake", "m", retryable=True).retryable is True
