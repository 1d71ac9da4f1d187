"""Look into events of the common shape; whatever is not of that shape is simply not there."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Block = dict[str, Any]

CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MEDIA: Final = frozenset({"image", "document"})
_SIDECHAIN: Final = "sidechain"


def is_result(block: Mapping[str, Any]) -> bool:
    """Whether a block is what a tool answered, those that ran on the model's server included."""
    kind = block.get("type")
    return isinstance(kind, str) and (kind == "tool_result" or kind.endswith("_tool_result"))


def blocks(event: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the content blocks of an event; one that is itself a call or a result is one block."""
    kind = event.get("type")
    if kind in ("tool_use", "tool_result"):
        yield dict(event)
        return
    if kind not in ("assistant", "user"):
        return
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else event.get("content")
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            yield {"type": "text", "text": item}
        elif isinstance(item, dict):
            yield item


def subagent(event: Mapping[str, Any]) -> str | None:
    """Return what identifies the subagent an event belongs to, None for the root agent."""
    parent = event.get("parent_tool_use_id")
    if isinstance(parent, str) and parent:
        return parent
    if event.get("isSidechain") is not True:
        return None
    agent = event.get("agentId")
    return agent if isinstance(agent, str) and agent else _SIDECHAIN


def result_value(content: Any) -> Any:
    """Return what a tool answered: one text, or an object as it is; media is named, not kept."""
    if content is None:
        return ""
    if isinstance(content, (str, dict)):
        return content
    if isinstance(content, list):
        return "\n".join(_shown(item) for item in content)
    return json.dumps(content)


def _shown(item: Any) -> str:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return json.dumps(item, ensure_ascii=False)
    if isinstance(item.get("text"), str):
        return str(item["text"])
    kind = item.get("type")
    source = item.get("source")
    media_type = source.get("media_type") if isinstance(source, dict) else None
    if kind in _MEDIA:
        return f"[{kind} {media_type}]" if isinstance(media_type, str) else f"[{kind}]"
    if isinstance(kind, str):
        return f"[{kind[:40]}]"
    return json.dumps(item, ensure_ascii=False)
