"""Judge many bundles at once, and keep every verdict as soon as it exists.

A verdict is committed before its bundle is reported as done. An interruption keeps what is
finished; the run can be resumed.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Protocol

from judge_bundles import judges, log, pipeline
from judge_bundles.agent.budget import RunBudget
from judge_bundles.baseline import StoredBaseline
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.workspace import Workspace, sweep
from judge_bundles.errors import StoreError, StoreUsageError
from judge_bundles.intake.intake import Intake
from judge_bundles.judges.code.runner import CodeRunner
from judge_bundles.limits import STORE_HEARTBEAT_S
from judge_bundles.models.base import Model
from judge_bundles.plan import Plan
from judge_bundles.rules.model import Rule
from judge_bundles.sandboxes import none_needed, sandboxes_for
from judge_bundles.store.records import EntryRef, FinalStatus, RuleRef
from judge_bundles.store.storable import stored_id
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict


class Progress(Protocol):
    """Told what happens, from the thread of the event loop."""

    def started(self, run_id: str, pending: int) -> None:
        """A run begins with so many verdicts to come."""

    def judged(self, verdict: Verdict) -> None:
        """A verdict is safe in the store."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended. The verdicts are in the store."""

    run_id: str
    status: FinalStatus
    unjudged: int


async def run(
    plan: Plan,
    store: Store,
    models: dict[str, Model],
    *,
    progress: Progress,
    resume: str | None = None,
) -> RunResult:
    """Judge everything the plan holds, or what is pending of the run `resume`."""
    async with (
        sandboxes_for(plan) as sandboxes,
        _closing(models),
        _intake(plan) as intake,
        CodeRunner(plan.rules, project_root=plan.project_root, size=_processes(plan)) as code,
    ):
        run_id = await asyncio.to_thread(_begin, plan, store, resume)
        means = judges.Means(
            models=models,
            new_sandbox=sandboxes.of_run(run_id) if sandboxes else none_needed,
            run_budget=RunBudget(plan.max_cost, await asyncio.to_thread(_spent, store, run_id)),
            code=code,
            baseline=await asyncio.to_thread(_baseline, plan, store, intake),
        )
        services = pipeline.Services(
            run_id=run_id,
            store=store,
            intake=intake,
            means=means,
            sandbox_key=sandboxes.key if sandboxes else "",
            prechecks_only=plan.prechecks_only,
            fresh=plan.fresh,
        )
        work = await asyncio.to_thread(_pending, plan, store, run_id)
        progress.started(run_id, sum(len(rules) for _, rules in work))
        status: FinalStatus = "interrupted"
        try:
            async with _heartbeat(store, run_id):
                starved = await _judge_all(work, services, plan.concurrency, progress)
            status = "failed" if starved else "completed"
        finally:
            unjudged = await asyncio.shield(asyncio.to_thread(_finish, store, run_id, status))
    return RunResult(run_id, status, unjudged)


async def _judge_all(
    work: Sequence[tuple[Entry, Sequence[Rule]]],
    services: pipeline.Services,
    concurrency: int,
    progress: Progress,
) -> bool:
    """Let `concurrency` workers take bundles in order; a fault of one stops all.

    Return whether the run's money ended before every bundle had its verdict.
    """
    queue = iter(work)
    starved = False

    async def worker() -> None:
        nonlocal starved
        for entry, rules in queue:
            async with aclosing(pipeline.judge(entry, rules, services)) as verdicts:
                async for judged in verdicts:
                    await asyncio.shield(asyncio.to_thread(services.store.save, judged))
                    progress.judged(judged.verdict)
                    starved |= _is_starved(judged.verdict)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(work))):
                group.create_task(worker())
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from faults
    return starved and services.means.run_budget.exhausted


def _is_starved(verdict: Verdict) -> bool:
    errors = (verdict.error, *(result.error for result in verdict.judges))
    return any(error is not None and error.kind == "budget" for error in errors)


def _baseline(plan: Plan, store: Store, intake: Intake) -> StoredBaseline | None:
    if plan.baseline is None or plan.prechecks_only:
        return None
    return StoredBaseline.read(store, plan.baseline, intake)


