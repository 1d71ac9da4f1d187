"""The list of the runs that are kept, for people."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from judge_bundles.reports.style import hanging, money, plain
from judge_bundles.store.records import RunCounts, RunRecord

NARROW_COLUMNS = 140
"""Below this width a run gets two lines of its own instead of a row."""
MAX_NAME_CHARACTERS = 40
_STATUS_STYLE = {
    "completed": "green",
    "running": "cyan",
    "failed": "red",
    "interrupted": "yellow",
    "cancelled": "yellow",
}


def print_runs(console: Console, runs: Sequence[RunRecord]) -> None:
    """Print one row for each run, or two lines where there is no room for a row."""
    if console.width >= NARROW_COLUMNS:
        console.print(_table(runs))
        return
    for run in runs:
        heading = Text.assemble(_name(run), "  ", _status(run), "  ")
        heading.append(_counts(run.counts))
        console.print(heading)
        console.print(hanging(Text("  "), Text.assemble(_rules(run), " on ", _sources(run))))


def _table(runs: Sequence[RunRecord]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("run", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for heading in ("passed", "failed", "errors", "pending", "cost"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("rules", overflow="fold", ratio=1)
    table.add_column("sources", overflow="fold", ratio=2)
    for run in runs:
        counts = run.counts
        numbers = (counts.passed, counts.failed, counts.errored, counts.pending)
        table.add_row(
            _name(run),
            _status(run),
            *(str(number) for number in numbers),
            money(counts.cost_usd),
            _rules(run),
            _sources(run),
        )
    return table


def _name(run: RunRecord) -> Text:
    name = f" {run.name}" if run.name else ""
    return Text.assemble(plain(run.run_id, style="bold"), plain(name, limit=MAX_NAME_CHARACTERS))


def _status(run: RunRecord) -> Text:
    return plain(run.status, style=_STATUS_STYLE.get(run.status, ""))


def _counts(counts: RunCounts) -> str:
    parts = [f"{counts.passed} passed", f"{counts.failed} failed", f"{counts.errored} errors"]
    if counts.pending:
        parts.append(f"{counts.pending} pending")
    return f"{', '.join(parts)}  {money(counts.cost_usd)}"


def _rules(run: RunRecord) -> Text:
    return plain(", ".join(rule.name for rule in run.rules))


def _sources(run: RunRecord) -> Text:
    return plain(", ".join(run.sources))
