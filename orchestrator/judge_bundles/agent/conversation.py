"""The message list of one judgement: what is appended, and what is cut when it grows too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from judge_bundles.models.base import Block, Message, Reply

REMOVED: Final = (
    "[This result was removed to fit the context window. Call the tool again if it is needed.]"
)
CUT_OFF: Final = "[This answer was cut off.]"
"""Stands for an answer of which nothing could be kept; roles go on alternating."""
_TRIMMED_SHARE: Final = 2
"""One trim removes at least the n-th part of all result characters still there."""


@dataclass(slots=True)
class Conversation:
    """Messages in the form of the Messages API. Roles alternate; content is a list of blocks."""

    messages: list[dict[str, Any]] = field(default_factory=list)

    def say(self, *blocks: Block) -> None:
        """Append user content; it joins the last message where that is the user's already."""
        if self.messages and self.messages[-1]["role"] == "user":
            self.messages[-1]["content"].extend(blocks)
        else:
            self.messages.append({"role": "user", "content": list(blocks)})

    def take(self, reply: Reply) -> None:
        """Append the assistant's answer unchanged."""
        self.messages.append({"role": "assistant", "content": list(reply.content)})

    def take_without_calls(self, reply: Reply) -> None:
        """Append an answer that was cut: its text stays, its unfinished tool calls go."""
        kept = [block for block in reply.content if block.get("type") == "text" and block["text"]]
        self.messages.append({"role": "assistant", "content": kept or [text_block(CUT_OFF)]})

    def snapshot(self) -> Sequence[Message]:
        """Return the messages as they stand, safe from later changes."""
        return [{**message, "content": list(message["content"])} for message in self.messages]

    def trim(self) -> bool:
        """Remove the oldest tool results; False when there is nothing left to remove."""
        places = [
            (message["content"], position)
            for message in self.messages
            for position, block in enumerate(message["content"])
            if block.get("type") == "tool_result" and block["content"] != REMOVED
        ]
        wanted = sum(_size(content[position]) for content, position in places) / _TRIMMED_SHARE
        removed = 0
        for content, position in places:
            if removed and removed >= wanted:
                break
            removed += _size(content[position])
            content[position] = {**content[position], "content": REMOVED}
        return removed > 0


def text_block(text: str) -> Block:
    """Return a text block."""
    return {"type": "text", "text": text}


def _size(block: Block) -> int:
    return len(str(block["content"]))
