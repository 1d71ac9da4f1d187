import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from junitparser import Failure, JUnitXml, Skipped

from judge_bundles.reports.junit import as_junit
from judge_bundles.reports.scores import Baseline, Scores, as_record, score
from judge_bundles.reports.scores_table import print_scores
from judge_bundles.reports.style import console
from judge_bundles.reports.summary import summarise
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PairwiseSpec
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import Rule
from judge_bundles.scoring import parse_thresholds
from judge_bundles.verdict import JudgeResult, JudgeStatus, PrecheckResult, Verdict, VerdictError
from tests.support.reports import HOSTILE, Terminal, ci_commands, verdict

FAILED = PrecheckResult(0, "json_valid", held=False, message="broken")
WHY = VerdictError("invalid_verdict", "7 is off the scale", retryable=True)


def rule_with(folder: Path, thresholds: dict[str, Any] | None = None, **changes: Any) -> Rule:
    """Return a rule with a gate, a pass/fail judge `tidy` and a numeric judge `quality`."""
    path = folder / "rule.json"
    path.write_text('{"name": "rule", "prechecks": [{"type": "json_valid", "path": "*.json"}]}')
    judges = (
        LlmJudgeSpec("tidy", "llm", "t"),
        LlmJudgeSpec("quality", "llm", "t", pass_fail=False),
    )
    rule = replace(load_rule(path), judges=judges, **changes)
    if thresholds is None:
        return rule
    pairwise = rule.pairwise is not None
    parsed = parse_thresholds(thresholds, rule.scales, has_gate=True, has_pairwise=pairwise)
    return replace(rule, thresholds=parsed)


def judged(entry_id: str, *, tidy: bool | None, quality: float | None, **changes: Any) -> Verdict:
    """Return a verdict with both judges; None is a judge that errored."""
    results = (_result("tidy", tidy), _result("quality", quality))
    error = WHY if None in {tidy, quality} else None
    status = "error" if error else "pass" if tidy else "fail"
    stated = {"status": status, "stage": "judge", "judges": results, "error": error}
    return verdict(entry_id, **stated | changes)


def _result(name: str, value: bool | float | None) -> JudgeResult:
    if value is None:
        return JudgeResult(name, "llm", "error", error=WHY)
    status: JudgeStatus = "scored"
    if isinstance(value, bool):
        status = "pass" if value else "fail"
    return JudgeResult(name, "llm", status, value)


def shown(scores: Scores, *, columns: int = 120) -> str:
    stream = Terminal()
    screen = console(stream, color=False)
    screen.width = columns
    print_scores(screen, scores)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("statuses", "unjudged", "code"),
    [
        (["pass", "pass"], 0, 0),
        (["pass", "fail"], 0, 1),
        (["pass", "error"], 0, 3),
        (["fail", "error"], 0, 3),
        (["pass"], 1, 3),
        (["fail"], 1, 3),
        ([], 0, 0),
    ],
)
def test_an_accident_is_never_exit_code_0_and_outweighs_a_fail(
    tmp_path: Path, statuses: Sequence[str], unjudged: int, code: int
) -> None:
    verdicts = [verdict(str(number), status=one) for number, one in enumerate(statuses)]
    owed = [("rule", f"owed-{number}") for number in range(unjudged)]
    assert score("run", [rule_with(tmp_path)], verdicts, unjudged=owed).exit_code == code


def test_the_worst_rule_decides(tmp_path: Path) -> None:
    rule = rule_with(tmp_path)
    rules = [replace(rule, name="one"), replace(rule, name="two")]
    verdicts = [verdict("a", rule="one"), verdict("a", rule="two", status="fail")]
    assert score("run", rules, verdicts).exit_code == 1
    errored = [*verdicts, verdict("b", rule="one", status="error", error=WHY)]
    assert score("run", rules, errored).exit_code == 3


