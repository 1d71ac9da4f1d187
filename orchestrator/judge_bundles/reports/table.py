"""The result of a run as a table for people."""

import shlex
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from judge_bundles.reports.scores import Scores
from judge_bundles.reports.scores_table import print_scores
from judge_bundles.reports.style import counted, money, plain, status
from judge_bundles.reports.summary import Summary
from judge_bundles.verdict import Verdict

MAX_REASON_CHARACTERS = 400
NARROW_COLUMNS = 100
"""Below this width the columns that `show` has as well give way to the reason."""


def print_table(
    console: Console,
    run_id: str,
    verdicts: Sequence[Verdict],
    total: Summary,
    *,
    scores: Scores | None = None,
    store: str | None = None,
) -> None:
    """Print one row for each verdict, then the judges over all of them, then the totals."""
    several_rules = len({verdict.rule for verdict in verdicts}) > 1
    wide = console.width >= NARROW_COLUMNS
    table = Table(box=box.SIMPLE_HEAD, expand=False, pad_edge=False, show_edge=False)
    table.add_column("bundle", overflow="fold", ratio=2)
    if several_rules:
        table.add_column("rule", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    if wide:
        table.add_column("by", no_wrap=True)
        table.add_column("looks", justify="right", no_wrap=True)
        table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold", ratio=5)
    for verdict in verdicts:
        table.add_row(
            plain(verdict.entry_id),
            *([plain(verdict.rule)] if several_rules else []),
            status(verdict.status),
            *(_details(verdict) if wide else []),
            _reason(verdict),
        )
    console.print(table)
    console.print()
    if scores is not None:
        print_scores(console, scores)
    for line in total_lines(run_id, total, store):
        console.print(line)


def total_lines(run_id: str, total: Summary, store: str | None = None) -> list[Text]:
    """Return the lines under the table. `store` is the address the user gave, if any."""
    counts = Text.assemble(
        (f"{total.passed} passed", "green" if total.passed else ""),
        ", ",
        (f"{total.failed} failed", "red" if total.failed else ""),
        ", ",
        (f"{total.errored} errors", "yellow" if total.errored else ""),
    )
    if total.unjudged:
        counts.append(f", {total.unjudged} left unjudged", style="yellow")
    if total.reused:
        counts.append(f" ({total.reused} reused from earlier runs)")
    if total.usage.calls:
        counts.append(f"  ·  {counted(total.usage.calls, 'model call')}, {money(total.cost_usd)}")
    hint = f"run {run_id}: judge-bundles show {run_id} BUNDLE{_store_option(store)}"
    lines = [counts, plain(hint, style="dim")]
    if total.scripted:
        lines.insert(
            1,
            Text("Scripted answers: the embedded offline model replied, no model judged.", "bold"),
        )
    return lines


def _store_option(store: str | None) -> str:
    """Return the option that finds the run again; an address with a password is not repeated."""
    if not store:
        return ""
    return f" --store {shlex.quote(store)}" if store.startswith("sqlite:") else " --store URL"


def _details(verdict: Verdict) -> list[str]:
    return [
        {"intake": "intake", "precheck": "gate", "judge": "judge"}[verdict.stage],
        str(len(verdict.inspected)) if verdict.inspected else "",
        money(verdict.cost_usd) if verdict.usage.calls else "",
    ]


def _reason(verdict: Verdict) -> Text:
    reason = plain(verdict.reason, limit=MAX_REASON_CHARACTERS)
    if verdict.error:
        reason = Text.assemble((f"{verdict.error.kind}: ", "yellow"), reason)
    if verdict.injection_suspected:
        count = len(verdict.injection_suspected)
        places = "1 place addresses" if count == 1 else f"{count} places address"
        reason.append(f"  [{places} the evaluator]", "magenta")
    return reason
