import json
from pathlib import Path
from typing import Any

import pytest

from judge_bundles import judges
from judge_bundles.agent.injection import Scan
from judge_bundles.draft import SCAN_CUT, Draft
from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_NOTE_CHARACTERS, MAX_VERDICT_NOTES
from judge_bundles.models.base import Model
from judge_bundles.models.resolve import resolve
from judge_bundles.rules.load import load_rule
from judge_bundles.verdict import JudgeResult, Usage

NOTHING_FOUND = Scan((), cut=False)


def draft(folder: Path) -> Draft:
    (folder / "rule.json").write_text(json.dumps({"rubric": "x", "model": "m"}))
    return Draft("run", "entry", load_rule(folder / "rule.json"))


def passed(name: str, *notes: str, cost: float | None = 0.0, **parts: Any) -> judges.Judged:
    result = JudgeResult(name, "llm", "pass", value=True, rationale="so", cost_usd=cost)
    return judges.Judged(result, notes=notes, **parts)


def script(folder: Path, name: str) -> Model:
    (folder / name).write_text('{"conversations": [{"turns": [{"say": "x"}]}]}')
    return resolve(f"script:{folder / name}", concurrency=1)


def test_a_scan_that_was_cut_is_said(tmp_path: Path) -> None:
    for cut in (False, True):
        verdict = draft(tmp_path).judged((), [passed("a")], Scan((), cut=cut))
        assert (SCAN_CUT in verdict.warnings) is cut


def test_what_judges_noticed_is_said_once_with_the_names_of_those_who_did(tmp_path: Path) -> None:
    spoken = [passed("a", "no log", "cut"), passed("b", "no log"), passed("c")]
    verdict = draft(tmp_path).judged((), spoken, NOTHING_FOUND)
    assert verdict.warnings == ("a, b: no log", "a: cut")


@pytest.mark.parametrize("more", [0, 1])
def test_what_judges_noticed_is_bounded(tmp_path: Path, more: int) -> None:
    notes = [f"note {number}" for number in range(MAX_VERDICT_NOTES + more)]
    warnings = draft(tmp_path).judged((), [passed("a", *notes)], NOTHING_FOUND).warnings
    assert len(warnings) == MAX_VERDICT_NOTES + more
    assert (warnings[-1] == "and 1 more notes of the judges") is bool(more)
    for length in (MAX_NOTE_CHARACTERS, MAX_NOTE_CHARACTERS + 1):
        spoken = [passed("a", "x" * (length - len("a: ")))]
        (warning,) = draft(tmp_path).judged((), spoken, NOTHING_FOUND).warnings
        assert len(warning) == MAX_NOTE_CHARACTERS
        assert warning.endswith("…") is (length > MAX_NOTE_CHARACTERS)


def test_what_several_judges_used_adds_up_and_every_model_is_named(tmp_path: Path) -> None:
    one, other = script(tmp_path, "one.yaml"), script(tmp_path, "other.yaml")
    spoken = [
        passed("a", cost=0.25, usage=Usage(1, 2, 3, 4, 1), model=one),
        passed("b", cost=0.5, usage=Usage(1, 1, 1, 1, 2), model=other),
        passed("c", cost=0.125, usage=Usage(calls=1), model=one),
        passed("d"),
    ]
    verdict = draft(tmp_path).judged((), spoken, NOTHING_FOUND)
    assert verdict.usage == Usage(2, 3, 4, 5, 4)
    assert verdict.cost_usd == 0.875
    assert verdict.model == "script:one.yaml, script:other.yaml"
    assert verdict.model_scripted
    assert draft(tmp_path).judged((), [passed("d")], NOTHING_FOUND).model is None
    unpriced = [*spoken, passed("e", cost=None)]
    assert draft(tmp_path).judged((), unpriced, NOTHING_FOUND).cost_usd is None


def test_a_copy_that_changed_outweighs_every_judge(tmp_path: Path) -> None:
    changed = JudgementError("snapshot_changed", "changed")
    verdict = draft(tmp_path).judged((), [passed("a")], NOTHING_FOUND, changed)
    assert (verdict.status, verdict.reason) == ("error", "changed")
    assert verdict.error is not None
    assert verdict.error.kind == "snapshot_changed"
    assert [result.status for result in verdict.judges] == ["pass"]
