"""Turn a `Request` into the exact JSON body of `POST /v1/messages`.

Pure: no SDK, no network. Cache markers stand on blocks, the one form every Messages server knows;
nothing else of a message is changed, so thinking blocks go back with their signatures intact.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from judge_bundles import escape
from judge_bundles.models.base import Block, Message, Request, ToolSpec

CACHE_MARK: Final[Mapping[str, str]] = {"type": "ephemeral"}
_MARKED_USER_MESSAGES: Final = 2
"""The newest prefix is written; the one before it is what the previous call wrote. The server looks
back only 20 blocks from a marker, which one turn of parallel tool calls can exceed."""
_CACHEABLE: Final = frozenset({"text", "image", "document", "tool_result"})


def body(model: str, request: Request) -> dict[str, Any]:
    """Return the body that asks `model` to answer `request`."""
    sent: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": _messages(request.messages, repeated=request.repeated),
    }
    if request.system:
        system = {"type": "text", "text": request.system}
        sent["system"] = [{**system, "cache_control": dict(CACHE_MARK)}]
    if request.tools:
        sent["tools"] = [_tool(tool) for tool in request.tools]
        sent["tool_choice"] = _tool_choice(request.tool_choice)
    if request.effort is not None:
        sent["output_config"] = {"effort": request.effort}
    if request.thinking is not None:
        sent["thinking"] = dict(request.thinking)
    whole: dict[str, Any] = escape.json_value(sent)  # a lone surrogate is no valid JSON text
    return whole


def _tool(tool: ToolSpec) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.input_schema),
    }
    return {**sent, "strict": True} if tool.strict else sent


def _tool_choice(choice: str) -> dict[str, str]:
    return {"type": choice} if choice in {"auto", "any"} else {"type": "tool", "name": choice}


def _messages(messages: Sequence[Message], *, repeated: bool) -> list[dict[str, Any]]:
    from_user = [index for index, message in enumerate(messages) if message["role"] == "user"]
    marked = set(from_user[-_MARKED_USER_MESSAGES:]) if repeated else set()
    return [
        _with_mark(message) if index in marked else dict(message)
        for index, message in enumerate(messages)
    ]


def _with_mark(message: Message) -> dict[str, Any]:
    """Copy `message` with a cache marker on its last block that may carry one."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    for index in range(len(blocks) - 1, -1, -1):
        if _may_carry_mark(blocks[index]):
            blocks[index] = {**blocks[index], "cache_control": dict(CACHE_MARK)}
            break
    return {**message, "content": blocks}


def _may_carry_mark(block: Block) -> bool:
    return block["type"] in _CACHEABLE and block.get("text") != ""
