import json
from typing import Any, get_args

import anthropic.types
import pytest

from judge_bundles.limits import MAX_REPLY_DEPTH
from judge_bundles.models.base import StopReason
from judge_bundles.models.reply import UnreadableReplyError, read
from tests.support import messages_server as fake

GOOD = dict(fake.message(fake.text("a"), fake.text("b")).body)


def encoded(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def nested(levels: int) -> dict[str, Any]:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    return fake.call("list_files", {"path": value})


def test_texts_are_joined_and_unknown_blocks_are_kept() -> None:
    blocks = [fake.text("a"), {"type": "from_the_future", "x": 1}, fake.text("b")]
    reply = read(encoded(content=blocks), request_id="req")
    assert (reply.text, list(reply.content), reply.tool_calls) == ("ab", blocks, ())


def test_every_stop_reason_of_the_sdk_is_known() -> None:
    assert set(get_args(StopReason)) == set(get_args(anthropic.types.StopReason))


@pytest.mark.parametrize("reason", [*get_args(StopReason), None])
def test_a_stop_reason_is_kept(reason: str | None) -> None:
    assert read(encoded(stop_reason=reason), request_id=None).stop_reason == reason


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON"),
        (b"not json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b'{"type": "error", "error": {"type": "api_error"}}', "type"),
        (encoded(role="user"), "role"),
        (encoded(content="text"), "content"),
        (encoded(content=["text"]), "content[0]"),
        (encoded(content=[{"text": "no type"}]), "type"),
        (encoded(content=[{"type": "text", "text": 1}]), "text"),
        (encoded(content=[{"type": "tool_use", "id": "t", "name": "n"}]), "tool_use"),
        (encoded(content=[{"type": "tool_use", "id": 1, "name": "n", "input": {}}]), "tool_use"),
        (encoded(content=[fake.call("n", "text")]), "an object as input"),
        (encoded(stop_reason="bored"), "bored"),
        (encoded(stop_reason=["end_turn"]), "stopped"),
        (encoded(usage=None), "usage"),
        (encoded(usage={"input_tokens": 1}), "output_tokens"),
        (encoded(usage={"input_tokens": -1, "output_tokens": 1}), "input_tokens"),
        (encoded(usage={"input_tokens": True, "output_tokens": 1}), "input_tokens"),
        (encoded(usage={"input_tokens": 1.5, "output_tokens": 1}), "input_tokens"),
        (encoded(content=[fake.call("n", {"x": float("nan")})]), "NaN"),
        (encoded().replace(b'"a"', b"1e999"), "too large"),
        (encoded().replace(b'"a"', b"9" * 5000), "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_rested_on_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        read(content, request_id=None)
    assert problem in str(caught.value)


def test_nesting_is_taken_up_to_its_limit_and_refused_past_it() -> None:
    around = 4  # the answer, its content, the block, its input
    at_limit = read(encoded(content=[nested(MAX_REPLY_DEPTH - around)]), request_id=None)
    assert len(at_limit.tool_calls) == 1
    with pytest.raises(UnreadableReplyError, match="nested too deeply"):
        read(encoded(content=[nested(MAX_REPLY_DEPTH - around + 1)]), request_id=None)
