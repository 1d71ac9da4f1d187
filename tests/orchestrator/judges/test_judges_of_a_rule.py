"""Judges of a rule through the whole pipeline: real store, real worker processes, scripted model."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.agent.budget import RunBudget
from judge_bundles.verdict import JudgeResult, Verdict
from tests.support import sdk_validation
from tests.support.judge_code import SHORT
from tests.support.judging import look, submit, write_bundle
from tests.support.pipeline import MODEL, Bench

FILES = {"report.md": "The report is complete.\n", "annotations.yaml": "category: navigation\n"}
GATE = [{"type": "file_present", "path": "report.md"}]
SAFE = {"name": "safe", "llm_rubric": "The output holds nothing harmful."}
QUALITY = {"name": "quality", "prompt": "Score it.\n\n{{ outputs }}"}
STYLE = {"name": "style", "prompt": "Score the style.\n\n{{ outputs }}"}
CHECKED = {"name": "checked", "check": "return True, 'checked'"}

Judging = Callable[..., Verdict]


def yes(*, passed: Any = True, **more: Any) -> dict[str, Any]:
    return {"score": {"rationale": "so", "passed": passed} | more}


def score(value: Any) -> dict[str, Any]:
    return {"score": {"rationale": "so", "score": value}}


def of(judge: str, *turns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation with one judge."""
    return {"judge": judge, "turns": list(turns)} | more


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(judges: list[Any], *conversations: Mapping[str, Any], **rule: Any) -> Bench:
        limits = {"code_limits": rule.pop("code_limits")} if "code_limits" in rule else {}
        document = {"model": MODEL, "judges": judges} | rule
        made.append(Bench(tmp_path, rule=document, conversations=conversations, **limits))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def judged(benches: Callable[..., Bench], tmp_path: Path) -> Judging:
    """Judge one bundle by a rule with these judges."""

    def judge(judges: list[Any], *conversations: Mapping[str, Any], **rule: Any) -> Verdict:
        options = rule.pop("options", {})
        bundle = write_bundle(tmp_path / "b", rule.pop("files", FILES))
        return benches(judges, *conversations, **rule).judge(bundle, **options).verdict

    return judge


def named(verdict: Verdict) -> dict[str, JudgeResult]:
    return {result.name: result for result in verdict.judges}


def kind(result: JudgeResult) -> str | None:
    return result.error.kind if result.error else None


def test_judges_of_every_type_stand_beside_each_other_in_the_order_of_the_rule(
    judged: Judging,
) -> None:
    agent = {"name": "evidence", "agent": {"criteria": [{"id": "good", "text": "good"}]}}
    cost = {"name": "cost", "builtin": "cost_budget"}
    verdict = judged(
        [CHECKED, QUALITY, agent, cost, SAFE],
        of("quality", score(4)),
        of("evidence", look(), submit()),
        of("safe", yes()),
        files=FILES | {"run_result.json": '{"cost_usd": 0.5}'},
        prechecks=GATE,
    )
    assert [(one.name, one.type, one.status, one.value) for one in verdict.judges] == [
        ("checked", "check", "pass", True),
        ("quality", "llm", "scored", 4.0),
        ("evidence", "agent", "pass", True),
        ("cost", "builtin", "pass", True),
        ("safe", "llm", "pass", True),
    ]
    assert (verdict.status, verdict.reward) == ("pass", 0.75)
    assert verdict.reason == "checked, evidence, cost, safe passed; quality 4"
    assert [step.target for step in verdict.inspected] == ["report.md"]
    assert verdict.usage.calls == 4
    assert verdict.cost_usd == pytest.approx(sum(one.cost_usd or 0 for one in verdict.judges))
    assert verdict.model_scripted


def test_an_error_of_one_judge_leaves_the_others_what_they_are(judged: Judging) -> None:
    broken = {"name": "broken", "check": "return 1 / 0"}
    left_out = {"name": "left_out", "if": False, "check": "return False"}
    verdict = judged([broken, left_out, SAFE, QUALITY], of("safe", yes()), of("quality", score(2)))
    results = named(verdict)
    assert kind(results["broken"]) == "judge_code"
    assert results["left_out"].status == "skipped"
    assert results["left_out"].rationale == "its `if` is false"
    assert (results["safe"].value, results["quality"].value) == (True, 2.0)
    assert (verdict.status, verdict.error) == ("error", results["broken"].error)
    assert verdict.reason.startswith("broken: ")
    assert verdict.reward is None