@pytest.mark.parametrize(
    ("thresholds", "code"),
    [
        ({"quality": {"min_mean": 3.5}}, 0),
        ({"quality": {"min_mean": 3.6}}, 1),
        ({"tidy": {"min_pass_rate": 0.5}}, 0),
        ({"tidy": {"min_pass_rate": 0.51}}, 1),
    ],
)
def test_with_thresholds_they_decide_and_equality_passes(
    tmp_path: Path, thresholds: dict[str, Any], code: int
) -> None:
    verdicts = [judged("a", tidy=True, quality=4), judged("b", tidy=False, quality=3)]
    assert score("run", [rule_with(tmp_path, thresholds)], verdicts).exit_code == code


def test_a_failed_gate_counts_unless_its_threshold_allows_it(tmp_path: Path) -> None:
    verdicts = [
        judged("a", tidy=True, quality=4),
        verdict("b", status="fail", prechecks=(FAILED,)),
    ]
    strict = rule_with(tmp_path, {"quality": {"min_mean": 1}})
    lenient = rule_with(tmp_path, {"quality": {"min_mean": 1}, "gate": {"min_pass_rate": 0.5}})
    assert score("run", [strict], verdicts).exit_code == 1
    assert score("run", [lenient], verdicts).exit_code == 0


def test_a_judge_that_only_errored_misses_its_threshold_and_ends_in_3(tmp_path: Path) -> None:
    rule = rule_with(tmp_path, {"quality": {"min_mean": 1}})
    scores = score("run", [rule], [judged("a", tidy=True, quality=None)])
    assert scores.exit_code == 3
    (missed,) = scores.by_rule["rule"].counting
    assert (missed.judge, missed.observed) == ("quality", None)


def test_failing_as_yesterday_is_no_news_and_a_new_failure_is(tmp_path: Path) -> None:
    rule = rule_with(tmp_path)
    before = Baseline(
        "old", [judged("a", tidy=False, quality=3), judged("b", tidy=True, quality=3)]
    )
    same = [judged("a", tidy=False, quality=2), judged("b", tidy=True, quality=3)]
    worse = [judged("a", tidy=False, quality=2), judged("b", tidy=False, quality=3)]
    assert score("run", [rule], same, baseline=before).exit_code == 1
    assert score("run", [rule], same, baseline=before, fail_on_new=True).exit_code == 0
    scores = score("run", [rule], worse, baseline=before, fail_on_new=True)
    assert scores.exit_code == 1
    text = shown(scores)
    assert "newly failing: 1  b" in text
    assert "still failing: 1  a" in text


def pairwise(entry_id: str, value: float | None) -> Verdict:
    result = JudgeResult("pairwise", "pairwise", "scored", value, rationale="both orders")
    if value is None:
        result = JudgeResult("pairwise", "pairwise", "error", error=WHY)
    return judged(entry_id, tidy=True, quality=3, judges=(result,))


def test_comparisons_are_counted_with_errors_apart(tmp_path: Path) -> None:
    rule = rule_with(
        tmp_path, {"pairwise": {"min_win_rate": 0.7}}, pairwise=PairwiseSpec("better?")
    )
    values = {"a": 1.0, "b": 1.0, "c": 0.5, "d": 0.0, "e": None}
    verdicts = [pairwise(entry_id, value) for entry_id, value in values.items()]
    scores = score("run", [rule], verdicts, baseline=Baseline("old", []))
    summary = scores.by_rule["rule"].pairwise
    assert summary is not None
    assert summary.record() == {
        "wins": 2, "losses": 1, "ties": 1, "errors": 1, "win_rate": 0.625,
    }  # fmt: skip
    assert scores.exit_code == 3
    assert "pairwise: 2 wins, 1 tie, 1 loss, 1 error, win rate 0.625" in shown(scores)


