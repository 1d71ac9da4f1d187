"""Pair the tool calls of a trajectory with their results, wherever in it the results stand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judge_bundles.record.blocks import CALLS, blocks, is_result, result_value, subagent
from judge_bundles.record.reader import Event, Reading
from judge_prechecks.present import counted

ToolCall = dict[str, Any]
"""`{name, input, result, is_error, id, subagent}`; `result` is None when there is none."""


@dataclass(slots=True)
class _Pairing:
    silence_is_success: bool
    ids_are_unique: bool
    calls: list[ToolCall] = field(default_factory=list)
    unanswered: dict[str, list[ToolCall]] = field(default_factory=dict)
    early: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """Results that stand before their call."""
    seen: dict[str, list[ToolCall]] = field(default_factory=dict)
    repeated: int = 0

    def call(self, block: Mapping[str, Any], belongs_to: str | None) -> None:
        identity = _identity(block.get("id"))
        call: ToolCall = {
            "name": name if isinstance(name := block.get("name"), str) else "",
            "input": given if isinstance(given := block.get("input"), dict) else _wrapped(given),
            "result": None,
            "is_error": None,
            "id": identity,
            "subagent": belongs_to,
        }
        if identity is None:
            self.calls.append(call)
            return
        if self.ids_are_unique and self._is_repeated(identity, call):
            self.repeated += 1
            return
        self.calls.append(call)
        if early := self.early.get(identity):
            self._answer(call, early.pop(0))
        else:
            self.unanswered.setdefault(identity, []).append(call)

    def result(self, block: Mapping[str, Any]) -> None:
        """Give a result to the latest call of its id that has none; one without a call waits."""
        identity = _identity(block.get("tool_use_id")) or ""
        if waiting := self.unanswered.get(identity):
            self._answer(waiting.pop(), block)
        elif not (self.ids_are_unique and identity in self.seen):
            self.early.setdefault(identity, []).append(block)

    def notes(self) -> list[str]:
        found = []
        if self.repeated:
            found.append(f"{counted(self.repeated, 'tool call')} written twice, counted once")
        if orphans := sum(map(len, self.early.values())):
            found.append(f"{counted(orphans, 'tool result')} without a call")
        return found

    def _is_repeated(self, identity: str, call: ToolCall) -> bool:
        known = self.seen.setdefault(identity, [])
        keys = ("name", "input", "subagent")
        if any(all(other[key] == call[key] for key in keys) for other in known):
            return True
        known.append(call)
        return False

    def _answer(self, call: ToolCall, block: Mapping[str, Any]) -> None:
        content = block.get("content")
        call["result"] = result_value(content)
        call["is_error"] = _is_error_block(content) or self._flag(block.get("is_error"))

    def _flag(self, value: Any) -> bool | None:
        if value is None:
            return False if self.silence_is_success else None
        return bool(value) and value not in ("false", "False", "0")


def pair(reading: Reading) -> tuple[list[ToolCall], list[str]]:
    """Return all calls in the order they were made, and notes about what did not fit."""
    pairing = _Pairing(reading.silence_is_success, reading.ids_are_unique)
    for event in reading.events:
        belongs_to = subagent(event)
        for block in blocks(event):
            if block.get("type") in CALLS:
                pairing.call(block, belongs_to)
            elif is_result(block):
                pairing.result(block)
    return pairing.calls, pairing.notes()


def conversation(events: Iterable[Event]) -> str:
    """Return what the root agent said, in paragraphs; no subagent, no tool, no thinking."""
    said = (
        text.strip()
        for event in events
        if event.get("type") == "assistant" and subagent(event) is None
        for block in blocks(event)
        if block.get("type") == "text" and isinstance(text := block.get("text"), str)
    )
    return "\n\n".join(text for text in said if text)


def _is_error_block(content: Any) -> bool:
    """Whether a tool of the model's server answered with its block for errors."""
    kind = content.get("type") if isinstance(content, dict) else None
    return isinstance(kind, str) and kind.endswith("_tool_result_error")


def _identity(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _wrapped(value: Any) -> dict[str, Any]:
    """Return arguments that are no object as one, so that nothing of them is lost."""
    return {} if value is None else {"input": value}