def _spent(store: Store, run_id: str) -> Decimal:
    """Return what a run has cost so far; a resumed run goes on counting."""
    return Decimal(str(store.counts(run_id).cost_usd or 0))


def _begin(plan: Plan, store: Store, resume: str | None) -> str:
    entries = [EntryRef(entry.entry_id, entry.source, entry.kind) for entry in plan.entries]
    if resume is not None:
        store.resume_run(resume)
        store.add_entries(resume, entries)
        _warn_of_gone(store, resume, plan)
        return resume
    try:
        return _new_run(plan, store, entries)
    except StoreError as error:
        raise StoreUsageError(str(error)) from error  # nothing was judged yet


def _new_run(plan: Plan, store: Store, entries: Sequence[EntryRef]) -> str:
    return store.begin_run(
        sources=plan.sources,
        rules=[RuleRef(rule.name, rule.digest, rule.resolved) for rule in plan.rules],
        entries=entries,
        options=_options(plan),
        name=plan.name,
    )


def _warn_of_gone(store: Store, run_id: str, plan: Plan) -> None:
    """Say which pending bundles of a resumed run are not there any more; they stay unjudged."""
    here = {stored_id(entry.entry_id) for entry in plan.entries}
    gone = sorted({entry_id for entry_id, _ in store.pending(run_id)} - here)
    if gone:
        log.get_logger().warning(
            "bundles_gone",
            run_id=run_id,
            count=len(gone),
            first=gone[0],
            advice="they stay unjudged",
        )


def _options(plan: Plan) -> dict[str, Any]:
    return {
        "concurrency": plan.concurrency,
        "prechecks_only": plan.prechecks_only,
        "fresh": plan.fresh,
        "baseline": plan.baseline,
        "max_cost_usd": None if plan.max_cost is None else str(plan.max_cost),
        "intake_limits": asdict(plan.intake_limits),
        "base_image": plan.base_image,
        # Outside the digest, so not with the rule's text: what this run was held to.
        "scoring": {rule.name: rule.scoring for rule in plan.rules if rule.scoring},
    }


def missing_entries(plan: Plan, store: Store, run_id: str) -> tuple[Entry, ...]:
    """Return the bundles that resuming a run would judge: what it lacks, and what is new."""
    known = {entry.entry_id for entry in store.entries(run_id)}
    missing = {entry_id for entry_id, _ in store.pending(run_id)}
    return tuple(
        entry
        for entry in plan.entries
        if (name := stored_id(entry.entry_id)) in missing or name not in known
    )


def _pending(plan: Plan, store: Store, run_id: str) -> list[tuple[Entry, tuple[Rule, ...]]]:
    """Return what is still to be judged: each entry with the rules that it lacks."""
    missing = store.pending(run_id)
    work = [
        (
            entry,
            tuple(
                rule
                for rule in plan.rules
                if (stored_id(entry.entry_id), stored_id(rule.name)) in missing
            ),
        )
        for entry in plan.entries
    ]
    return [(entry, rules) for entry, rules in work if rules]


def _finish(store: Store, run_id: str, status: FinalStatus) -> int:
    store.finish_run(run_id, status=status)
    return store.counts(run_id).pending


@asynccontextmanager
async def _heartbeat(store: Store, run_id: str) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(STORE_HEARTBEAT_S)
            await asyncio.to_thread(store.heartbeat, run_id)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _processes(plan: Plan) -> int:
    return min(plan.concurrency, len(os.sched_getaffinity(0)))


@asynccontextmanager
async def _intake(plan: Plan) -> AsyncIterator[Intake]:
    """Sweep away what dead runs left, and have a process ready to take bundles in."""
    await asyncio.to_thread(sweep, plan.workspace_parent)
    with Workspace.create(plan.workspace_parent) as workspace:
        intake = Intake(
            plan.rules,
            workspace.path,
            plan.intake_limits,
            prechecks_only=plan.prechecks_only,
            compared=plan.baseline is not None,
            size=_processes(plan),
        )
        async with intake:
            await intake.warm()
            yield intake


@asynccontextmanager
async def _closing(models: dict[str, Model]) -> AsyncIterator[None]:
    try:
        yield
    finally:
        for model in models.values():
            await model.close()