def test_a_no_decides_and_numbers_do_not(judged: Judging) -> None:
    verdict = judged([SAFE, QUALITY], of("safe", yes(passed=False)), of("quality", score(1)))
    assert (verdict.status, verdict.reason) == ("fail", "safe: so")
    low = judged([QUALITY, STYLE], of("quality", score(1)), of("style", score(1.5)))
    assert (low.status, low.reason) == ("pass", "quality 1, style 1.5")


@pytest.mark.parametrize(
    ("samples", "status", "stable"),
    [
        ([yes(passed=False), yes(), yes()], "pass", False),
        ([yes(passed=False), yes(), {"say": "?"}], "error", False),
        ([{"say": "?"}, yes(), yes()], "pass", False),
        ([yes(), yes()], "pass", True),
        ([yes(), yes(passed=False), yes(passed="true")], "error", False),
    ],
)
def test_samples_are_independent_and_their_spread_is_kept(
    judged: Judging, samples: list[dict[str, Any]], status: str, *, stable: bool
) -> None:
    conversations = [of("safe", turn, sample=number) for number, turn in enumerate(samples, 1)]
    verdict = judged([SAFE | {"samples": 3}], *conversations)
    (result,) = verdict.judges
    assert (verdict.status, result.status) == (status, status)
    assert result.stability is not None
    assert (result.stability.requested, result.stability.stable) == (3, stable)
    assert verdict.usage.calls == len(samples)


def test_numbers_give_their_lower_median(judged: Judging) -> None:
    conversations = [of("quality", score(n), sample=i) for i, n in enumerate((5, 2, 3, 4), 1)]
    (result,) = judged([QUALITY | {"samples": 4}], *conversations).judges
    assert (result.status, result.value) == ("scored", 3.0)
    assert result.stability is not None
    assert result.stability.values == (5.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize("value", [7, 0, "4/5", "4", None, True])
def test_a_score_that_does_not_fit_is_an_error_and_asked_for_once(
    judged: Judging, value: Any
) -> None:
    verdict = judged([QUALITY], of("quality", score(value), score(4)))
    assert [kind(one) for one in verdict.judges] == ["invalid_verdict"]
    assert (verdict.status, verdict.usage.calls) == ("error", 1)
    assert verdict.cost_usd


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        (True, "pass"),
        (False, "skipped"),
        ("annotations.get('category') == 'navigation'", "pass"),
        ("annotations.get('category') == 'other'", "skipped"),
        ("annotations['nothing'] == 1", "error"),
        ("'complete' in outputs['files']['report.md']", "pass"),
    ],
)
def test_a_condition_decides_who_is_asked_whatever_the_type(
    judged: Judging, condition: Any, status: str
) -> None:
    agent = {"name": "agent", "agent": {"criteria": [{"id": "good", "text": "good"}]}}
    entries = [{"if": condition} | one for one in (CHECKED, SAFE, agent)]
    verdict = judged(entries, of("safe", yes()), of("agent", look(), submit()), prechecks=GATE)
    assert [one.status for one in verdict.judges] == [status] * 3
    assert verdict.status == ("pass" if status == "skipped" else status)
    assert (verdict.usage.calls > 0) is (status == "pass")


def test_where_nobody_is_asked_a_gate_decides_and_without_one_nobody_judged(
    judged: Judging,
) -> None:
    nobody = [{"if": False} | CHECKED]
    held = judged(nobody, prechecks=GATE)
    assert (held.status, held.stage) == ("pass", "precheck")
    verdict = judged(nobody)
    assert (verdict.status, verdict.error and verdict.error.kind) == ("error", "not_judged")


WILD = {
    "hangs": ("while True:\n  pass\nreturn True", "processor time"),
    "exits": ("import sys; sys.exit(1)\nreturn True", "SystemExit"),
    "ends": ("import os; os._exit(3)\nreturn True", "exit code 3"),
    "allocates": ("return bool(bytearray(8 << 30))", "memory"),
    "prints": ("print('hello')\nreturn True", "standard output"),
    "crashes": ("import os; os.kill(os.getpid(), 11)\nreturn True", "SIGSEGV"),
}


