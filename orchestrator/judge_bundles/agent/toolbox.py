"""Run the model's tool calls in the sandbox and turn the answers into blocks it can read."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judge_bundles import escape
from judge_bundles.agent.arguments import refusal
from judge_bundles.agent.conversation import text_block
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.prompt import fenced
from judge_bundles.agent.recorder import Recorder
from judge_bundles.agent.tools import TOOLS
from judge_bundles.limits import MAX_TOOL_CALLS_PER_TURN, MAX_TOOL_RESULT_CHARACTERS
from judge_bundles.models.base import Block, ToolCall
from judge_bundles.sandbox.protocol import Media, Sandbox, ToolReply


@dataclass(slots=True)
class Toolbox:
    """The tools of one judgement. `mark` fences what comes from the bundle."""

    sandbox: Sandbox
    looks: Looks
    recorder: Recorder
    mark: str
    _answered: dict[str, int] = field(default_factory=dict)

    async def run(self, call: ToolCall, turn: int, *, position: int) -> Block:
        """Answer one call, the `position`-th of its turn (from 1). Sandbox failures are raised."""
        if call.name not in TOOLS:
            named = escape.line(call.name, limit=80)
            return self._refuse(call, turn, f"There is no tool {named}.")
        if not isinstance(call.input, Mapping):
            return self._refuse(call, turn, "The input of a tool is an object.")
        if position > MAX_TOOL_CALLS_PER_TURN:
            return self._refuse(
                call, turn, f"At most {MAX_TOOL_CALLS_PER_TURN} calls are answered in one turn."
            )
        return await self._look(call, call.input, turn)

    def forget(self) -> None:
        """Answer repeated calls in full again, after earlier answers were cut from the conversation."""
        self._answered.clear()

    async def _look(self, call: ToolCall, arguments: Mapping[str, Any], turn: int) -> Block:
        if problem := refusal(TOOLS[call.name].spec, arguments):
            reply = ToolReply(problem, error_kind="bad_input")
            self.recorder.look(turn, call, reply, duration_ms=0)
            return _result(call, [text_block(escape.line(problem))], error=True)
        key = json.dumps([call.name, arguments], sort_keys=True)
        if earlier := self._answered.get(key):
            reply = ToolReply(
                f"Same call as in turn {earlier}, same answer: the bundle does not change."
            )
            self.recorder.look(turn, call, reply, duration_ms=0)
            return _result(call, [text_block(reply.text)])
        started = time.monotonic()
        reply = _bounded(await self.sandbox.call(call.name, arguments))
        self.recorder.look(
            turn, call, reply, duration_ms=round((time.monotonic() - started) * 1000)
        )
        self.looks.record(reply, self._queried(call.name, arguments))
        if reply.error_kind is None:
            self._answered[key] = turn
        blocks = [text_block(fenced(escape.json_value(reply.text), self.mark))]
        return _result(
            call,
            [*blocks, *(_media_block(media) for media in reply.media)],
            error=reply.error_kind is not None,
        )

    def _queried(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        path = arguments.get("path")
        if tool != "json_query" or not isinstance(path, str):
            return None
        return self.looks.resolve(path)

    def _refuse(self, call: ToolCall, turn: int, text: str) -> Block:
        self.recorder.refused(turn, call, text)
        return _result(call, [text_block(text)], error=True)


def _bounded(reply: ToolReply) -> ToolReply:
    """Withhold an answer larger than the server gives; what it claims cannot be trusted then."""
    if len(reply.text) <= MAX_TOOL_RESULT_CHARACTERS:
        return reply
    return ToolReply("The answer was too large; ask for less.", error_kind="too_large")


def _result(call: ToolCall, content: list[Block], *, error: bool = False) -> Block:
    block = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    return {**block, "is_error": True} if error else block


def _media_block(media: Media) -> Block:
    return {
        "type": media.kind,
        "source": {"type": "base64", "media_type": media.media_type, "data": media.data},
    }
