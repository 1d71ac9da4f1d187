"""What tests of reports share: verdicts, a stream that is a terminal, and what CI reads as commands."""

import io
import re
from dataclasses import replace
from typing import Any

from judge_bundles.verdict import PrecheckResult, Usage, Verdict, VerdictError

HOSTILE = "\x1b[2J::error::x\n::error::y \u202e ##[group]z ##vso[task.x]"


class Terminal(io.StringIO):
    """A stream that says it is a terminal; set COLUMNS and TERM for its width and abilities."""

    def isatty(self) -> bool:
        return True


def verdict(entry_id: str = "bundle", **changes: Any) -> Verdict:
    """Return a verdict of the gate."""
    known = Verdict(
        run_id="run",
        entry_id=entry_id,
        bundle_digest="sha256:0",
        rule="rule",
        rule_digest="sha256:1",
        status="pass",
        reason="so",
        stage="precheck",
        prechecks=(PrecheckResult(0, "json_valid", held=True, message="valid"),),
        latency_ms=1500,
    )
    return replace(known, **changes)


def judged(entry_id: str = "bundle", **changes: Any) -> Verdict:
    """Return a verdict that a model was asked for."""
    return verdict(entry_id, stage="judge", usage=Usage(10, 20, calls=2), **changes)


def error(entry_id: str = "bundle", **changes: Any) -> Verdict:
    """Return a verdict with status error."""
    why = VerdictError("budget", "spent", retryable=True)
    return verdict(entry_id, status="error", stage="judge", error=why, **changes)


_COMMAND = re.compile(r"^\s*::|##\w*\[")


def ci_commands(text: str) -> list[str]:
    """Return the lines that GitHub, Azure or TeamCity would obey."""
    return [line for line in re.split("[\n\r]", text) if _COMMAND.search(line)]
