import copy
from dataclasses import replace
from typing import Any

import pytest

from judge_bundles.models import wire
from judge_bundles.models.base import Effort, Request
from tests.orchestrator.models.model_cases import REQUEST
from tests.support import sdk_validation

MARK = {"type": "ephemeral"}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def marked_places(body: dict[str, Any]) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, message in enumerate(body["messages"])
        for j, block in enumerate(message["content"])
        if "cache_control" in block
    ]


def test_a_whole_body_looks_like_this() -> None:
    request = replace(
        REQUEST, tool_choice="submit_verdict", effort="high", thinking={"type": "adaptive"}
    )
    assert wire.body("claude-x", request) == {
        "model": "claude-x",
        "max_tokens": 1000,
        "system": [{"type": "text", "text": "You judge bundles.", "cache_control": MARK}],
        "messages": [user({**text("Judge."), "cache_control": MARK})],
        "tools": [
            {
                "name": "list_files",
                "description": "List files.",
                "input_schema": {"type": "object", "properties": {}},
            },
            {
                "name": "submit_verdict",
                "description": "Submit.",
                "input_schema": {"type": "object", "properties": {"passed": {"type": "boolean"}}},
                "strict": True,
            },
        ],
        "tool_choice": {"type": "tool", "name": "submit_verdict"},
        "output_config": {"effort": "high"},
        "thinking": {"type": "adaptive"},
    }


@pytest.mark.parametrize("choice", ["auto", "any", "list_files"])
@pytest.mark.parametrize("effort", [None, "low", "medium", "high", "xhigh", "max"])
@pytest.mark.parametrize(
    "thinking", [None, {"type": "adaptive"}, {"type": "enabled", "budget_tokens": 2000}]
)
def test_every_option_fits_the_types_of_the_sdk(
    choice: str, effort: Effort | None, thinking: dict[str, Any] | None
) -> None:
    request = replace(REQUEST, tool_choice=choice, effort=effort, thinking=thinking)
    assert sdk_validation.problem(wire.body("claude-x", request)) is None


def test_messages_that_are_sent_once_are_not_marked_for_the_cache() -> None:
    body = wire.body("claude-x", replace(REQUEST, repeated=False))
    assert marked_places(body) == []
    assert body["system"][0]["cache_control"] == MARK  # it is the same for many bundles


def test_what_is_not_asked_for_is_not_sent() -> None:
    request = Request(system="", messages=[user(text("Hi"))], tools=[], max_tokens=1)
    assert set(wire.body("claude-x", request)) == {"model", "max_tokens", "messages"}


def test_the_last_two_user_messages_carry_a_marker_and_a_body_never_more_than_four() -> None:
    turns = [m for n in range(6) for m in (user(text(f"q{n}"), text("more")), assistant(text("a")))]
    body = wire.body("claude-x", replace(REQUEST, messages=[*turns, user(text("last"))]))
    assert marked_places(body) == [(10, 1), (12, 0)]
    assert str(body).count("cache_control") <= 4


def test_the_marker_stands_on_the_last_block_that_may_carry_one() -> None:
    body = wire.body("claude-x", replace(REQUEST, messages=[user(text("kept"), text(""))]))
    assert marked_places(body) == [(0, 0)]


def test_a_message_that_is_plain_text_is_marked_as_a_block() -> None:
    body = wire.body("claude-x", replace(REQUEST, messages=[{"role": "user", "content": "Hi"}]))
    assert body["messages"] == [user({**text("Hi"), "cache_control": MARK})]


def test_results_images_and_documents_fit_the_types_of_the_sdk() -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "aGk="}
    result = {
        "type": "tool_result",
        "tool_use_id": "t",
        "is_error": True,
        "content": [
            text("a"),
            {"type": "image", "source": image},
            {"type": "document", "source": pdf},
        ],
    }
    call = {"type": "tool_use", "id": "t", "name": "read_file", "input": {}}
    messages = [user(text("q")), assistant(call), user(result)]
    body = wire.body("claude-x", replace(REQUEST, messages=messages))
    assert marked_places(body) == [(0, 0), (2, 0)]
    assert sdk_validation.problem(body) is None


def test_the_request_itself_is_left_as_it_was() -> None:
    before = copy.deepcopy(REQUEST.messages)
    wire.body("claude-x", REQUEST)
    assert REQUEST.messages == before
