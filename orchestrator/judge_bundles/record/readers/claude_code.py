"""Claude Code: what `--output-format stream-json` prints, and its session files.

Both are a line of JSON for each event (or an array of them). A stream marks subagents by
`parent_tool_use_id` and ends in a `result` with cost, turns and usage; a session marks them by
`isSidechain` and `agentId` and has no such end.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from judge_bundles.record.amounts import added_up, amount, count, first_amount
from judge_bundles.record.reader import Event, Reading, reader
from judge_prechecks.outcome import JSON
from judge_prechecks.present import counted

_COST: Final = ("total_cost_usd", "cost_usd")
_USAGE: Final = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


@reader("claude-code")
def read(document: JSON) -> Reading | None:
    """Read a list of events, or one event alone as `--output-format json` prints it."""
    values = document if isinstance(document, list) else [document]
    events = [value for value in values if isinstance(value, dict)]
    if not any(map(_is_event, events)):
        return None
    strays = len(values) - len(events)
    kept = _without_repetitions(events)
    result = _last_result(kept)
    milliseconds = amount(result.get("duration_ms"))
    notes = []
    if strays:
        notes.append(f"{counted(strays, 'line')} that hold no object skipped")
    if len(kept) < len(events):
        notes.append(f"{counted(len(events) - len(kept), 'event')} written twice, counted once")
    return Reading(
        events=kept,
        token_usage=_usage(result, kept),
        cost_usd=first_amount(result, _COST),
        num_turns=count(result.get("num_turns")),
        duration_s=None if milliseconds is None else milliseconds / 1000,
        cwd=next((cwd for one in kept if isinstance(cwd := one.get("cwd"), str) and cwd), None),
        final_text=text if isinstance(text := result.get("result"), str) else "",
        silence_is_success=True,
        ids_are_unique=True,
        notes=tuple(notes),
    )


def _is_event(event: Mapping[str, Any]) -> bool:
    kind = event.get("type")
    if kind in ("assistant", "user"):
        return isinstance(event.get("message"), dict) or "content" in event
    if kind == "tool_result":
        return "tool_use_id" in event
    if kind == "result":
        return bool(event.keys() & {"subtype", "total_cost_usd", "duration_ms"})
    return (kind == "system" and "subtype" in event) or (kind == "summary" and "leafUuid" in event)


def _without_repetitions(events: Iterable[Event]) -> list[Event]:
    """Leave out events that come again whole, as in a session that was taken up again."""
    seen: dict[str, Event] = {}
    kept = []
    for event in events:
        identity = event.get("uuid")
        known = seen.setdefault(identity, event) if isinstance(identity, str) else event
        if known is event or known != event:
            kept.append(event)
    return kept


def _last_result(events: Iterable[Event]) -> Mapping[str, Any]:
    """Return the last result of the run: its cost and usage are those of all before it."""
    found: Mapping[str, Any] = {}
    for event in events:
        if event.get("type") == "result":
            found = event
    return found


def _usage(result: Mapping[str, Any], events: Iterable[Event]) -> dict[str, Any] | None:
    """Return the usage that the result states, else the sum over all answers of the model.

    One answer is several events, each with the usage so far: the last one of an id counts.
    """
    stated = result.get("usage")
    if isinstance(stated, dict):
        return stated
    answers: dict[Any, Mapping[str, Any]] = {}
    for position, event in enumerate(events):
        message = event.get("message")
        if event.get("type") != "assistant" or not isinstance(message, dict):
            continue
        usage, identity = message.get("usage"), message.get("id")
        if isinstance(usage, dict):
            answers[identity if isinstance(identity, str) else position] = usage
    sums = added_up({key: one.get(key) for key in _USAGE} for one in answers.values())
    return sums or None
