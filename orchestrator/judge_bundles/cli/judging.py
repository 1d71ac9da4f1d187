"""Do what a judging line asks for: plan, run, report, and find the exit code."""

import asyncio
import os
import sys
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

from judge_bundles import log, plan, runner
from judge_bundles.bundles.discover import Discovery, discover
from judge_bundles.cli import reporting
from judge_bundles.cli.choices import Format, LogFormat
from judge_bundles.cli.interruption import cancelling, raise_at_signals
from judge_bundles.cli.request import Options, Output, Selection
from judge_bundles.cli.resuming import baseline_of, run_to_resume
from judge_bundles.errors import EXIT_INTERRUPTED, EXIT_OK, UserError
from judge_bundles.models.base import Model
from judge_bundles.plan import Plan
from judge_bundles.reports.dry_run import plan_as_json, print_plan
from judge_bundles.reports.progress import Events, Live
from judge_bundles.reports.records import as_json, as_jsonl
from judge_bundles.reports.scores import Baseline, Scores, score
from judge_bundles.reports.style import console
from judge_bundles.reports.summary import Summary, summarise
from judge_bundles.reports.table import print_table, total_lines
from judge_bundles.rules.load import load_rules
from judge_bundles.rules.model import Overrides, Rule
from judge_bundles.store import location
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict


def judge(selection: Selection, options: Options, output: Output) -> int:
    """Run one judging line and return its exit code."""
    log.configure(
        "json" if output.log_format is LogFormat.json else "console",
        quiet=output.quiet or output.live,
        colors=sys.stderr.isatty() and not output.no_color and not os.environ.get("NO_COLOR"),
        tracebacks=output.debug,
    )
    reporting.require_writable({"--junit": output.junit, "--summary": output.summary})
    if options.fail_on_new and options.baseline is None:
        raise UserError("--fail-on new: name the run to compare with, --baseline RUN")
    max_cost = _dollars(options.max_cost)
    rules = load_rules(
        selection.rules,
        project_root=options.project_root,
        overrides=Overrides(model=options.model, runtime=options.runtime),
        judges_dirs=options.judges_dirs,
    )
    discovery = discover(selection.runs, single=selection.single, patterns=selection.patterns)
    for warning in (*discovery.warnings, *(text for rule in rules for text in rule.warnings)):
        log.get_logger().warning("noticed", message=warning)
    planned = _plan(selection, options, rules, discovery, max_cost)
    if options.dry_run:
        _print_dry_run(planned, options, output)
        return EXIT_OK
    models = plan.resolve_models(planned)
    _require_store_outside(options.store, planned)
    with Store.open(options.store) as store:
        return _judge(planned, store, models, options, output)


def _print_dry_run(planned: Plan, options: Options, output: Output) -> None:
    """Say what would be judged; of a run to be resumed, only what it lacks."""
    if options.resume is not None:
        with Store.open(options.store, create=False) as store:
            record = run_to_resume(planned, store, options.resume)
            assert record is not None
            planned = replace(
                planned, entries=runner.missing_entries(planned, store, record.run_id)
            )
    most = plan.worst_case(planned)
    if output.format is Format.table:
        print_plan(console(sys.stdout, color=output.color), planned, most)
    else:
        sys.stdout.write(plan_as_json(planned, most, lines=output.format is Format.jsonl))


def _judge(
    planned: Plan, store: Store, models: dict[str, Model], options: Options, output: Output
) -> int:
    raise_at_signals()  # from here on there is something to clean up
    record = run_to_resume(planned, store, options.resume)
    resume = record.run_id if record else None
    if record and isinstance(record.options, dict) and record.options.get("fresh") is True:
        planned = replace(planned, fresh=True)  # what a run was started with holds to its end
    planned = replace(planned, baseline=baseline_of(store, options.baseline, record))
    progress = Live(console(sys.stderr, color=output.color)) if output.live else Events()
    watched = _Watched(progress)
    try:
        with progress.display():
            result = asyncio.run(_until_interrupted(planned, store, models, watched, resume))
    except asyncio.CancelledError:
        return _interrupted(watched, store)
    verdicts = store.verdicts(result.run_id)
    scores = _scores(planned, store, result, verdicts, options)
    _write(store, result, verdicts, scores, output)
    return scores.exit_code


