"""The budget at its edge, and what a cost that nobody states comes to."""

from typing import Any, Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeAnswer
from tests.orchestrator.record.bundles import STREAM
from tests.support.builtin_judges import answers
from tests.support.judge_code import Files


def cost(amount: Any) -> Files:
    return {"run_result.json": {"cost_usd": amount}}


CASES: Final[dict[str, tuple[dict[str, Any], Files, bool, str]]] = {
    "below": ({}, cost(0.5), True, "$0.50 is within the budget of $1.00"),
    "equal": ({}, cost(1.0), True, "$1.00 is within the budget of $1.00"),
    "equal as a whole number": ({"max_cost_usd": 2}, cost(2), True, "$2.00 is within the budget of $2.00"),
    "the page's example": ({"max_cost_usd": 0.25}, {"events.jsonl": STREAM}, True, "$0.25 is within the budget of $0.25"),
    "hardly above": ({}, cost(1.004), False, "$1.004 exceeds the budget of $1.000"),
    "above in the last digit": ({}, cost(1.0000000000000002), False, "$1.0000000000000002 exceeds the budget of $1.0"),
    "hardly below": ({}, cost(0.9999), True, "$0.9999 is within the budget of $1.0000"),
    "next to nothing": ({}, cost(0.00042), True, "$0.0004 is within the budget of $1.0000"),
    "nothing": ({}, cost(0), True, "$0.00 is within the budget of $1.00"),
    "nothing is allowed": ({"max_cost_usd": 0}, cost(0.001), False, "$0.001 exceeds the budget of $0.000"),
    "large": ({}, cost(1234.5), False, "$1,234.50 exceeds the budget of $1.00"),
    "not stated": ({}, {"a.md": "x"}, False, "No cost data available"),
    "no cost at all": ({}, cost(None), False, "No cost data available"),
    "negative": ({}, cost(-1), False, "No cost data available"),
    "text": ({}, cost("0.1"), False, "No cost data available"),
    "true": ({}, cost(True), False, "No cost data available"),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CodeAnswer | JudgementError]:
    cases = {name: (arguments, files) for name, (arguments, files, *_) in CASES.items()}
    return answers(tmp_path_factory.mktemp("cost"), "cost_budget", cases)


@pytest.mark.parametrize("name", CASES)
def test_a_cost_up_to_the_budget_passes(
    found: dict[str, CodeAnswer | JudgementError], name: str
) -> None:
    _, _, passed, said = CASES[name]
    answer = found[name]
    assert isinstance(answer, CodeAnswer), answer
    assert answer.value is passed
    assert said in answer.rationale


def test_a_budget_that_is_none_is_the_judges_error(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("budget")
    found = answers(folder, "efficiency/cost_budget", {"b": ({"max_cost_usd": -1}, cost(1))})
    error = found["b"]
    assert isinstance(error, JudgementError)
    assert "max_cost_usd has to be a number of at least 0, not -1" in error.message
    assert "of efficiency/cost_budget)" in error.message
