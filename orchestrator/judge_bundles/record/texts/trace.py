"""The tool calls of a run in their order, one line each: tool, arguments that matter, outcome."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from judge_bundles.limits import TextBudgets
from judge_bundles.record.record import Record
from judge_bundles.record.texts.cutting import line

_TELLING: Final = (
    "file_path",
    "notebook_path",
    "command",
    "keystrokes",
    "pattern",
    "path",
    "glob",
    "url",
    "query",
    "subagent_type",
    "description",
    "skill",
    "prompt",
)
"""Arguments that say what a call was about, the most telling first."""
_MAX_ARGUMENTS: Final = 3
_MAX_NAME_CHARACTERS: Final = 80
_FOR_THE_GAP: Final = 60


def tool_trace(record: Record, budgets: TextBudgets) -> str:
    """Return the trace; of one that is too long, calls in the middle are left out and counted."""
    calls = record["tool_calls"]
    if not calls:
        trajectory = record.trajectory
        if trajectory is None:
            return "(the bundle holds no trajectory)"
        if trajectory.format is None:
            return "(the trajectory is of no known format)"
        return "(no tool calls)"
    half = (budgets.tool_trace - _FOR_THE_GAP) // 2
    numbers = range(len(calls))
    first = _taken(calls, numbers, half, budgets.one_call)
    last = _taken(calls, reversed(numbers[len(first) :]), half, budgets.one_call)[::-1]
    between = len(calls) - len(first) - len(last)
    gap = [f"… {between:,} calls left out …"] if between else []
    return "\n".join([*first, *gap, *last])


def shown_call(call: Mapping[str, Any], limit: int) -> str:
    """Return one call in one line: `Read(file_path: a.md) → ok`."""
    name = line(call["name"] or "(unnamed tool)", _MAX_NAME_CHARACTERS)
    belongs = f"[subagent {line(call['subagent'], 40)}] " if call["subagent"] else ""
    outcome = _outcome(call, limit // 3)
    room = limit - len(belongs) - len(name) - len(outcome) - 6
    return line(f"{belongs}{name}({_arguments(call['input'], room)}) → {outcome}", limit)


def _taken(calls: list[Any], numbers: Iterable[int], budget: int, one_call: int) -> list[str]:
    taken: list[str] = []
    for number in numbers:
        text = f"{number + 1}. {shown_call(calls[number], one_call)}"
        budget -= len(text) + 1
        if budget < 0:
            break
        taken.append(text)
    return taken


def _arguments(given: Mapping[str, Any], room: int) -> str:
    keys = [key for key in _TELLING if key in given] or list(given)[:_MAX_ARGUMENTS]
    each = max(20, room // max(1, len(keys[:_MAX_ARGUMENTS])))
    return ", ".join(_argument(key, given[key], each) for key in keys[:_MAX_ARGUMENTS])


def _argument(key: str, value: Any, limit: int) -> str:
    if isinstance(value, (dict, list)):
        value = f"{len(value):,} {'keys' if isinstance(value, dict) else 'items'}"
    return line(f"{key[:limit]}: {str(value)[: limit + 1]}", limit)


def _outcome(call: Mapping[str, Any], limit: int) -> str:
    if call["result"] is None:
        return "no result"
    if call["is_error"] is True:
        result = call["result"]
        text = result if isinstance(result, str) else str(result.get("error") or "")
        return f"error: {line(text.strip(), limit)}" if text.strip() else "error"
    return "ok" if call["is_error"] is False else "done"