def test_checks_that_go_wild_are_their_own_errors_and_the_others_go_on(judged: Judging) -> None:
    entries: list[Any] = [CHECKED]
    for name, (source, _) in WILD.items():
        entries.append({"name": name, "check": source})
        entries.append({"name": f"after-{name}", "check": "return True"})
    verdict = judged([*entries, SAFE], of("safe", yes()), code_limits=SHORT)
    results = named(verdict)
    for name, (_, said) in WILD.items():
        error = results.pop(name).error
        assert error is not None, name
        assert (error.kind, error.retryable) == ("judge_code", False), name
        assert said in error.message
    assert {result.status for result in results.values()} == {"pass"}
    assert len(results) == len(WILD) + 2
    assert verdict.status == "error"


def test_the_runs_money_is_shared_and_what_costs_nothing_goes_on(judged: Judging) -> None:
    budget = RunBudget(Decimal("0.000001"))
    verdict = judged(
        [SAFE, QUALITY, CHECKED],
        of("safe", yes()),
        of("quality", score(4)),
        options={"budget": budget},
    )
    results = named(verdict)
    assert results["safe"].status == "pass"
    assert kind(results["quality"]) == "budget"
    assert results["checked"].status == "pass"
    assert verdict.error is not None
    assert (verdict.error.kind, verdict.error.retryable) == ("budget", True)
    assert budget.spent == Decimal(str(verdict.cost_usd))


def test_what_a_prompt_lacks_is_a_warning(judged: Judging) -> None:
    lacking = {"name": "quality", "prompt": "Score {{ arguments.nothing }}."}
    verdict = judged([lacking], of("quality", score(4)))
    assert verdict.warnings == ("quality: rendered as nothing: arguments.nothing",)


def test_a_prompt_that_cannot_be_rendered_asks_nobody(judged: Judging) -> None:
    faulty = {"name": "quality", "prompt": "{{ 1 // arguments.n }}", "arguments": {"n": 0}}
    verdict = judged([faulty, CHECKED], of("quality", score(4)))
    assert [one.status for one in verdict.judges] == ["error", "pass"]
    assert kind(verdict.judges[0]) == "judge_code"
    assert (verdict.usage.calls, verdict.model) == (0, None)


def test_every_request_is_on_record_and_fits_the_api(
    benches: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = benches([SAFE | {"samples": 2}, QUALITY], of("safe", yes()), of("quality", score(4)))
    judged = bench.judge(write_bundle(tmp_path / "b", FILES))
    assert [(one.judge, one.sample) for one in judged.traces] == [
        ("safe", 1),
        ("safe", 2),
        ("quality", 1),
    ]
    for trace in judged.traces:
        assert [sdk_validation.problem(dict(call.request)) for call in trace.calls] == [None]
    assert bench.store.trace(judged.verdict.run_id, "b") == judged.traces
    told = bench.store.transcript(judged.verdict.run_id, "b")
    assert [len(one.messages) for one in told] == [2, 2, 2]
    assert "The report is complete." in str(told[2].messages[0])


def test_a_verdict_of_such_judges_is_reused(benches: Callable[..., Bench], tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "b", FILES)
    first = benches([CHECKED, QUALITY], of("quality", score(4)), reward="quality").judge(bundle)
    again = benches([CHECKED, QUALITY], of("quality", score(4)), reward={"formula": "quality * 2"})
    second = again.judge(bundle).verdict
    assert (second.reused_from, second.cost_usd) == (first.verdict.run_id, 0.0)
    assert [one.value for one in second.judges] == [True, 4.0]
    assert (first.verdict.reward, second.reward) == (0.75, 1.5)
    changed = benches([CHECKED | {"check": "return True, 'x'"}, QUALITY], of("quality", score(4)))
    assert changed.judge(bundle).verdict.reused_from is None


def test_a_failed_gate_asks_no_judge_of_any_type(judged: Judging) -> None:
    missing = [{"type": "file_present", "path": "missing.md"}]
    verdict = judged([CHECKED, SAFE], of("safe", yes()), prechecks=missing)
    assert (verdict.status, verdict.judges, verdict.usage.calls) == ("fail", (), 0)
    assert verdict.reward == 0.0
