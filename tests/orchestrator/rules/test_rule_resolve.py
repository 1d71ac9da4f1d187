from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judge_bundles import limits
from judge_bundles.errors import RuleError
from judge_bundles.rules import (
    AgentJudgeSpec,
    Criterion,
    JudgementLimits,
    MustRead,
    SandboxLimits,
)
from tests.support.rule_files import agent_judge, load


def test_a_rubric_is_sugar_for_one_agent_judge_with_every_default(tmp_path: Path) -> None:
    rule = load(tmp_path, {"rubric": "good"}, "audit.v2.json")
    assert rule.name == "audit.v2"
    assert rule.judges == (AgentJudgeSpec(name="rubric", rubric="good"),)
    assert agent_judge(rule).limits == JudgementLimits(
        max_turns=limits.DEFAULT_MAX_TURNS, timeout_s=limits.DEFAULT_TIMEOUT_S
    )
    assert rule.warnings == ()


@pytest.mark.parametrize("name", ["監査\u3000一", "a\\b", "n\u00a0n", ":: #1 ✓"])
def test_a_name_may_be_any_visible_text(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, {"rubric": "r", "name": name}).name == name


def test_every_key_reaches_the_judge(tmp_path: Path) -> None:
    rule = load(
        tmp_path,
        {
            "$schema": "rule.schema.json",
            "name": "audit",
            "description": "about",
            "rubric": "good",
            "criteria": [{"id": "a", "text": " first \n"}],
            "json": {"duplicate_keys": "last"},
            "model": "claude",
            "effort": "xhigh",
            "thinking": "adaptive",
            "max_tokens": 5000,
            "samples": 3,
            "limits": {
                "max_turns": 7, "timeout_s": 60, "max_tokens_total": 1000, "max_cost_usd": 0.1,
            },
            "evidence": "flag",
            "must_read": [{"path": "report.md"}, {"path": "*.json", "min_coverage": 0.5}],
            "sandbox": {"memory": "1GiB", "cpus": 2, "pids": 128, "runtime": "runsc"},
        },
    )  # fmt: skip
    assert (rule.name, rule.description, rule.model) == ("audit", "about", "claude")
    assert rule.json_options.duplicate_keys == "last"
    assert rule.judges == (
        AgentJudgeSpec(
            name="rubric",
            rubric="good",
            criteria=(Criterion("a", "first"),),
            model="claude",
            effort="xhigh",
            thinking={"type": "adaptive"},
            max_tokens=5000,
            samples=3,
            limits=JudgementLimits(7, 60.0, 1000, Decimal("0.1")),
            evidence="flag",
            must_read=(MustRead("report.md"), MustRead("*.json", 0.5)),
            sandbox=SandboxLimits(1024 * limits.MIB, 2.0, 128, "runsc"),
        ),
    )


def test_criteria_need_no_rubric(tmp_path: Path) -> None:
    rule = load(tmp_path, {"criteria": [{"id": "a", "text": "t"}]})
    assert agent_judge(rule).rubric == "The bundle is good when it meets every criterion."


def test_an_array_alone_is_a_gate_named_after_its_file(tmp_path: Path) -> None:
    rule = load(tmp_path, [{"type": "file_present", "path": "report.md"}], "gate.json", model="m")
    assert (rule.name, rule.judges, rule.model) == ("gate", (), None)


@pytest.mark.parametrize(
    ("option", "own", "inherited", "model", "source"),
    [
        ("option", "own", "env", "option", "--model"),
        (None, "own", "env", "own", "rule"),
        (None, None, "env", "env", "EVAL_JUDGE_MODEL"),
        (None, None, " ", None, None),
        (None, None, None, None, None),
        (" padded ", None, None, "padded", "--model"),
    ],
)
def test_the_strongest_model_wins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str | None,
    own: str | None,
    inherited: str | None,
    model: str | None,
    source: str | None,
) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)
    if inherited is not None:
        monkeypatch.setenv("EVAL_JUDGE_MODEL", inherited)
    keys = {"rubric": "good"} | ({"model": own} if own else {})
    rule = load(tmp_path, keys, model=option)
    assert (rule.model, rule.model_source, agent_judge(rule).model) == (model, source, model)


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_model_option_is_a_mistake_and_not_no_option(tmp_path: Path, blank: str) -> None:
    with pytest.raises(RuleError, match="--model is blank"):
        load(tmp_path, {"rubric": "good"}, model=blank)


@pytest.mark.parametrize(
    ("keys", "warnings"),
    [
        ({"samples": 3, "model": "m"}, ("`model`, `samples`: of no effect without `rubric`, `rubric_file` or `criteria`",)),
        ({"samples": 3, "rubric": "r"}, ()),
        ({"rubric": "r", "limits": {"max_turns": 1}}, ("limits.max_turns: with one turn nothing can be inspected, so nothing can pass",)),
        ({"rubric": "r", "limits": {"max_turns": 2}}, ()),
    ],
)  # fmt: skip
def test_what_is_allowed_but_doubtful_is_a_warning(
    tmp_path: Path, keys: dict[str, Any], warnings: tuple[str, ...]
) -> None:
    prechecks = [{"type": "file_present", "path": "report.md"}]
    assert load(tmp_path, {"prechecks": prechecks, **keys}).warnings == warnings


def test_the_name_of_a_file_that_is_not_unicode_is_shown_escaped(tmp_path: Path) -> None:
    assert load(tmp_path, {"rubric": "r"}, "a\udcff\n.json").name == "a\\xff\\n"
