"""Print what the store holds: a run, one verdict with its trace, the list of runs."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judge_bundles import escape
from judge_bundles.cli.choices import RecordFormat
from judge_bundles.errors import UserError
from judge_bundles.reports.records import as_json, record
from judge_bundles.reports.runs import print_runs
from judge_bundles.reports.show import print_verdict
from judge_bundles.reports.style import console
from judge_bundles.reports.summary import summarise
from judge_bundles.reports.table import print_table
from judge_bundles.reports.transcript import print_transcript
from judge_bundles.store.records import RunRecord
from judge_bundles.store.storable import stored_id
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a run is to be shown."""

    run: str
    entry: str | None = None
    rule: str | None = None
    transcript: bool = False
    store: str | None = None


def show(wanted: Wanted, output: RecordFormat, url: str | None, *, color: bool | None) -> None:
    """Print the verdicts of a run, or those of one entry with their traces."""
    if wanted.transcript and wanted.entry is None:
        raise UserError("--transcript needs an ENTRY: a run's transcripts are too long to print")
    with Store.open(url, create=False) as store:
        run = store.run(wanted.run)
        if wanted.entry is None:
            _show_run(store, run, wanted, output, color=color)
        else:
            _show_entry(store, run, wanted, output, color=color)


def runs(limit: int, output: RecordFormat, url: str | None, *, color: bool | None) -> None:
    """List the newest runs."""
    with Store.open(url, create=False) as store:
        records = store.runs(limit=limit)
    if output is RecordFormat.json:
        _print_json([asdict(one) | {"counts": _counts(one)} for one in records])
        return
    if not records:
        print("no runs yet")
        return
    print_runs(console(sys.stdout, color=color), records)


def _show_run(
    store: Store, run: RunRecord, wanted: Wanted, output: RecordFormat, *, color: bool | None
) -> None:
    verdicts = store.verdicts(run.run_id, rule=wanted.rule)
    if output is RecordFormat.json:
        sys.stdout.write(as_json(verdicts))
        return
    total = summarise(verdicts, unjudged=run.counts.pending if wanted.rule is None else 0)
    print_table(console(sys.stdout, color=color), run.run_id, verdicts, total, store=wanted.store)


def _show_entry(
    store: Store, run: RunRecord, wanted: Wanted, output: RecordFormat, *, color: bool | None
) -> None:
    verdicts = _of_entry(store, run, wanted)
    if output is RecordFormat.json:
        _print_json([_with_trace(store, run, verdict) for verdict in verdicts])
        return
    screen = console(sys.stdout, color=color)
    for verdict in verdicts:
        print_verdict(screen, verdict, store.trace(run.run_id, verdict.entry_id, verdict.rule))
        if wanted.transcript:
            for one in store.transcript(run.run_id, verdict.entry_id, verdict.rule):
                print_transcript(screen, one)


def _of_entry(store: Store, run: RunRecord, wanted: Wanted) -> list[Verdict]:
    verdicts = [
        verdict
        for verdict in store.verdicts(run.run_id, rule=wanted.rule)
        if verdict.entry_id == stored_id(wanted.entry or "")
    ]
    if not verdicts:
        named = escape.line(wanted.entry or "", limit=120)
        raise UserError(
            f"run {run.run_id} has no verdict for {named}. "
            f"judge-bundles show {run.run_id} lists what it has."
        )
    return verdicts


def _with_trace(store: Store, run: RunRecord, verdict: Verdict) -> dict[str, Any]:
    traces = store.trace(run.run_id, verdict.entry_id, verdict.rule)
    return record(verdict) | {"trace": [asdict(trace) for trace in traces]}


def _counts(run: RunRecord) -> dict[str, Any]:
    return asdict(run.counts) | {"judged": run.counts.judged, "pending": run.counts.pending}


def _print_json(value: Sequence[Any]) -> None:
    print(escape.json_text(value, indent=2))
