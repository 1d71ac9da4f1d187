"""Judge one bundle by one rule: intake, gate, judges, verdict.

The function `judge` reads as that sentence. Whatever goes wrong on the way becomes a verdict with
status `error`; nothing but cancellation gets out.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from judge_bundles import judges, log
from judge_bundles.agent import injection
from judge_bundles.bundles import snapshot as snapshots
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.snapshot import Snapshot
from judge_bundles.draft import Draft
from judge_bundles.errors import JudgementError
from judge_bundles.intake.intake import Intake
from judge_bundles.reuse import reuse_key
from judge_bundles.rules.model import AskedJudge, Rule
from judge_bundles.store.records import Judged
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict
from judge_prechecks import Outcome


@dataclass(frozen=True, slots=True)
class Services:
    """What every bundle of one run shares."""

    run_id: str
    store: Store
    intake: Intake
    means: judges.Means
    sandbox_key: str
    """What the verdicts of this run owe to the sandbox: its sources and base."""
    prechecks_only: bool = False
    fresh: bool = False
    """Never take a verdict from an earlier run."""


async def judge(
    entry: Entry, rules: Sequence[Rule], services: Services
) -> AsyncGenerator[Judged, None]:
    """Yield one verdict for each rule; the bundle is taken in once, and always removed."""
    drafts = [Draft(services.run_id, entry.entry_id, rule) for rule in rules]
    try:
        taken = await services.intake.take(entry, rules)
    except JudgementError as error:
        for draft in drafts:
            yield Judged(draft.not_taken(error), None, ())
        return
    try:
        for number, (rule, outcomes) in enumerate(zip(rules, taken.outcomes, strict=True)):
            draft = Draft(services.run_id, entry.entry_id, rule, taken)
            if number == 0:  # the time for taking the bundle in is in its first verdict
                draft = replace(drafts[0], taken=taken)
            yield await _judge_by_rule(draft, outcomes, services)
    finally:
        if taken.snapshot is not None:
            await asyncio.shield(asyncio.to_thread(snapshots.remove, taken.snapshot))


async def _judge_by_rule(draft: Draft, outcomes: Sequence[Outcome], services: Services) -> Judged:
    """Reuse, gate, judges: a verdict, also of what goes wrong on the way."""
    rule, taken = draft.rule, draft.taken
    assert taken is not None
    try:
        key = None  # a verdict of the gate alone never stands in for a whole one
        if not services.prechecks_only:
            key = reuse_key(
                rule, draft.entry_id, taken.digest, services.means, services.sandbox_key
            )
        if earlier := await _earlier(key, services):
            return Judged(draft.reused(earlier), key, ())
        if not all(outcome.held for outcome in outcomes):
            return Judged(draft.gate_failed(outcomes), key, ())
        if services.prechecks_only or not _asked(rule, services):
            return Judged(draft.gate_held(outcomes), key, ())
        assert taken.snapshot is not None
        judged, scan = await _run_judges(draft, taken.snapshot, services)
        changed = await asyncio.to_thread(_change_of, taken.snapshot)
        traces = tuple(trace for one in judged for trace in one.traces)
        return Judged(draft.judged(outcomes, judged, scan, changed), key, traces)
    except JudgementError as error:
        return Judged(draft.error(error), None, ())
    except Exception as error:  # noqa: BLE001 - a fault of ours is this bundle's error, not the run's end
        log.get_logger().exception(
            "judgement_crashed",
            entry_id=draft.entry_id,
            rule=rule.name,
            error=f"{type(error).__name__}: {error}",
        )
        crash = JudgementError("internal", f"{type(error).__name__}: {error}")
        return Judged(draft.error(crash), None, ())


def _change_of(snapshot: Snapshot) -> JudgementError | None:
    """Read the snapshot again; what was paid for judging it is kept even when it has changed."""
    try:
        snapshots.verify(snapshot)
    except JudgementError as error:
        return error
    return None


async def _earlier(key: str | None, services: Services) -> Verdict | None:
    if key is None or services.fresh:
        return None
    return await asyncio.to_thread(services.store.reusable, key, not_in=services.run_id)


async def _run_judges(
    draft: Draft, snapshot: Snapshot, services: Services
) -> tuple[list[judges.Judged], injection.Scan]:
    """Run the judges in the order of the rule, while the bundle is scanned for text meant for them.

    Each is asked, whatever those before it said.
    """
    bundle = judges.Bundle(draft.entry_id, snapshot.digest, snapshot.tree, draft.rule.name)
    scan = asyncio.create_task(services.intake.scan(snapshot))
    try:
        judged = [
            await judges.run(spec, bundle, services.means) for spec in _asked(draft.rule, services)
        ]
        return judged, await scan
    finally:
        scan.cancel()


def _asked(rule: Rule, services: Services) -> tuple[AskedJudge, ...]:
    return rule.asked(compared=services.means.baseline is not None)
