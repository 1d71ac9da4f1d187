"""What the agent did, counted and listed: for judges of behaviour who need no transcript."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from judge_bundles.limits import TextBudgets
from judge_bundles.record.files_read import FileRead, files_read
from judge_bundles.record.record import Record
from judge_bundles.record.texts.cutting import (
    MAX_PATH_CHARACTERS,
    end_cut,
    line,
    listed,
    paragraphs,
)
from judge_bundles.record.texts.outputs import modified
from judge_bundles.record.texts.trace import shown_call

_FACTS: Final = (
    ("num_turns", "Turns"),
    ("cost_usd", "Cost in US dollars"),
    ("total_tokens", "Tokens"),
    ("duration_s", "Seconds"),
    ("exit_code", "Exit code"),
)
_MAX_ERROR_CHARACTERS: Final = 300


def evidence(record: Record, budgets: TextBudgets) -> str:
    """Return the summary; a fact that nobody stated says so."""
    calls: list[dict[str, Any]] = record["tool_calls"]
    failed = [call for call in calls if call["is_error"] is True]
    fifth = budgets.evidence // 5
    sections = [
        "\n".join(_facts(record)),
        "\n".join([_counted(record, calls, failed), *_tools(calls, fifth)]),
        _section("Files read", _read(files_read(record)), fifth),
        _section("Files written", modified(record), fifth),
        _section("Errors", [shown_call(call, _MAX_ERROR_CHARACTERS) for call in failed], fifth),
    ]
    return end_cut(paragraphs(sections), budgets.evidence)


def _facts(record: Record) -> Iterator[str]:
    for key, name in _FACTS:
        value = record.get(key, "not known")
        yield f"{name}: {round(value, 6) if isinstance(value, float) else value}"


def _counted(record: Record, calls: list[dict[str, Any]], failed: list[dict[str, Any]]) -> str:
    trajectory = record.trajectory
    if trajectory is None or trajectory.format is None:
        return "Tool calls: not known, the bundle holds no trajectory of a known format"
    subagents = sum(1 for call in calls if call["subagent"])
    unanswered = sum(1 for call in calls if call["result"] is None)
    return (
        f"Tool calls: {len(calls):,} ({subagents:,} by subagents, {len(failed):,} with an error, "
        f"{unanswered:,} without a result)"
    )


def _tools(calls: Iterable[Mapping[str, Any]], budget: int) -> list[str]:
    numbers = Counter(call["name"] for call in calls)
    ordered = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return listed(
        [f"{line(name or '(unnamed)', 80)}: {number:,}" for name, number in ordered], budget
    )


def _read(reads: Iterable[FileRead]) -> list[str]:
    """Return each file once, with how it was looked into first."""
    shown: dict[str, str] = {}
    for read in reads:
        how = "searched" if read.searched else "read"
        by = f"{how} with {read.program or read.tool}" + (" by a subagent" if read.subagent else "")
        path = line(read.normalized, MAX_PATH_CHARACTERS)
        shown.setdefault(path, f"{path} ({line(by, 80)})")
    return list(shown.values())


def _section(title: str, lines: list[str], budget: int) -> str:
    if not lines:
        return f"{title}: none"
    return "\n".join([f"{title} ({len(lines):,}):", *listed(lines, budget)])