def test_without_a_baseline_a_comparison_is_not_evaluated(tmp_path: Path) -> None:
    rule = rule_with(
        tmp_path, {"pairwise": {"min_win_rate": 0.7}}, pairwise=PairwiseSpec("better?")
    )
    scores = score("run", [rule], [judged("a", tidy=True, quality=3)])
    assert scores.exit_code == 0
    assert "was not evaluated" in shown(scores)


def test_the_table_has_a_line_for_each_judge_and_names_what_was_missed(tmp_path: Path) -> None:
    rule = rule_with(tmp_path, {"quality": {"min_mean": 3.6, "max_error_rate": 0.5}})
    verdicts = [judged("a", tidy=True, quality=4), judged("b", tidy=False, quality=3)]
    lines = [line.split() for line in shown(score("run", [rule], verdicts)).splitlines()]
    assert ["gate", "2", "of", "2", "pass", "2", "0", "0", "min_pass_rate", "1", "met"] in lines
    assert ["tidy", "1", "of", "2", "pass", "2", "0", "0"] in lines
    quality = next(line for line in lines if line[:1] == ["quality"])
    assert quality[:9] == ["quality", "mean", "3.5", "3", "to", "4", "2", "0", "0"]
    assert quality[9:] == ["min_mean", "3.6", "missed", "max_error_rate", "0.5", "met"]
    assert any(line[:2] == ["missed", "quality:"] for line in lines)


def test_one_judge_without_limits_is_told_by_its_verdicts_alone(tmp_path: Path) -> None:
    rule = replace(rule_with(tmp_path), judges=rule_with(tmp_path).judges[:1])
    assert shown(score("run", [rule], [judged("a", tidy=True, quality=3)])) == ""


def test_hostile_names_stay_on_their_lines(tmp_path: Path) -> None:
    rule = replace(rule_with(tmp_path), name=HOSTILE)
    verdicts = [judged(HOSTILE, tidy=False, quality=3, rule=HOSTILE)]
    rules = [rule, replace(rule, name="other")]
    text = shown(score("run", rules, verdicts, baseline=Baseline("old", [])))
    assert "\x1b" not in text
    assert ci_commands(text) == []


def test_the_record_says_all_of_it_as_json(tmp_path: Path) -> None:
    rule = rule_with(tmp_path, {"quality": {"min_mean": 5}})
    verdicts = [judged("a", tidy=True, quality=4)]
    scores = score("run", [rule], verdicts, baseline=Baseline("old", verdicts))
    record = json.loads(json.dumps(as_record(scores, summarise(verdicts))))
    assert (record["run_id"], record["baseline"], record["exit_code"]) == ("run", "old", 1)
    assert (record["passed"], record["failed"], record["errored"], record["unjudged"]) == (
        *(1, 0, 0, 0),
    )
    (one,) = record["rules"].values()
    assert one["judges"]["quality"]["mean"] == 4
    assert [result["status"] for result in one["thresholds"]] == ["met", "missed"]
    assert one["comparison"]["only_candidate"] == []
    assert one["reasons"]


def test_junit_has_a_case_for_each_limit_and_the_judges_as_properties(tmp_path: Path) -> None:
    limits = {"quality": {"min_mean": 5}, "pairwise": {"min_win_rate": 0.5}}
    rule = rule_with(tmp_path, limits, pairwise=PairwiseSpec("better?"))
    verdicts = [judged("a", tidy=True, quality=4)]
    document = as_junit(verdicts, (), score("run", [rule], verdicts))
    whole = JUnitXml.fromstring(document)
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in whole] == [
        ("rule", 1, 0, 0),
        ("rule thresholds", 3, 1, 0),
    ]
    limited = [case for suite in whole for case in suite if "thresholds" in case.classname]
    assert [[type(one) for one in case.result] for case in limited] == [[], [Failure], [Skipped]]
    properties = {
        item.attrib["name"]: item.attrib["value"]
        for item in ET.fromstring(document).iter("property")
    }
    assert properties["judge.quality.mean"] == "4.0"
    assert properties["judge.gate.pass_rate"] == "1.0"
