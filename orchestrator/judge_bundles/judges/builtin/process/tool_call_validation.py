"""Every tool call of the run ended without an error.

Required fields: tool_calls
Failure means: A tool call failed, or nothing says how the tool calls went.
"""

import re
from typing import Any

from judge_bundles.record import Record
from judge_bundles.record.texts.trace import shown_call
from judge_prechecks.present import counted

_BEGINNING = 50
"""Characters of a text in which an error would be announced."""
_NO_ERROR = re.compile(
    r"""\b(?:0|no|zero|without)\s+errors?\b
      | \berrors?["']?\s*[:=]\s*(?:0\b(?!\.\d)|none\b|null\b|false\b|""|''|\[\s*\]|\{\s*\})""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_SHOWN = 5
_MAX_CALL_CHARACTERS = 300


def judge(outputs: Record) -> tuple[bool, str]:
    """Go by what the format says of each call, and by its result only where it says nothing."""
    trajectory = outputs.trajectory
    if trajectory is None or trajectory.format is None:
        return False, "The bundle holds no trace of tool calls in a known format"
    calls = outputs["tool_calls"]
    if not calls:
        return True, "No tool calls to validate"
    failed = [(number, call) for number, call in enumerate(calls, start=1) if _failed(call)]
    unanswered = sum(1 for call in calls if call["result"] is None)
    note = f" ({unanswered:,} without a result)" if unanswered else ""
    if not failed:
        return True, f"{counted(len(calls), 'tool call')}, none with an error{note}"
    shown = [f"{number}. {shown_call(call, _MAX_CALL_CHARACTERS)}" for number, call in failed]
    more = [f"and {len(failed) - _MOST_SHOWN:,} more"] if len(failed) > _MOST_SHOWN else []
    summary = f"{len(failed):,} of {counted(len(calls), 'tool call')} with an error{note}:"
    return False, "\n".join([summary, *shown[:_MOST_SHOWN], *more])


def _failed(call: dict[str, Any]) -> bool:
    if call["is_error"] is not None:
        return bool(call["is_error"])
    result = call["result"]
    if isinstance(result, dict):
        return bool(result.get("error"))
    if isinstance(result, str):
        return "error" in _NO_ERROR.sub("", result[:_BEGINNING]).lower()
    return False
