"""mini-swe-agent: a `.traj.json` with `info` and `messages`, of version 1 (text) and 2 (tool calls).

There is one tool, a shell. Its commands are in `extra.actions` or `tool_calls`; in version 1 only in
the text, as the one block fenced as shell code. A command that exits with a number other than 0 is
an error of that call, which is what Claude Code's shell tool calls an error too.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from judge_bundles.record.amounts import added_up, amount, count
from judge_bundles.record.reader import Event, Reading, reader
from judge_prechecks.outcome import JSON

_TOOL: Final = "bash"
_FENCED: Final = re.compile(r"(?ms)^```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n```")
_RETURN_CODE: Final = re.compile(r"\s*<returncode>(-?\d{1,10})</returncode>")
_USAGE: Final = (
    ("prompt_tokens", "completion_tokens", "total_tokens"),
    ("input_tokens", "output_tokens", "total_tokens"),
)


@reader("mini-swe-agent", files=("*.traj.json",))
def read(document: JSON) -> Reading | None:
    """Read one trajectory file."""
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return None
    info = _object(document.get("info"))
    stated = document.get("trajectory_format")
    named = isinstance(stated, str) and stated.startswith("mini-swe-agent")
    if not named and not ("mini_version" in info or "model_stats" in info):
        return None
    messages = [one for one in document["messages"] if isinstance(one, dict)]
    statistics = _object(info.get("model_stats"))
    cwd = _object(_object(info.get("config")).get("environment")).get("cwd")
    return Reading(
        events=_Conversion().events(messages),
        token_usage=_usage(messages),
        cost_usd=amount(statistics.get("instance_cost")),
        num_turns=count(statistics.get("api_calls")),
        cwd=cwd if isinstance(cwd, str) and cwd else None,
    )


class _Conversion:
    """Messages become events; a message of the user answers the commands before it in turn."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._pending: list[str] = []
        self._made = 0

    def events(self, messages: Iterable[Mapping[str, Any]]) -> list[Event]:
        for message in messages:
            self._convert(message)
        return self._events

    def _convert(self, message: Mapping[str, Any]) -> None:
        role = message.get("role")
        if message.get("object") == "response" or role == "assistant":
            self._answer(message)
        elif message.get("type") == "function_call_output":
            self._observation(message, message.get("call_id"), message.get("output"))
        elif role == "tool":
            self._observation(message, message.get("tool_call_id"), message.get("content"))
        elif role == "user" and self._pending and _answers_a_command(message):
            self._observation(message, None, message.get("content"))
        else:
            kind = role if role in ("system", "user") else "system"
            self._add(kind, message, [{"type": "text", "text": _text(message.get("content"))}])

    def _answer(self, message: Mapping[str, Any]) -> None:
        text = _text(message.get("content") or message.get("output"))
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        self._pending = []
        for command, identity in _commands(message, text):
            self._made += 1
            name = identity if isinstance(identity, str) and identity else f"call-{self._made}"
            self._pending.append(name)
            content.append({"type": "tool_use", "id": name, "name": _TOOL, "input": command})
        self._add("assistant", message, content)

    def _observation(self, message: Mapping[str, Any], identity: Any, output: Any) -> None:
        if isinstance(identity, str) and identity in self._pending:
            self._pending.remove(identity)
        elif self._pending:
            identity = self._pending.pop(0)
        result = {
            "type": "tool_result",
            "tool_use_id": identity,
            "content": output,
            "is_error": _is_error(_object(message.get("extra")), output),
        }
        self._add("user", message, [result])

    def _add(self, kind: str, message: Mapping[str, Any], content: list[dict[str, Any]]) -> None:
        event: Event = {"type": kind, "message": {"role": kind, "content": content}}
        stamp = amount(_object(message.get("extra")).get("timestamp"))
        self._events.append(event if stamp is None else {**event, "timestamp": stamp})


def _answers_a_command(message: Mapping[str, Any]) -> bool:
    """Whether it is what a command printed, and no reminder of the form an answer must have."""
    extra = _object(message.get("extra"))
    return "interrupt_type" not in extra and "exit_status" not in extra


def _commands(message: Mapping[str, Any], text: str) -> list[tuple[dict[str, Any], Any]]:
    """Return the arguments of each call and its id, where it has one."""
    actions = _object(message.get("extra")).get("actions")
    if isinstance(actions, list):
        return [
            ({"command": one.get("command")}, one.get("tool_call_id"))
            for one in actions
            if isinstance(one, dict)
        ]
    calls = message.get("tool_calls") or message.get("output")
    if isinstance(calls, list):
        found = [_of_call(one) for one in calls if isinstance(one, dict)]
        return [one for one in found if one is not None]
    fenced = _FENCED.findall(text)
    return [({"command": fenced[0].strip()}, None)] if len(fenced) == 1 else []


def _of_call(call: Mapping[str, Any]) -> tuple[dict[str, Any], Any] | None:
    if call.get("type") not in ("function", "function_call", None):
        return None
    arguments = _object(call.get("function")).get("arguments") or call.get("arguments")
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        parsed = None
    identity = call.get("call_id") or call.get("id")
    return (parsed if isinstance(parsed, dict) else {"arguments": arguments}), identity


def _is_error(extra: Mapping[str, Any], output: Any) -> bool | None:
    if extra.get("exception_info"):
        return True
    code = extra.get("returncode")
    if isinstance(code, int):
        return code != 0
    match = _RETURN_CODE.match(output) if isinstance(output, str) else None
    return None if match is None else int(match[1]) != 0


def _usage(messages: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the sum of what the answers of the API state, of the kind that comes first."""
    usages = []
    for message in messages:
        response = _object(_object(message.get("extra")).get("response"))
        usage = response.get("usage") or message.get("usage")
        if isinstance(usage, dict):
            usages.append(usage)
    for names in _USAGE:
        sums = added_up({name: usage.get(name) for name in names} for usage in usages)
        if sums:
            return sums
    return None


def _text(content: Any) -> str:
    """Return the text of a message, of the parts of one, or of the items of a response."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = []
    for item in content:
        if not isinstance(item, dict):
            continue
        if isinstance(item.get("text"), str):
            parts.append(item["text"])
        elif item.get("type") == "message":
            parts.append(_text(item.get("content")))
    return "\n".join(part for part in parts if part)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
