"""What a scripted conversation answers to a request body. Pure: no state, no clock, no transport.

The turn follows from the number of assistant messages in the body alone, so a repeated request or
a resumed run gets the same answer.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from judge_bundles.models.script.format import Conversation, Turn, TurnUsage

MODEL_NAME: Final = "script"
_CHARACTERS_PER_TOKEN: Final = 4
_OVER: Final = Turn(say="the script has no further turns")


def turn_index(body: Mapping[str, Any]) -> int:
    """Return which turn `body` asks for, from 0."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def turn_for(conversation: Conversation, body: Mapping[str, Any]) -> Turn:
    """Return the turn `body` asks for, past the end one that says so."""
    return conversation.turn_at(turn_index(body)) or _OVER


def answer(conversation: Conversation, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response body: a whole message of the Messages API."""
    index = turn_index(body)
    turn = turn_for(conversation, body)
    content = _content(turn, index)
    return {
        "id": f"msg_script_{index}",
        "type": "message",
        "role": "assistant",
        "model": MODEL_NAME,
        "content": content,
        "stop_reason": turn.stop_reason or ("tool_use" if turn.tool_calls else "end_turn"),
        "stop_sequence": None,
        "usage": _usage(turn.usage or _estimate(body, content)),
    }


def _content(turn: Turn, index: int) -> list[dict[str, Any]]:
    thinking = (
        {"type": "thinking", "thinking": text, "signature": f"script-{index}"}
        for text in [turn.thinking]
        if text
    )
    said = ({"type": "text", "text": text} for text in [turn.say] if text)
    calls = (
        {"type": "tool_use", "id": f"toolu_script_{index}_{number}", "name": name, "input": value}
        for number, (name, value) in enumerate(turn.tool_calls)
    )
    return [*thinking, *said, *calls]


def _estimate(body: Mapping[str, Any], content: list[dict[str, Any]]) -> TurnUsage:
    return TurnUsage(input_tokens=_tokens(body), output_tokens=_tokens(content))


def _tokens(value: Any) -> int:
    return max(1, len(json.dumps(value, ensure_ascii=False)) // _CHARACTERS_PER_TOKEN)


def _usage(tokens: TurnUsage) -> dict[str, int]:
    return {
        "input_tokens": tokens.input_tokens,
        "output_tokens": tokens.output_tokens,
        "cache_read_input_tokens": tokens.cache_read_tokens,
        "cache_creation_input_tokens": tokens.cache_write_tokens,
    }