def _scores(
    planned: Plan,
    store: Store,
    result: runner.RunResult,
    verdicts: list[Verdict],
    options: Options,
) -> Scores:
    before = None
    if planned.baseline is not None:
        before = Baseline(planned.baseline, store.verdicts(planned.baseline))
    return score(
        result.run_id,
        planned.rules,
        verdicts,
        unjudged=reporting.unjudged(store, result.run_id, verdicts),
        baseline=before,
        fail_on_new=options.fail_on_new,
        gate_only=planned.prechecks_only,
    )


@dataclass(slots=True)
class _Watched:
    """Passes progress on, and remembers the run's id for when it is interrupted."""

    inner: runner.Progress
    run_id: str | None = None

    def started(self, run_id: str, pending: int) -> None:
        self.run_id = run_id
        self.inner.started(run_id, pending)

    def judged(self, verdict: Verdict) -> None:
        self.inner.judged(verdict)


async def _until_interrupted(
    planned: Plan,
    store: Store,
    models: dict[str, Model],
    progress: runner.Progress,
    resume: str | None,
) -> runner.RunResult:
    """Run; SIGINT and SIGTERM cancel, so that every container is removed on the way out."""
    task = asyncio.current_task()
    assert task is not None
    with cancelling(task):
        return await runner.run(planned, store, models, progress=progress, resume=resume)


def _plan(
    selection: Selection,
    options: Options,
    rules: tuple[Rule, ...],
    discovery: Discovery,
    max_cost: Decimal | None,
) -> Plan:
    return Plan(
        sources=plan.source_names(selection.runs),
        entries=discovery.entries[: selection.limit],
        rules=rules,
        intake_limits=options.intake_limits,
        concurrency=options.concurrency,
        prechecks_only=options.prechecks_only,
        fresh=options.fresh,
        max_cost=max_cost,
        name=options.name or None,
        baseline=options.baseline,
        project_root=options.project_root or Path(),
    )


def _dollars(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or amount <= 0:
        raise UserError(f"--max-cost {text}: give an amount of dollars above 0, such as 2.50")
    return amount


def _write(
    store: Store,
    result: runner.RunResult,
    verdicts: list[Verdict],
    scores: Scores,
    output: Output,
) -> None:
    """Show the result, and only then write the report files: a file may fail, the result may not."""
    total = summarise(verdicts, unjudged=result.unjudged)
    try:
        _show(result, verdicts, total, scores, output)
    finally:
        if output.junit is not None:
            reporting.write_junit(output.junit, store, verdicts, scores)
        if output.summary is not None:
            reporting.write_summary(output.summary, scores, total)


def _show(
    result: runner.RunResult,
    verdicts: list[Verdict],
    total: Summary,
    scores: Scores,
    output: Output,
) -> None:
    if output.format is Format.table:
        print_table(
            console(sys.stdout, color=output.color),
            result.run_id,
            verdicts,
            total,
            scores=scores,
            store=output.store,
        )
    else:
        sys.stdout.write(as_json(verdicts) if output.format is Format.json else as_jsonl(verdicts))
    sys.stdout.flush()
    if output.format is not Format.table and not output.quiet:
        stderr = console(sys.stderr, color=output.color)
        for line in total_lines(result.run_id, total, output.store):
            stderr.print(line)


def _interrupted(watched: _Watched, store: Store) -> int:
    if watched.run_id is None:
        print("judge-bundles: interrupted before anything was judged", file=sys.stderr)
        return EXIT_INTERRUPTED
    counts = store.counts(watched.run_id)
    message = (
        f"interrupted: {counts.judged} of {counts.expected} verdicts are kept. "
        f"The same command with --resume {watched.run_id} goes on."
    )
    print(f"judge-bundles: {message}", file=sys.stderr)
    return EXIT_INTERRUPTED


def _require_store_outside(url: str | None, planned: Plan) -> None:
    """A store inside a bundle would change its digest and show the judge earlier verdicts."""
    file = location.find(url).file
    for entry in planned.entries:
        if file is not None and entry.kind == "folder" and file.is_relative_to(entry.source):
            raise UserError(
                f"the store {file} lies inside the bundle {entry.entry_id}: "
                "name a place outside with --store, or run from another folder"
            )
