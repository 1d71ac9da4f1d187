"""What a run says while it goes: a live display on a terminal, events everywhere else. Never stdout."""

import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from judge_bundles import escape, log
from judge_bundles.reports.style import money
from judge_bundles.verdict import Verdict

MAX_REASON_CHARACTERS = 300
WIDE_COLUMNS = 118
"""From this width on there is room for a bar beside the numbers."""


@dataclass(slots=True)
class Events:
    """One structured line for each thing that happened."""

    def started(self, run_id: str, pending: int) -> None:
        """Log it."""
        log.get_logger().info("run_started", run_id=run_id, verdicts_pending=pending)

    def judged(self, verdict: Verdict) -> None:
        """Log it; an error is a warning."""
        logger = log.get_logger()
        write = logger.warning if verdict.error else logger.info
        extra: dict[str, str] = {}
        if verdict.error:
            extra["error_kind"] = verdict.error.kind
        if verdict.reused_from:
            extra["reused_from"] = verdict.reused_from
        write(
            "bundle_judged",
            run_id=verdict.run_id,
            entry_id=verdict.entry_id,
            rule=verdict.rule,
            status=verdict.status,
            stage=verdict.stage,
            reason=escape.line(log.redact(verdict.reason), limit=MAX_REASON_CHARACTERS),
            cost_usd=verdict.cost_usd,
            latency_ms=verdict.latency_ms,
            **extra,
        )

    def display(self) -> AbstractContextManager[Any]:
        """Show nothing."""
        return nullcontext()


@dataclass(slots=True)
class Live:
    """A bar with rate, remaining time, counts and cost so far."""

    console: Console
    _bar: Progress = field(init=False)
    _task: Any = None
    _counts: dict[str, int] = field(default_factory=lambda: {"pass": 0, "fail": 0, "error": 0})
    _cost: float | None = 0.0
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        wide = self.console.width >= WIDE_COLUMNS
        bar = (TextColumn("judging"), BarColumn(bar_width=30)) if wide else ()
        elapsed = (TimeElapsedColumn(),) if wide else ()
        self._bar = Progress(
            *bar,
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            *elapsed,
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
            redirect_stdout=False,
        )

    def started(self, run_id: str, pending: int) -> None:
        """Set the bar's length."""
        self.console.print(f"run {run_id}", style="dim")
        self._task = self._bar.add_task("judging", total=pending, counts=self._text())

    def judged(self, verdict: Verdict) -> None:
        """Advance."""
        self._counts[verdict.status] += 1
        known = self._cost is not None and verdict.cost_usd is not None
        self._cost = (self._cost or 0.0) + (verdict.cost_usd or 0.0) if known else None
        self._bar.update(self._task, advance=1, counts=self._text())

    def display(self) -> AbstractContextManager[Any]:
        """Draw until the context ends."""
        return self._bar

    def _text(self) -> str:
        counts = self._counts
        done = sum(counts.values())
        rate = done / max(time.monotonic() - self._began, 0.001)
        cost = "" if self._cost == 0 else f"  {money(self._cost)}"
        return (
            f"{counts['pass']} passed {counts['fail']} failed {counts['error']} errors  "
            f"{rate:.1f}/s{cost}"
        )
