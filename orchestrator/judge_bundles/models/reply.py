"""Read the body of a Messages response: strictly in what judging rests on, else untouched.

The blocks are kept exactly as they came, so that they can be sent back and recorded. Nothing is
repaired or defaulted here; what does not fit raises `UnreadableReplyError`.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, Final, get_args

from judge_bundles.limits import MAX_REPLY_DEPTH
from judge_bundles.models.base import Reply, StopReason, ToolCall
from judge_bundles.verdict import Usage

_STOP_REASONS: Final = frozenset(get_args(StopReason))


class UnreadableReplyError(Exception):
    """The server answered with success, but not with a message this program can rest on."""


def read(content: bytes, *, request_id: str | None) -> Reply:
    """Return the reply in `content`, the JSON text of one message."""
    raw = _object(_parse(content), "the answer")
    _expect(raw.get("type") == "message", "the answer's type is not 'message'")
    _expect(raw.get("role") == "assistant", "the answer's role is not 'assistant'")
    blocks = raw.get("content")
    _expect(isinstance(blocks, list), "the answer's content is not a list")
    assert isinstance(blocks, list)
    kept = tuple(_object(block, f"content[{index}]") for index, block in enumerate(blocks))
    return Reply(
        content=kept,
        stop_reason=_stop_reason(raw.get("stop_reason")),
        text="".join(_text(block) for block in kept),
        tool_calls=tuple(_tool_call(block) for block in kept if block.get("type") == "tool_use"),
        usage=_usage(raw.get("usage")),
        model=str(raw.get("model", "")),
        request_id=request_id,
        raw=raw,
    )


def _parse(content: bytes) -> Any:
    try:
        value = json.loads(
            content.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite
        )
        _require_depth(value, MAX_REPLY_DEPTH)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadableReplyError(f"the answer is not JSON: {reason}") from None
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


def _require_depth(value: Any, left: int) -> None:
    if left < 0:
        raise RecursionError
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _require_depth(item, left - 1)


def _expect(holds: bool, problem: str) -> None:  # noqa: FBT001  a condition reads best in first place
    if not holds:
        raise UnreadableReplyError(problem)


def _object(value: Any, name: str) -> Mapping[str, Any]:
    _expect(isinstance(value, dict), f"{name} is not an object")
    assert isinstance(value, dict)
    return value


def _stop_reason(value: Any) -> StopReason | None:
    if value is None:
        return None
    _expect(
        isinstance(value, str) and value in _STOP_REASONS,
        f"the answer stopped for a reason this program does not know: {str(value)[:40]}",
    )
    reason: StopReason = value
    return reason


def _text(block: Mapping[str, Any]) -> str:
    _expect(isinstance(block.get("type"), str), "a content block has no type")
    if block["type"] != "text":
        return ""
    text = block.get("text")
    _expect(isinstance(text, str), "a text block has no text")
    return str(text)


def _tool_call(block: Mapping[str, Any]) -> ToolCall:
    identifier, name = block.get("id"), block.get("name")
    _expect(
        isinstance(identifier, str)
        and isinstance(name, str)
        and isinstance(block.get("input"), dict),
        "a tool_use block lacks its id, its name or an object as input",
    )
    return ToolCall(id=str(identifier), name=str(name), input=block["input"])


def _usage(value: Any) -> Usage:
    usage = _object(value, "the answer's usage")
    return Usage(
        input_tokens=_count(usage, "input_tokens", required=True),
        output_tokens=_count(usage, "output_tokens", required=True),
        cache_read_tokens=_count(usage, "cache_read_input_tokens"),
        cache_write_tokens=_count(usage, "cache_creation_input_tokens"),
        calls=1,
    )


def _count(usage: Mapping[str, Any], key: str, *, required: bool = False) -> int:
    value = usage.get(key)
    if value is None and not required:
        return 0
    _expect(
        isinstance(value, int) and not isinstance(value, bool) and value >= 0,
        f"the answer's usage.{key} is not a number of tokens",
    )
    return int(value or 0)
