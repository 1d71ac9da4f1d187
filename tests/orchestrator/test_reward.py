import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.reward import with_reward
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import Rule
from judge_bundles.verdict import JudgeResult, PrecheckResult, Verdict, VerdictError

QUALITY = {"name": "quality", "prompt": "Score it. {{ outputs }}"}
SAFE = {"name": "safe", "llm_rubric": "Nothing harmful."}
GATE = [{"type": "file_present", "path": "report.md"}]


def rule(folder: Path, **document: Any) -> Rule:
    (folder / "rule.json").write_text(json.dumps({"name": "r", "model": "m"} | document))
    return load_rule(folder / "rule.json")


def verdict(*results: JudgeResult, **parts: Any) -> Verdict:
    made = Verdict("run", "e", "sha256:0", "r", "sha256:1", "pass", "so", "judge", judges=results)
    return replace(made, **parts)


def scored(value: float) -> JudgeResult:
    return JudgeResult("quality", "llm", "scored", value)


def said(*, yes: bool) -> JudgeResult:
    return JudgeResult("safe", "llm", "pass" if yes else "fail", yes)


def test_by_default_the_mean_of_the_numbers_counts_and_a_no_is_nothing(tmp_path: Path) -> None:
    found = rule(tmp_path, judges=[QUALITY, SAFE])
    assert with_reward(verdict(scored(3), said(yes=True)), found).reward == 0.5
    assert with_reward(verdict(scored(3), said(yes=False), status="fail"), found).reward == 0.0


def test_a_reward_block_decides(tmp_path: Path) -> None:
    found = rule(tmp_path, judges=[QUALITY, SAFE], reward={"weights": {"quality": 3, "safe": 1}})
    assert with_reward(verdict(scored(3), said(yes=True)), found).reward == 0.625


def test_a_rule_that_is_a_gate_with_a_rubric_gives_none(tmp_path: Path) -> None:
    judged = JudgeResult("rubric", "agent", "pass", value=True)
    plain = rule(tmp_path, rubric="x")
    assert with_reward(verdict(judged), plain).reward is None
    assert with_reward(verdict(judged), rule(tmp_path, rubric="x", reward="rubric")).reward == 1.0
    assert with_reward(verdict(), rule(tmp_path, prechecks=GATE)).reward is None


def test_after_a_failed_gate_it_is_nothing_and_of_an_error_there_is_none(tmp_path: Path) -> None:
    found = rule(tmp_path, prechecks=GATE, judges=[QUALITY], reward="quality")
    failed = (PrecheckResult(0, "file_present", held=False, message="no"),)
    gated = verdict(status="fail", stage="precheck", prechecks=failed)
    assert with_reward(gated, found).reward == 0.0
    error = VerdictError("timeout", "late", retryable=True)
    broken = JudgeResult("quality", "llm", "error", error=error)
    held = (PrecheckResult(0, "file_present", held=True, message="yes"),)
    told = with_reward(verdict(broken, status="error", error=error, prechecks=held), found)
    assert (told.reward, told.warnings) == (None, ("no reward: quality ended in error",))


def test_why_there_is_none_is_said_only_where_one_was_asked_for(tmp_path: Path) -> None:
    skipped = JudgeResult("quality", "llm", "skipped")
    asked = rule(tmp_path, judges=[QUALITY], reward="quality")
    assert with_reward(verdict(skipped), asked).warnings == ("no reward: quality skipped",)
    default = with_reward(verdict(skipped), rule(tmp_path, judges=[QUALITY]))
    assert (default.reward, default.warnings) == (None, ())


@pytest.mark.parametrize("block", ["quality", {"formula": "quality * 2"}])
def test_a_verdict_that_is_reused_gets_its_reward_anew(tmp_path: Path, block: Any) -> None:
    old = verdict(scored(5), reward=0.1, warnings=("other", "no reward: quality skipped"))
    anew = with_reward(old, rule(tmp_path, judges=[QUALITY], reward=block))
    assert anew.reward == (1.0 if block == "quality" else 2.0)
    assert anew.warnings == ("other",)
    gone = with_reward(old, rule(tmp_path, rubric="x"))
    assert (gone.reward, gone.warnings) == (None, ("other",))
