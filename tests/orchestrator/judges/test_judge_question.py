from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from judge_bundles.agent.budget import RunBudget
from judge_bundles.judges.llm import Score, question
from judge_bundles.judges.question import Question
from judge_bundles.limits import MAX_RATIONALE_CHARACTERS, MODEL_MAX_UNREADABLE_REPLIES
from judge_bundles.models.base import ToolSpec
from judge_bundles.rules.judge_specs import LlmJudgeSpec
from tests.support import sdk_validation
from tests.support.questions import asked, kind

ASKED = question(LlmJudgeSpec("j", "llm", "unused", pass_fail=False), "Score the report.")
GOOD = {"rationale": "It is complete.", "score": 4}


def test_the_answer_is_the_one_call_of_the_tool() -> None:
    answer = asked(ASKED, {"thinking": "hm", "say": "I say 2.", "score": GOOD})
    assert answer.value == Score(4, "It is complete.")
    assert answer.error is None
    (call,) = answer.trace.calls
    assert call.cost_usd
    assert (answer.trace.judge, answer.trace.sample, answer.trace.steps) == ("j", 1, ())


def test_the_request_forces_the_tool_and_fits_the_api() -> None:
    (call,) = asked(ASKED, {"score": GOOD}).trace.calls
    body = dict(call.request)
    assert body["tool_choice"] == {"type": "tool", "name": "submit_score"}
    assert [tool["name"] for tool in body["tools"]] == ["submit_score"]
    assert sdk_validation.problem(body) is None


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({"stop_reason": "refusal"}, "refusal"),
        ({"score": GOOD, "stop_reason": "refusal"}, "refusal"),
        ({"score": GOOD, "stop_reason": "max_tokens"}, "output_truncated"),
        ({"stop_reason": "model_context_window_exceeded"}, "context_exceeded"),
        ({"say": "4 of 5"}, "no_verdict"),
        ({"say": "wait", "stop_reason": "pause_turn"}, "no_verdict"),
        ({"say": "4", "stop_reason": "stop_sequence"}, "no_verdict"),
        ({"submit": {"passed": True}}, "invalid_verdict"),
        ({"compare": {"reasoning": "x", "winner": "A"}}, "invalid_verdict"),
        ({"calls": [{"submit_score": GOOD}], "score": GOOD}, "invalid_verdict"),
        ({"calls": [{"read_file": {"path": "x"}}], "score": GOOD}, "invalid_verdict"),
    ],
)
def test_any_other_answer_is_an_error_at_once(turn: Mapping[str, Any], expected: str) -> None:
    answer = asked(ASKED, turn, {"score": GOOD})
    assert kind(answer) == expected
    assert len(answer.trace.calls) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "`rationale` is missing"),
        ({"rationale": "x"}, "`score` is missing"),
        ({"score": 4}, "`rationale` is missing"),
        (GOOD | {"confidence": 1}, "unknown key confidence"),
        (GOOD | {"passed": True}, "unknown key passed"),
        (GOOD | {"rationale": " \n"}, "`rationale` is no text"),
        (GOOD | {"rationale": None}, "`rationale` is no text"),
        (GOOD | {"rationale": ["x"]}, "`rationale` is no text"),
    ],
)
def test_the_input_has_the_two_keys_and_no_other(given: Mapping[str, Any], said: str) -> None:
    answer = asked(ASKED, {"score": dict(given)})
    assert kind(answer) == "invalid_verdict"
    assert answer.error is not None
    assert said in answer.error.message


def test_a_number_that_json_does_not_have_is_no_answer() -> None:
    body = '{"type": "message", "role": "assistant", "content": [], "usage": {"x": NaN}}'
    faults = [{"body": body, "times": MODEL_MAX_UNREADABLE_REPLIES + 1}]
    assert kind(asked(ASKED, {"score": GOOD, "fail": faults})) == "model_response"


@pytest.mark.parametrize("more", [0, 1])
def test_what_is_said_is_bounded(more: int) -> None:
    long = "x" * (MAX_RATIONALE_CHARACTERS + more)
    value = asked(ASKED, {"score": GOOD | {"rationale": long}}).value
    assert value is not None
    assert len(value.rationale) == MAX_RATIONALE_CHARACTERS
    assert value.rationale.endswith("…") is bool(more)


def test_a_server_that_fails_is_an_error_with_its_call_on_record() -> None:
    answer = asked(ASKED, {"score": GOOD, "fail": [{"status": 400, "message": "no such tool"}]})
    assert kind(answer) == "model_request"
    assert answer.trace.calls[0].error == "model_request: HTTP 400: no such tool"


def test_a_question_has_a_wall_time_and_books_the_call_it_gives_up() -> None:
    budget = RunBudget(Decimal(100))
    answer = asked(ASKED, {"score": GOOD, "delay_s": 30}, budget=budget, timeout_s=0.2)
    assert kind(answer) in {"timeout", "model_unreachable"}
    assert len(answer.trace.calls) == 1
    assert budget.spent > Decimal("0.2")


def test_nothing_is_asked_when_the_runs_money_is_spent() -> None:
    answer = asked(ASKED, {"score": GOOD}, budget=RunBudget(Decimal(1), Decimal(1)))
    assert kind(answer) == "budget"
    assert answer.trace.calls == ()


def test_a_fault_of_ours_keeps_what_was_paid() -> None:
    def broken(_given: Mapping[str, Any]) -> int:
        return 1 // 0

    tool = ToolSpec("submit_score", "x", {"type": "object", "properties": {}})
    faulty = Question("system", "text", tool, 1000, broken)
    answer = asked(faulty, {"score": GOOD})
    assert kind(answer) == "internal"
    assert len(answer.trace.calls) == 1
