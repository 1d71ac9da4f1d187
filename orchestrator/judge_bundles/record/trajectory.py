"""The trajectory of a bundle: found, read by whichever reader knows it, calls paired.

A file of a format that nobody knows still gives its events, but no tool calls: whether there were
any is then not known, and `format` is None.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.limits import RECORD_MAX_TRAJECTORY_BYTES, RECORD_MAX_TRAJECTORY_FILES
from judge_bundles.record.amounts import Amount, added_up
from judge_bundles.record.lenient_json import (
    Allowance,
    BrokenJsonError,
    parse,
    parse_lines,
)
from judge_bundles.record.pairing import ToolCall, conversation, pair
from judge_bundles.record.paths import DEFAULTS
from judge_bundles.record.reader import Event, Reading, readers, recognised
from judge_bundles.record.sources import Found, Sources
from judge_prechecks.names import show
from judge_prechecks.outcome import JSON
from judge_prechecks.patterns import Pattern
from judge_prechecks.present import counted
from judge_prechecks.tree import File

_START: Final = 1_024
"""Where the first character that is no blank must stand."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What the agent did. Nothing in it is from anywhere but the trajectory's own files."""

    format: str | None
    events: list[Event]
    tool_calls: list[ToolCall]
    conversation: str
    token_usage: dict[str, Any] | None = None
    cost_usd: Amount | None = None
    num_turns: int | None = None
    duration_s: Amount | None = None
    cwd: str | None = None


def find(sources: Sources, configured: str | None) -> Found | None:
    """Return the files of the trajectory: one, or all that a configured wildcard matches."""
    if configured is None:
        known = (name for one in readers() for name in one.files)
        return sources.one("events", (*DEFAULTS["events"], *known))
    if Pattern.compile(configured).components is None:
        return sources.configured("events", configured)
    return sources.some_configured("events", configured)


def load(sources: Sources, files: Sequence[File]) -> Trajectory | None:
    """Return the trajectory in these files, or None, with a note, when none of them is one."""
    if len(files) > RECORD_MAX_TRAJECTORY_FILES:
        left_out = counted(len(files) - RECORD_MAX_TRAJECTORY_FILES, "file")
        sources.notes.add(f"events: {left_out} of the trajectory left out")
    allowance = Allowance()
    left = RECORD_MAX_TRAJECTORY_BYTES
    parts: list[Trajectory] = []
    for file in files[:RECORD_MAX_TRAJECTORY_FILES]:
        data = sources.read("events", file, left)
        if data is None:
            continue
        left -= len(data)
        part = _trajectory(sources, file, data, allowance)
        if part is not None:
            parts.append(part)
    return _merged(parts) if len(parts) > 1 else next(iter(parts), None)


def _trajectory(
    sources: Sources, file: File, data: bytes, allowance: Allowance
) -> Trajectory | None:
    name = show(file.path)
    try:
        document = _document(sources, name, data, allowance)
    except BrokenJsonError as error:
        sources.notes.add(f"events: {name} cannot be used: {error}")
        return None
    known = recognised(document)
    if known is None:
        events = [one for one in _as_list(document) if isinstance(one, dict)]
        sources.notes.add(f"events: {name} is a trajectory of no known format")
        return Trajectory(None, events, [], "") if events else None
    reader, reading = known
    calls, notes = pair(reading)
    for note in (*reading.notes, *notes):
        sources.notes.add(f"events: {name}: {note}")
    return _of(reader.name, reading, calls)


def _of(name: str, reading: Reading, calls: list[ToolCall]) -> Trajectory:
    return Trajectory(
        format=name,
        events=reading.events,
        tool_calls=calls,
        conversation=conversation(reading.events) or reading.final_text,
        token_usage=reading.token_usage,
        cost_usd=reading.cost_usd,
        num_turns=reading.num_turns,
        duration_s=reading.duration_s,
        cwd=reading.cwd,
    )


def _document(sources: Sources, name: str, data: bytes, allowance: Allowance) -> JSON:
    """Return one document, or the list of the values of all lines; what it is shows on line one."""
    broken: BrokenJsonError | None = None
    if not _is_object(_first_line(data)):
        try:
            return parse(data, allowance)
        except BrokenJsonError as error:
            if data[:_START].lstrip().startswith(b"["):  # what is left of an array is no trajectory
                raise
            broken = error
    lines = parse_lines(data, allowance)
    if not lines.values:
        raise broken or BrokenJsonError("none of its lines is an event")
    if lines.broken:
        sources.notes.add(f"events: {name}: {counted(lines.broken, 'broken line')} skipped")
    if lines.left_out:
        sources.notes.add(
            f"events: {name}: {counted(lines.left_out, 'line')} left out, too many values"
        )
    return lines.values[0] if len(lines.values) == 1 and not lines.broken else lines.values


def _first_line(data: bytes) -> bytes:
    start = next((place for place, byte in enumerate(data[:_START]) if byte not in b" \t\r\n"), 0)
    end = data.find(b"\n", start)
    return data[start:] if end < 0 else data[start:end]


def _is_object(line: bytes) -> bool:
    """Whether the first line is an object by itself; a large one is a line by its closing brace."""
    return line.removeprefix(b"\xef\xbb\xbf").startswith(b"{") and line.rstrip().endswith(b"}")


def _as_list(document: JSON) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _merged(parts: Sequence[Trajectory]) -> Trajectory:
    """Return several files as one trajectory; a sum is only given of what can be added up."""
    usages = [part.token_usage for part in parts if part.token_usage is not None]
    return Trajectory(
        format=next((part.format for part in parts if part.format is not None), None),
        events=[event for part in parts for event in part.events],
        tool_calls=[call for part in parts for call in part.tool_calls],
        conversation="\n\n".join(part.conversation for part in parts if part.conversation),
        token_usage=added_up(usages) if usages else None,
        cost_usd=_only([part.cost_usd for part in parts]),
        num_turns=_only([part.num_turns for part in parts]),
        duration_s=_only([part.duration_s for part in parts]),
        cwd=next((part.cwd for part in parts if part.cwd is not None), None),
    )


def _only(values: Sequence[Any]) -> Any:
    """Return the one value that is known; of several nobody says how they go together."""
    known = [value for value in values if value is not None]
    return known[0] if len(known) == 1 else None
