"""Queries about verdicts, inside the caller's transaction."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, or_, select, true

from judge_bundles import escape, verdict
from judge_bundles.errors import StoreUsageError
from judge_bundles.store import run_queries, storable
from judge_bundles.store.schema import entries, run_rules, runs, verdicts
from judge_bundles.verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class Place:
    """One (entry, rule) of a run."""

    run_id: str
    entry: int
    rule: int


def place(connection: Connection, run: str, entry_id: str, rule: str | None) -> Place:
    """Return where a verdict stands; `rule` may be left out when the run has only one."""
    query = (
        select(entries.c.position)
        .where(entries.c.run_id == run)
        .where(entries.c.entry_key == storable.entry_key(entry_id))
    )
    entry = connection.scalar(query)
    if entry is None:
        raise StoreUsageError(
            f"Run {run} has no entry {escape.line(entry_id)}. `judge-bundles show {run}` lists them."
        )
    return Place(run, entry, run_queries.rule_position(connection, run, rule))


def current(
    connection: Connection,
    run: str,
    *,
    status: Status | None,
    passed: bool | None,
    rule: int | None,
    limit: int | None,
    offset: int,
) -> list[Verdict]:
    """Return current verdicts in the order of entries, then of rules."""
    query = (
        select(verdicts.c.record)
        .where(verdicts.c.run_id == run, verdicts.c.is_current.is_(True))
        .order_by(verdicts.c.entry_position, verdicts.c.rule_position)
        .limit(limit)
        .offset(offset)
    )
    for column, value in (
        (verdicts.c.status, status),
        (verdicts.c.passed, passed),
        (verdicts.c.rule_position, rule),
    ):
        if value is not None:
            query = query.where(column == value)
    return [verdict.from_record(record) for record in connection.scalars(query)]


def attempts(connection: Connection, place: Place) -> list[Row[Any]]:
    """Return (verdict_id, attempt, record, reuse_key, reused_from) of every attempt, oldest first."""
    query = (
        select(
            verdicts.c.verdict_id,
            verdicts.c.attempt,
            verdicts.c.record,
            verdicts.c.reuse_key,
            verdicts.c.reused_from,
        )
        .where(
            verdicts.c.run_id == place.run_id,
            verdicts.c.entry_position == place.entry,
            verdicts.c.rule_position == place.rule,
        )
        .order_by(verdicts.c.attempt)
    )
    return list(connection.execute(query))


def pending(connection: Connection, run: str) -> frozenset[tuple[str, str]]:
    """Return (entry id, rule name), in stored form, of what is missing or may be tried again."""
    judged = and_(
        verdicts.c.run_id == run,
        verdicts.c.is_current.is_(True),
        verdicts.c.entry_position == entries.c.position,
        verdicts.c.rule_position == run_rules.c.position,
    )
    query = (
        select(entries.c.entry_id, run_rules.c.name)
        .join(run_rules, run_rules.c.run_id == entries.c.run_id)
        .outerjoin(verdicts, judged)
        .where(entries.c.run_id == run)
        .where(or_(verdicts.c.verdict_id.is_(None), verdicts.c.retryable.is_(True)))
    )
    return frozenset((entry, rule) for entry, rule in connection.execute(query))


def reusable(connection: Connection, reuse_key: str, *, not_in: str | None) -> Verdict | None:
    """Return the newest judgement with that key; an original before a copy of one."""
    query = (
        select(verdicts.c.record)
        .join(runs, runs.c.run_id == verdicts.c.run_id)
        .where(verdicts.c.reuse_key == reuse_key)
        .where(verdicts.c.status.in_(("pass", "fail")))
        .where(runs.c.prechecks_only.is_(False))
        .where(true() if not_in is None else verdicts.c.run_id != not_in)
        .order_by(verdicts.c.reused_from.is_not(None), verdicts.c.verdict_id.desc())
        .limit(1)
    )
    record = connection.scalar(query)
    return None if record is None else verdict.from_record(record)


def traced(connection: Connection, row: Row[Any]) -> int:
    """Return the id of the verdict whose traces belong to this row of `attempts`."""
    if row.reused_from is None or row.reuse_key is None:
        return int(row.verdict_id)
    query = (
        select(verdicts.c.verdict_id)
        .where(verdicts.c.run_id == row.reused_from, verdicts.c.reuse_key == row.reuse_key)
        .where(verdicts.c.status.in_(("pass", "fail")))
        .order_by(verdicts.c.reused_from.is_not(None), verdicts.c.verdict_id.desc())
        .limit(1)
    )
    return int(connection.scalar(query) or row.verdict_id)
