"""Remove what is old and superseded, one run after the other, and give the space back.

Each run is thinned or removed in one transaction of its own, so that the store is whole at every
moment, whoever is killed, and that a run which is being executed waits for a moment at most. What
has begun to depend on an old run since it was planned is left alone.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, exists, func, select, text, update

from judge_bundles.errors import StoreError
from judge_bundles.store import ownership, retention_plan, run_queries
from judge_bundles.store.database import Database
from judge_bundles.store.opening import open_database
from judge_bundles.store.records import Pruned
from judge_bundles.store.retention_plan import RetentionPlan, RunPlan
from judge_bundles.store.schema import (
    call_settings,
    calls,
    entries,
    rules,
    run_rules,
    runs,
    verdicts,
)

_DAY_S: Final = 86_400
_ROWS_AT_ONCE: Final = 500  # databases limit the parameters of a statement


@dataclass(frozen=True, slots=True)
class _Removed:
    verdicts: int
    whole: bool


def prune(url: str | None, *, keep_days: int, dry_run: bool = False) -> Pruned:
    """Remove what is in runs that ended at least `keep_days` days ago and is not needed any more.

    What stays is told in `retention_plan`. With `dry_run` nothing is changed. Raises `StoreError`.
    """
    database = open_database(url, create=False)
    try:
        with database.read("be looked through for what is old") as connection:
            before = ownership.clock(connection) - keep_days * _DAY_S
            plan = retention_plan.find(connection, before)
        return _preview(plan, database) if dry_run else _carry_out(plan, database)
    finally:
        database.close()


def _preview(plan: RetentionPlan, database: Database) -> Pruned:
    whole = sum(run.whole for run in plan.runs)
    return Pruned(
        runs=whole,
        thinned=len(plan.runs) - whole,
        verdicts=plan.verdicts,
        kept=plan.kept,
        bytes_before=database.size_bytes(),
    )


def _carry_out(plan: RetentionPlan, database: Database) -> Pruned:
    before = database.size_bytes()
    old = frozenset(run.run_id for run in plan.runs)
    tried = [_remove_of_run(database, run, old) for run in plan.runs]
    removed = [one for one in tried if one is not None]
    with database.write("remove what nothing refers to any more") as connection:
        _remove_orphans(connection)
    not_reclaimed = _reclaim(database)
    return Pruned(
        runs=sum(one.whole for one in removed),
        thinned=sum(not one.whole for one in removed),
        verdicts=sum(one.verdicts for one in removed),
        kept=plan.kept,
        bytes_before=before,
        bytes_after=database.size_bytes(),
        not_reclaimed=not_reclaimed,
    )


def _remove_of_run(database: Database, run: RunPlan, old: Collection[str]) -> _Removed | None:
    """Remove what was planned of one run; None when there is nothing to remove after all."""
    with database.write("remove what is old of a run") as connection:
        query = select(runs).where(runs.c.run_id == run.run_id).with_for_update()
        row = connection.execute(query).one_or_none()
        if row is None or ownership.has_live_owner(connection, row):
            return None  # removed or resumed by somebody else
        needed = _copied_since(connection, run.run_id, old)
        doomed = [position for position in run.entries if position not in needed]
        if run.whole and not needed:
            return _Removed(_remove_whole(connection, run.run_id), whole=True)
        return _Removed(_thin(connection, run.run_id, doomed), whole=False) if doomed else None


def _copied_since(connection: Connection, run_id: str, old: Collection[str]) -> set[int]:
    """Return the bundles of a run whose judgements stand behind copies in runs that are not old."""
    copies = verdicts.alias("copies")
    query = (
        select(verdicts.c.entry_position, copies.c.run_id)
        .join(copies, copies.c.reuse_key == verdicts.c.reuse_key)
        .where(verdicts.c.run_id == run_id, copies.c.reused_from == run_id)
    )
    return {position for position, copied_by in connection.execute(query) if copied_by not in old}


def _remove_whole(connection: Connection, run_id: str) -> int:
    query = select(func.count()).select_from(verdicts).where(verdicts.c.run_id == run_id)
    count = connection.scalar(query) or 0
    connection.execute(delete(runs).where(runs.c.run_id == run_id))
    return count


def _thin(connection: Connection, run_id: str, doomed: Sequence[int]) -> int:
    """Remove bundles of a run; what the run has spent and that it is thinner is remembered."""
    changes = {
        "booked_usd": float(run_queries.spent(connection, run_id)),
        "pruned_entries": runs.c.pruned_entries + len(doomed),
    }
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(changes))
    count = 0
    for some in _chunks(doomed):
        of_them = verdicts.c.run_id == run_id, verdicts.c.entry_position.in_(some)
        query = select(func.count()).select_from(verdicts).where(*of_them)
        count += connection.scalar(query) or 0
        connection.execute(
            delete(entries).where(entries.c.run_id == run_id, entries.c.position.in_(some))
        )
    return count


def _remove_orphans(connection: Connection) -> None:
    """Remove rule texts and settings of calls that no run uses any more."""
    if connection.dialect.name == "postgresql":
        # Who writes a verdict may have seen a row and not yet referred to it.
        connection.execute(text("LOCK TABLE rules, call_settings IN ACCESS EXCLUSIVE MODE"))
    used = exists().where(run_rules.c.digest == rules.c.digest)
    connection.execute(delete(rules).where(~used))
    asked = exists().where(calls.c.settings_digest == call_settings.c.digest)
    connection.execute(delete(call_settings).where(~asked))


def _reclaim(database: Database) -> str | None:
    """Give space back to the file system; return why that was not done, if it was not."""
    with database.read("look for runs that are executed") as connection:
        owned = connection.execute(select(runs).where(runs.c.owner_token.is_not(None)))
        executed = any(ownership.has_live_owner(connection, row) for row in owned.all())
    if executed and database.location.file is not None:
        return "a run is being executed and would have to wait"
    try:
        database.compact()
    except StoreError as error:
        return str(error)
    return None


def _chunks(items: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(items), _ROWS_AT_ONCE):
        yield items[start : start + _ROWS_AT_ONCE]
