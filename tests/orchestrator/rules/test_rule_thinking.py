import typing
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import ThinkingConfigParam

from judge_bundles.limits import MIN_THINKING_TOKENS
from judge_bundles.models import base
from judge_bundles.rules import model, thinking
from tests.support.rule_files import agent_judge, load, refusal


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("adaptive", {"type": "adaptive"}),
        ("disabled", {"type": "disabled"}),
        ("between_tools", {"type": "between_tools"}),
        ({"type": "adaptive", "display": "omitted"}, {"type": "adaptive", "display": "omitted"}),
        ({"type": "disabled"}, {"type": "disabled"}),
        (
            {"type": "enabled", "budget_tokens": MIN_THINKING_TOKENS, "display": "summarized"},
            {"type": "enabled", "budget_tokens": MIN_THINKING_TOKENS, "display": "summarized"},
        ),
    ],
)
def test_thinking_is_a_word_or_the_form_of_the_messages_api(
    tmp_path: Path, written: Any, resolved: dict[str, str | int]
) -> None:
    assert agent_judge(load(tmp_path, {"rubric": "r", "thinking": written})).thinking == resolved


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("enabled", "must be one of `adaptive`, `disabled`, `between_tools`, or a mapping with the key `type`"),
        (True, "must be one of `adaptive`, `disabled`, `between_tools`, or a mapping with the key `type`"),
        ({}, "needs a `type` that is one of `adaptive`, `between_tools`, `disabled`, `enabled`"),
        ({"type": ["enabled"]}, "needs a `type` that is one of `adaptive`, `between_tools`, `disabled`, `enabled`"),
        ({"type": "enabled"}, "of type `enabled` needs `budget_tokens`, a whole number of at least 1024"),
        ({"type": "enabled", "budget_tokens": MIN_THINKING_TOKENS - 1}, "of type `enabled` needs `budget_tokens`, a whole number of at least 1024"),
        ({"type": "enabled", "budget_tokens": "2048"}, "of type `enabled` needs `budget_tokens`, a whole number of at least 1024"),
        ({"type": "disabled", "display": "omitted"}, "of type `disabled` does not take the key `display`"),
        ({"type": "adaptive", "budget_tokens": 2048}, "of type `adaptive` does not take the key `budget_tokens`"),
        ({"type": "adaptive", "display": "full"}, "takes as `display` only `summarized` or `omitted`"),
        ({"type": "adaptive", "display": None}, "takes as `display` only `summarized` or `omitted`"),
        (None, "has no value: write one, or leave the key out"),
    ],
)  # fmt: skip
def test_thinking_that_can_never_be_right_is_refused(
    tmp_path: Path, written: Any, message: str
) -> None:
    rule = {"rubric": "r", "thinking": written}
    assert refusal(tmp_path, rule) == [f"rule.json:1: thinking: {message}"]


@pytest.mark.parametrize("max_tokens", [2048, 2049])
def test_the_budget_must_be_below_max_tokens(tmp_path: Path, max_tokens: int) -> None:
    rule = {
        "rubric": "r",
        "max_tokens": max_tokens,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
    }
    if max_tokens > 2048:
        load(tmp_path, rule)
    else:
        assert refusal(tmp_path, rule) == [
            "rule.json:1: thinking.budget_tokens: `budget_tokens` 2048 must be below `max_tokens` 2048"
        ]


def test_the_kinds_of_thinking_and_the_efforts_are_those_of_the_sdk_and_the_model() -> None:
    kinds = {
        typing.get_args(
            typing.get_args(typing.get_type_hints(arm, include_extras=True)["type"])[0]
        )[0]
        for arm in typing.get_args(ThinkingConfigParam)
    }
    assert set(thinking._KEYS) == kinds
    assert typing.get_args(model.Effort) == typing.get_args(base.Effort)
