import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.bundles.discover import Entry
from judge_bundles.errors import ModelSetupError
from judge_bundles.plan import Plan, resolve_models, worst_case
from judge_bundles.rules.load import load_rule

SCRIPT = {"conversations": [{"turns": [{"say": "x"}]}]}
PRICES = {"input": 1, "output": 2, "cache_read": 1, "cache_write": 5}


def plan(folder: Path, rule: dict[str, Any], *, priced: bool = True, **options: Any) -> Plan:
    script = SCRIPT | ({"prices": PRICES} if priced else {})
    (folder / "s.yaml").write_text(json.dumps(script))
    (folder / "rule.json").write_text(json.dumps({"model": f"script:{folder}/s.yaml"} | rule))
    entries = tuple(Entry(f"e{index}", f"/e{index}", "folder") for index in range(3))
    return Plan(("r",), entries, (load_rule(folder / "rule.json"),), **options)


def most(planned: Plan) -> Decimal | None:
    return worst_case(planned)


def test_the_most_a_run_can_cost_takes_every_turn_of_every_judge_at_its_dearest(
    tmp_path: Path,
) -> None:
    rule = {"rubric": "x", "samples": 2, "max_tokens": 1000, "limits": {"max_turns": 10}}
    one_turn = (Decimal(5) * 200_000 + Decimal(2) * 1000) / 1_000_000
    assert most(plan(tmp_path, rule)) == one_turn * 10 * 2 * 3


@pytest.mark.parametrize(
    ("limits", "each"),
    [({"max_cost_usd": 0.25}, "0.25"), ({"max_tokens_total": 100_000}, "0.5")],
)
def test_limits_of_the_rule_bound_it(tmp_path: Path, limits: dict[str, Any], each: str) -> None:
    one_turn = (Decimal(5) * 200_000 + Decimal(2) * 1000) / 1_000_000
    rule = {"rubric": "x", "limits": limits, "max_tokens": 1000}
    assert (
        most(plan(tmp_path, rule)) == (Decimal(each) + one_turn) * 3
    )  # passed by one call at most


def test_the_limit_of_the_run_bounds_it(tmp_path: Path) -> None:
    assert most(plan(tmp_path, {"rubric": "x"}, max_cost=Decimal("0.1"))) == Decimal("0.1")


def test_an_unknown_price_is_unknown_and_no_limit_in_dollars_can_be_kept(tmp_path: Path) -> None:
    assert most(plan(tmp_path, {"rubric": "x"}, priced=False)) is None
    for planned in (
        plan(tmp_path, {"rubric": "x"}, priced=False, max_cost=Decimal(1)),
        plan(tmp_path, {"rubric": "x", "limits": {"max_cost_usd": 1}}, priced=False),
    ):
        with pytest.raises(ModelSetupError, match="price"):
            resolve_models(planned)


def test_a_gate_only_run_needs_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)
    planned = plan(tmp_path, {"rubric": "x"})
    (tmp_path / "rule.json").write_text('{"rubric": "x"}')
    without = replace(planned, rules=(load_rule(tmp_path / "rule.json"),))
    with pytest.raises(ModelSetupError, match="--model"):
        resolve_models(without)
    assert resolve_models(replace(without, prechecks_only=True)) == {}
    assert most(replace(without, prechecks_only=True)) == 0


def test_what_a_run_could_cost_is_told_without_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    rule = {"rubric": "x", "model": "claude-opus-5-5", "limits": {"max_turns": 1}}
    cost = most(plan(tmp_path, rule))
    assert cost is not None
    assert cost > 0


QUALITY = {"name": "quality", "prompt": "Score it. {{ outputs }}", "samples": 3, "max_tokens": 1000}
CHECK = {"name": "checked", "check": "return True"}
PAIRWISE = {"name": "pairwise", "prompt": "Which is better?", "max_tokens": 1000}


def test_an_llm_judge_costs_one_call_a_sample_and_a_comparison_two(tmp_path: Path) -> None:
    call = (Decimal(5) * 200_000 + Decimal(2) * 1000) / 1_000_000
    assert most(plan(tmp_path, {"judges": [QUALITY, CHECK]})) == call * 3 * 3
    compared = {"judges": [CHECK, PAIRWISE]}
    assert most(plan(tmp_path, compared)) == 0
    assert most(plan(tmp_path, compared, baseline="run")) == call * 2 * 3


@pytest.mark.parametrize(
    ("judge", "options", "named"),
    [
        (QUALITY, {}, "quality"),
        (PAIRWISE, {"baseline": "run"}, "pairwise"),
        (PAIRWISE, {}, None),
        (QUALITY, {"prechecks_only": True}, None),
    ],
)
def test_a_model_is_asked_for_only_by_judges_that_will_ask_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    judge: dict[str, Any],
    options: dict[str, Any],
    named: str | None,
) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)
    planned = plan(tmp_path, {"judges": [CHECK, judge]}, **options)
    assert list(resolve_models(planned)) == ([f"script:{tmp_path}/s.yaml"] if named else [])
    (tmp_path / "rule.json").write_text(json.dumps({"judges": [CHECK, judge]}))
    without = replace(planned, rules=(load_rule(tmp_path / "rule.json"),))
    if named is None:
        assert resolve_models(without) == {}
        return
    with pytest.raises(ModelSetupError, match=f"judge {named} needs a model"):
        resolve_models(without)


def test_a_price_is_asked_for_only_where_dollars_are_limited(tmp_path: Path) -> None:
    rule = {"judges": [QUALITY]}
    assert resolve_models(plan(tmp_path, rule, priced=False))
    with pytest.raises(ModelSetupError, match="price"):
        resolve_models(plan(tmp_path, rule, priced=False, max_cost=Decimal(1)))
    unpriced = plan(tmp_path, {"judges": [CHECK]}, priced=False, max_cost=Decimal(1))
    assert resolve_models(unpriced) == {}
    assert most(unpriced) == 0
