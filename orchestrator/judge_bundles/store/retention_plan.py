"""Find what retention may remove: what of old runs nothing that stays depends on.

A bundle of an old run stays, with all its attempts, while one of its verdicts is
- the newest about that content by a rule of that name, or the newest of these that a run can reuse;
- the newest about that place (same RUNS, same entry id) by a rule of that name;
- the original of a verdict that stays elsewhere, since the trace is kept with the original alone.

Everything happens inside one transaction of the caller and changes nothing but temporary tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    and_,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    union_all,
)

from judge_bundles.store import ownership, timestamps
from judge_bundles.store.schema import entries, run_rules, runs, verdicts

_local: Final = MetaData()
_old: Final = Table(
    "retention_old",
    _local,
    Column("run_id", String(32), primary_key=True),
    prefixes=["TEMPORARY"],
)
_kept: Final = Table(
    "retention_kept",
    _local,
    Column("run_id", String(32), primary_key=True),
    Column("entry", Integer, primary_key=True, autoincrement=False),
    prefixes=["TEMPORARY"],
)
_is_old: Final = verdicts.c.run_id.in_(select(_old.c.run_id))
_is_kept: Final = exists().where(
    _kept.c.run_id == verdicts.c.run_id, _kept.c.entry == verdicts.c.entry_position
)
_judged: Final = and_(
    verdicts.c.status.in_(("pass", "fail")),
    verdicts.c.reuse_key.is_not(None),
    runs.c.prechecks_only.is_(False),
)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Of one old run: the positions of the bundles to remove, and whether anything is left then."""

    run_id: str
    entries: tuple[int, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """What would be removed, newest run first, and how many verdicts that makes."""

    runs: tuple[RunPlan, ...]
    verdicts: int
    kept: int
    """Current verdicts of old runs that stay."""


def find(connection: Connection, before: float) -> RetentionPlan:
    """Plan the removal of what ended before a time, in seconds since the epoch."""
    _local.create_all(connection, checkfirst=False)
    old = _old_runs(connection, before)
    if old:
        connection.execute(insert(_old), [{"run_id": run_id} for run_id in old])
    _keep_newest(connection)
    while _keep_originals(connection):
        pass  # what is kept may hold copies itself
    plan = RetentionPlan(
        runs=tuple(plan for run_id in old if (plan := _run_plan(connection, run_id))),
        verdicts=_count(connection, ~_is_kept),
        kept=_count(connection, and_(_is_kept, verdicts.c.is_current.is_(True))),
    )
    _local.drop_all(connection, checkfirst=False)
    return plan


def _old_runs(connection: Connection, before: float) -> list[str]:
    """Return the runs that ended before a time and that nobody executes, newest first."""
    ended = and_(
        runs.c.owner_token.is_(None),
        func.coalesce(runs.c.finished_at, runs.c.created_at) < timestamps.at(before),
    )
    abandoned = and_(runs.c.owner_token.is_not(None), runs.c.heartbeat_at < before)
    query = select(runs).where(or_(ended, abandoned)).order_by(runs.c.created_at.desc())
    return [
        row.run_id
        for row in connection.execute(query)
        if not ownership.has_live_owner(connection, row)
    ]


def _keep_newest(connection: Connection) -> None:
    content = (verdicts.c.bundle_digest, run_rules.c.name)
    has_content = verdicts.c.bundle_digest.is_not(None)
    newest = union_all(
        _newest(content, has_content),
        _newest(content, and_(has_content, _judged)),
        _newest((runs.c.sources_key, entries.c.entry_key, run_rules.c.name), true()),
    )
    _keep(connection, verdicts.c.verdict_id.in_(newest))


def _newest(of_each: Sequence[ColumnElement[Any]], wanted: ColumnElement[bool]) -> Select[Any]:
    of_rule = and_(
        run_rules.c.run_id == verdicts.c.run_id,
        run_rules.c.position == verdicts.c.rule_position,
    )
    of_entry = and_(
        entries.c.run_id == verdicts.c.run_id, entries.c.position == verdicts.c.entry_position
    )
    return (
        select(func.max(verdicts.c.verdict_id))
        .join(run_rules, of_rule)
        .join(entries, of_entry)
        .join(runs, runs.c.run_id == verdicts.c.run_id)
        .where(verdicts.c.is_current.is_(True), wanted)
        .group_by(*of_each)
    )


def _keep_originals(connection: Connection) -> int:
    """Keep the bundles whose judgement stands behind a copy that stays; return how many."""
    copies = verdicts.alias("copies")
    stays = or_(
        copies.c.run_id.not_in(select(_old.c.run_id)),
        exists().where(_kept.c.run_id == copies.c.run_id, _kept.c.entry == copies.c.entry_position),
    )
    copied = exists().where(
        copies.c.reused_from == verdicts.c.run_id,
        copies.c.reuse_key == verdicts.c.reuse_key,
        stays,
    )
    return _keep(connection, copied)


def _keep(connection: Connection, wanted: ColumnElement[bool]) -> int:
    """Keep the bundles of old runs with such a verdict; return how many are kept anew."""
    before = _number_kept(connection)
    query = (
        select(verdicts.c.run_id, verdicts.c.entry_position)
        .where(_is_old, ~_is_kept, wanted)
        .distinct()
    )
    connection.execute(insert(_kept).from_select(["run_id", "entry"], query))
    return _number_kept(connection) - before


def _number_kept(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(_kept)) or 0


def _run_plan(connection: Connection, run_id: str) -> RunPlan | None:
    stays = exists().where(_kept.c.run_id == run_id, _kept.c.entry == entries.c.position)
    query = select(entries.c.position, stays).where(entries.c.run_id == run_id)
    found = connection.execute(query.order_by(entries.c.position)).all()
    doomed = tuple(position for position, kept in found if not kept)
    whole = len(doomed) == len(found)
    return RunPlan(run_id, doomed, whole) if doomed or whole else None


def _count(connection: Connection, wanted: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(verdicts).where(_is_old, wanted)
    return connection.scalar(query) or 0
