"""Fold the requests and responses of one conversation into little space, and unfold them exactly.

Each request repeats the whole history. Every long string is kept once and every message once; what
is left of a request (system prompt, tools, options) is the same for thousands of bundles and is
kept by its hash outside. In the folded form a string that starts with "@" is either a reference
("@12", the twelfth long string) or a string whose own first character is the second "@" or later.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judge_bundles.limits import MAX_STORED_DEPTH, MIN_SHARED_TEXT_CHARACTERS
from judge_bundles.store import storable
from judge_bundles.store.records import CallRecord, JudgeTrace, Transcript
from judge_bundles.verdict import JSON

MESSAGES = "messages"


def settings(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with null in the place of its list of messages."""
    return {
        key: None if key == MESSAGES and _is_list(value) else value
        for key, value in request.items()
    }


def fold(calls: Sequence[CallRecord]) -> dict[str, Any]:
    """Return the messages of every request and every response as one JSON object."""
    folder = _Folder()
    folded = [
        {
            "messages": folder.messages(call.request.get(MESSAGES)),
            "response": folder.value(call.response, MAX_STORED_DEPTH),
        }
        for call in calls
    ]
    return {"texts": list(folder.texts), "messages": folder.kept, "calls": folded}


def unfold(
    folded: Mapping[str, Any], bodies: Iterable[Mapping[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Return (request, response) of each call; `bodies` are their `settings`, in order."""
    texts = folded["texts"]
    messages = [_unfold(message, texts) for message in folded["messages"]]
    return [
        (_request(body, messages, call["messages"]), _unfold(call["response"], texts))
        for body, call in zip(bodies, folded["calls"], strict=True)
    ]


def conversation(trace: JudgeTrace) -> Transcript:
    """Return what was said, each message once: what a call added, then what it answered."""
    said: list[Mapping[str, Any]] = []
    sent = 0
    answered = False
    for call in trace.calls:
        history = _list(call.request.get(MESSAGES))
        added = history[sent:]
        if answered and added and added[0].get("role") == "assistant":
            added = added[1:]  # the answer of the call before, sent back as history
        said.extend(added)
        sent = len(history)
        answered = call.response is not None
        if call.response is not None:
            said.append({"role": "assistant", "content": call.response.get("content")})
    system: JSON = trace.calls[0].request.get("system") if trace.calls else None
    return Transcript(trace.judge, trace.sample, trace.model, system, tuple(said))


class _Folder:
    """Collects long strings and messages in the order of their first appearance."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.kept: list[Any] = []
        self._numbers: dict[str, int] = {}

    def messages(self, history: Any) -> list[int] | None:
        """Return the number of each message; None when the request has no list of messages."""
        return [self._number(message) for message in history] if _is_list(history) else None

    def _number(self, message: Any) -> int:
        folded = self.value(message, MAX_STORED_DEPTH)
        number = self._numbers.setdefault(json.dumps(folded), len(self.kept))
        if number == len(self.kept):
            self.kept.append(folded)
        return number

    def value(self, value: Any, depth: int) -> Any:
        """Return `value` with references for its long strings."""
        if isinstance(value, str):
            return self._text(value)
        if depth == 0 and isinstance(value, (Mapping, list, tuple)):
            return storable.TOO_DEEP
        if isinstance(value, Mapping):
            return {key: self.value(item, depth - 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item, depth - 1) for item in value]
        return storable.number(value)

    def _text(self, value: str) -> str:
        if len(value) >= MIN_SHARED_TEXT_CHARACTERS:
            return f"@{self.texts.setdefault(value, len(self.texts))}"
        return f"@{value}" if value.startswith("@") else value


def _request(
    body: Mapping[str, Any], messages: Sequence[Any], numbers: Sequence[int] | None
) -> dict[str, Any]:
    if numbers is None:
        return dict(body)
    history = [messages[number] for number in numbers]
    return {key: history if key == MESSAGES else value for key, value in body.items()}


def _unfold(value: Any, texts: Sequence[str]) -> Any:
    if isinstance(value, str):
        return _unfold_text(value, texts)
    if isinstance(value, dict):
        return {key: _unfold(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_unfold(item, texts) for item in value]
    return value


def _unfold_text(value: str, texts: Sequence[str]) -> str:
    if not value.startswith("@"):
        return value
    rest = value[1:]
    return texts[int(rest)] if rest.isascii() and rest.isdigit() else rest


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _list(value: Any) -> list[Mapping[str, Any]]:
    return list(value) if isinstance(value, (list, tuple)) else []
