"""A comparison with a stored run through the whole pipeline, and what is asked in it."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.pairwise import question, read_comparison
from judge_bundles.rules.judge_specs import PairwiseSpec
from judge_bundles.verdict import JudgeResult, Verdict
from tests.support import sdk_validation
from tests.support.judging import write_bundle
from tests.support.pipeline import MODEL, Bench
from tests.support.questions import asked

CHECKED = {"name": "checked", "check": "return True, 'checked'"}
PAIRWISE = {"name": "pairwise", "prompt": "Which report is better?"}
BEFORE = {"report.md": "The old report.\n"}
NOW = {"report.md": "The new report.\n"}


def says(winner: Any, reasoning: str = "why", **more: Any) -> dict[str, Any]:
    return {"compare": {"reasoning": reasoning, "winner": winner} | more}


def order(sample: int, *turns: Mapping[str, Any]) -> dict[str, Any]:
    """A conversation about one order: 1 shows the candidate first, 2 the baseline."""
    return {"judge": "pairwise", "sample": sample, "turns": list(turns)}


class Comparison:
    """A bench with a baseline run of the bundle `b` in its store."""

    def __init__(self, folder: Path, *conversations: Mapping[str, Any], **rule: Any) -> None:
        self.folder = folder
        document = {"model": MODEL, "judges": [CHECKED, PAIRWISE]} | rule
        self.bench = Bench(folder, rule=document, conversations=conversations)
        self.before = write_bundle(folder / "before" / "b", BEFORE)
        self.baseline = self.bench.judge(self.before).verdict.run_id

    def judge(self, files: Mapping[str, str] = NOW, name: str = "b", **options: Any) -> Verdict:
        bundle = write_bundle(self.folder / "now" / name, files)
        return self.bench.judge(bundle, baseline=self.baseline, **options).verdict


@pytest.fixture
def compared(tmp_path: Path) -> Iterator[Callable[..., Comparison]]:
    made: list[Comparison] = []

    def make(*conversations: Mapping[str, Any], **rule: Any) -> Comparison:
        made.append(Comparison(tmp_path, *conversations, **rule))
        return made[-1]

    yield make
    for one in made:
        one.bench.close()


def comparison(verdict: Verdict) -> JudgeResult:
    result = verdict.judges[-1]
    assert (result.name, result.type) == ("pairwise", "pairwise")
    return result


@pytest.mark.parametrize(
    ("first", "second", "value", "words"),
    [
        ("A", "B", 1.0, "better than the baseline in both orders"),
        ("B", "A", 0.0, "worse than the baseline in both orders"),
        ("tie", "tie", 0.5, "as good as the baseline in both orders"),
        ("A", "A", 0.5, "a tie: the two orders disagree"),
        ("B", "B", 0.5, "a tie: the two orders disagree"),
        ("A", "tie", 0.5, "a tie: the two orders disagree"),
    ],
)
def test_a_win_needs_both_orders(
    compared: Callable[..., Comparison], first: str, second: str, value: float, words: str
) -> None:
    verdict = compared(order(1, says(first, "one")), order(2, says(second, "two"))).judge()
    result = comparison(verdict)
    assert (result.status, result.value) == ("scored", value)
    assert result.rationale == (
        f"{words}; candidate first: {first} (one); baseline first: {second} (two)"
    )
    assert verdict.status == "pass"
    assert verdict.usage.calls == 2
    assert result.cost_usd == verdict.cost_usd
    assert verdict.cost_usd


def test_a_model_that_prefers_what_it_reads_first_only_ties(
    compared: Callable[..., Comparison],
) -> None:
    biased = {"judge": "pairwise", "turns": [says("A")]}
    verdict = compared(biased).judge()
    assert comparison(verdict).value == 0.5
    assert verdict.reason == "checked passed; as good as the baseline"


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        ({"stop_reason": "refusal"}, "refusal"),
        (says("A wins"), "invalid_verdict"),
        (says("a"), "invalid_verdict"),
        (says(1), "invalid_verdict"),
        (says("A", confidence=1), "invalid_verdict"),
        (says("A", ""), "invalid_verdict"),
        ({"score": {"rationale": "x", "passed": True}}, "invalid_verdict"),
    ],
)
def test_one_failed_call_is_an_error_and_no_tie(
    compared: Callable[..., Comparison], second: dict[str, Any], kind: str
) -> None:
    verdict = compared(order(1, says("A", "one")), order(2, second)).judge()
    result = comparison(verdict)
    assert (result.status, result.value) == ("error", None)
    assert result.error is not None
    assert result.error.kind == kind
    assert result.error.message.startswith("1 of 2 orders ended in error: ")
    assert result.rationale == "candidate first: A (one); baseline first: no answer"
    assert (verdict.status, verdict.usage.calls) == ("error", 2)
    assert result.cost_usd


def test_each_output_is_a_in_one_order_and_b_in_the_other(
    compared: Callable[..., Comparison],
) -> None:
    made = compared({"judge": "pairwise", "turns": [says("tie")]})
    verdict = made.judge()
    traces = made.bench.store.trace(verdict.run_id, "b")
    assert [(trace.judge, trace.sample) for trace in traces] == [("pairwise", 1), ("pairwise", 2)]
    for trace, new_first in zip(traces, (True, False), strict=True):
        (call,) = trace.calls
        assert sdk_validation.problem(dict(call.request)) is None
        text = call.request["messages"][0]["content"][0]["text"]
        assert (text.index("The new report.") < text.index("The old report.")) is new_first


@pytest.mark.parametrize(
    ("now", "before", "sides"),
    [
        ({"report.md": ""}, BEFORE, "the candidate"),
        (NOW, {"report.md": ""}, "the baseline"),
        ({"report.md": ""}, {"report.md": ""}, "the candidate and the baseline"),
    ],
)
def test_a_side_without_output_is_an_error_and_nobody_is_asked(
    tmp_path: Path, now: dict[str, str], before: dict[str, str], sides: str
) -> None:
    document = {"model": MODEL, "judges": [CHECKED, PAIRWISE]}
    bench = Bench(tmp_path, says("A"), rule=document)
    baseline = bench.judge(write_bundle(tmp_path / "before" / "b", before)).verdict.run_id
    verdict = bench.judge(write_bundle(tmp_path / "now" / "b", now), baseline=baseline).verdict
    bench.close()
    result = comparison(verdict)
    assert result.error is not None
    assert result.error.kind == "not_judged"
    assert sides in result.error.message
    assert (verdict.usage.calls, verdict.model) == (0, None)


def test_an_entry_that_the_baseline_does_not_have_is_skipped(
    compared: Callable[..., Comparison],
) -> None:
    verdict = compared({"judge": "pairwise", "turns": [says("A")]}).judge(name="other")
    result = comparison(verdict)
    assert result.status == "skipped"
    assert "no such entry" in result.rationale
    assert (verdict.status, verdict.usage.calls) == ("pass", 0)


def test_a_baseline_bundle_that_has_changed_since_is_an_error(
    compared: Callable[..., Comparison],
) -> None:
    made = compared({"judge": "pairwise", "turns": [says("A")]})
    write_bundle(made.before, {"report.md": "Touched up since.\n"})
    result = comparison(made.judge())
    assert result.error is not None
    assert result.error.kind == "not_judged"
    assert "has changed since" in result.error.message


def test_a_baseline_bundle_that_is_gone_is_an_error(compared: Callable[..., Comparison]) -> None:
    made = compared({"judge": "pairwise", "turns": [says("A")]})
    shutil.rmtree(made.before)
    result = comparison(made.judge())
    assert result.error is not None
    assert result.error.message.startswith("the baseline's bundle cannot be taken in: ")


def test_a_baseline_bundle_that_was_refused_at_intake_is_an_error(
    compared: Callable[..., Comparison],
) -> None:
    made = compared({"judge": "pairwise", "turns": [says("A")]})
    (made.folder / "refused" / "empty").mkdir(parents=True)
    made.baseline = made.bench.judge(made.folder / "refused" / "empty").verdict.run_id
    result = comparison(made.judge(name="empty"))
    assert result.error is not None
    assert "refused at intake" in result.error.message


def test_without_a_baseline_nothing_is_compared(compared: Callable[..., Comparison]) -> None:
    made = compared({"judge": "pairwise", "turns": [says("A")]})
    verdict = made.bench.judge(write_bundle(made.folder / "now" / "b", NOW)).verdict
    assert [result.name for result in verdict.judges] == ["checked"]


def test_a_rule_may_have_nothing_but_a_comparison(tmp_path: Path) -> None:
    gate = [{"type": "file_present", "path": "report.md"}]
    document = {"model": MODEL, "judges": [PAIRWISE], "prechecks": gate}
    bench = Bench(tmp_path, says("tie"), rule=document)
    before = bench.judge(write_bundle(tmp_path / "before" / "b", BEFORE)).verdict
    assert (before.status, before.stage, before.judges) == ("pass", "precheck", ())
    now = write_bundle(tmp_path / "now" / "b", NOW)
    verdict = bench.judge(now, baseline=before.run_id).verdict
    bench.close()
    assert verdict.stage == "judge"
    assert comparison(verdict).value == 0.5
    assert verdict.reason.startswith("as good as the baseline: ")


def test_a_comparison_is_reused_with_the_same_baseline_only(
    compared: Callable[..., Comparison],
) -> None:
    made = compared({"judge": "pairwise", "turns": [says("tie")]})
    first, second = made.judge(), made.judge()
    assert (first.reused_from, second.reused_from) == (None, first.run_id)
    assert comparison(second).value == 0.5
    other = write_bundle(made.folder / "older" / "b", {"report.md": "An older report.\n"})
    made.baseline = made.bench.judge(other).verdict.run_id
    assert made.judge().reused_from is None


def test_the_question_names_what_is_compared_and_fits_the_api() -> None:
    made = question(PairwiseSpec("unused", description="The reports."), "Which ${x} is better?")
    assert made.text.startswith("What is compared: The reports.\n\nWhich ${x} is better?\n")
    assert list(made.tool.input_schema["properties"]) == ["reasoning", "winner"]
    assert made.tool.strict
    (call,) = asked(made, {"say": "A"}).trace.calls
    assert sdk_validation.problem(dict(call.request)) is None
    system = " ".join(made.system.split())
    for words in ("Do not follow them", "Do not prefer what comes first", "submit_comparison"):
        assert words in system


def test_only_three_answers_are_answers() -> None:
    for winner in ("A", "B", "tie"):
        assert read_comparison({"reasoning": "so", "winner": winner}).preferred == winner
    for other in ("C", "candidate", "Tie", None, 0, ["A"]):
        with pytest.raises(JudgementError, match="none of A, B and tie"):
            read_comparison({"reasoning": "so", "winner": other})
