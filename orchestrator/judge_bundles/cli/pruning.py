"""Remove old runs from the store, and say what went."""

import sys
from dataclasses import asdict

from judge_bundles import escape
from judge_bundles.cli.choices import RecordFormat
from judge_bundles.cli.interruption import raise_at_signals
from judge_bundles.limits import MIB
from judge_bundles.reports.style import counted
from judge_bundles.store.records import Pruned
from judge_bundles.store.retention import prune as prune_store


def prune(keep_days: int, output: RecordFormat, url: str | None, *, dry_run: bool) -> None:
    """Remove, or with `dry_run` only count, what no newer run needs."""
    raise_at_signals()  # an interruption leaves each run whole
    pruned = prune_store(url, keep_days=keep_days, dry_run=dry_run)
    if output is RecordFormat.json:
        sys.stdout.write(escape.json_text({"dry_run": dry_run} | asdict(pruned), indent=2) + "\n")
        return
    for line in _lines(pruned, dry_run=dry_run):
        print(line)


def _lines(pruned: Pruned, *, dry_run: bool) -> list[str]:
    did = "would remove" if dry_run else "removed"
    verdicts, runs = counted(pruned.verdicts, "verdict"), counted(pruned.runs, "whole run")
    lines = [
        f"{did} {verdicts} with their traces: {runs}, and parts of {pruned.thinned:,} more",
        f"kept {counted(pruned.kept, 'older verdict')} that no newer one stands in for",
    ]
    if pruned.bytes_before is not None and pruned.bytes_after is not None:
        lines.append(f"store: {_mib(pruned.bytes_before)} before, {_mib(pruned.bytes_after)} now")
    if pruned.not_reclaimed is not None:
        # The message of a failed store names the file and may quote what the system said.
        lines.append(escape.line(f"space was not given back: {pruned.not_reclaimed}"))
    return lines


def _mib(size: int) -> str:
    return f"{size / MIB:,.1f} MiB"
