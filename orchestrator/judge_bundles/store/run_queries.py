"""Queries about runs, inside the caller's transaction."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    exists,
    func,
    or_,
    select,
)

from judge_bundles import escape
from judge_bundles.errors import StoreUsageError
from judge_bundles.store import ownership, run_writes, storable
from judge_bundles.store.records import EntryRef, RuleName, RuleRef, RunCounts, RunRecord
from judge_bundles.store.schema import entries, rules, run_rules, runs, verdicts

LATEST: Final = "latest"
_SHOWN_CANDIDATES: Final = 5


def run_id(connection: Connection, given: str) -> str:
    """Return the id that `given` names: whole, by an unambiguous beginning, or "latest"."""
    newest = select(runs.c.run_id).order_by(runs.c.created_at.desc(), runs.c.run_id.desc())
    if given == LATEST:
        found = connection.scalars(newest.limit(1)).all()
    else:
        begins = func.substr(runs.c.run_id, 1, len(given)) == given
        found = connection.scalars(newest.where(begins).limit(_SHOWN_CANDIDATES)).all()
    if not found or not given:
        raise StoreUsageError(
            f"There is no run {escape.line(given)}. `judge-bundles runs` lists them."
        )
    if len(found) > 1 and given not in found:
        raise StoreUsageError(
            f"{escape.line(given)} is the beginning of several runs: {', '.join(found)}. "
            "Write more of the id."
        )
    return given if given in found else str(found[0])


def record(connection: Connection, run: str) -> RunRecord:
    """Return the run with that whole id."""
    return _records(connection, select(runs).where(runs.c.run_id == run))[0]


def newest(connection: Connection, limit: int, offset: int) -> list[RunRecord]:
    """Return runs, newest first."""
    query = select(runs).order_by(runs.c.created_at.desc(), runs.c.run_id.desc())
    return _records(connection, query.limit(limit).offset(offset))


def number_of_runs(connection: Connection) -> int:
    """Return how many runs there are."""
    return connection.scalar(select(func.count()).select_from(runs)) or 0


def counts(
    connection: Connection, run_ids: Sequence[str], rule: int | None = None
) -> dict[str, RunCounts]:
    """Return how far each run is, over all its rules or for the one at position `rule`."""
    wanted: ColumnElement[bool] = verdicts.c.run_id.in_(run_ids)
    if rule is not None:
        wanted = and_(wanted, verdicts.c.rule_position == rule)
    of_rules = (
        dict.fromkeys(run_ids, 1) if rule is not None else _sizes(connection, run_rules, run_ids)
    )
    of_entries = _sizes(connection, entries, run_ids)
    by_status = (
        select(verdicts.c.run_id, verdicts.c.status, func.count())
        .where(wanted, verdicts.c.is_current.is_(True))
        .group_by(verdicts.c.run_id, verdicts.c.status)
    )
    statuses = {(run, status): number for run, status, number in connection.execute(by_status)}
    costs = _costs(connection, wanted)
    return {
        run: RunCounts(
            expected=of_entries.get(run, 0) * of_rules.get(run, 0),
            passed=statuses.get((run, "pass"), 0),
            failed=statuses.get((run, "fail"), 0),
            errored=statuses.get((run, "error"), 0),
            cost_usd=costs.get(run, 0.0),
        )
        for run in run_ids
    }


def spent(connection: Connection, run: str) -> Decimal:
    """Return the dollars of every attempt, or what was booked where that is more."""
    kept = connection.scalar(select(func.sum(verdicts.c.cost_usd)).where(verdicts.c.run_id == run))
    booked = connection.scalar(select(runs.c.booked_usd).where(runs.c.run_id == run))
    return max(Decimal(str(kept or 0)), Decimal(str(booked or 0)))


def find_resumable(
    connection: Connection,
    sources: Sequence[str],
    rule_digests: Sequence[str],
    *,
    prechecks_only: bool,
) -> str | None:
    """Return the newest run of the same job that is unfinished or holds an error."""
    errored = exists().where(
        and_(
            verdicts.c.run_id == runs.c.run_id,
            verdicts.c.is_current.is_(True),
            verdicts.c.status == "error",
        )
    )
    query = (
        select(runs.c.run_id)
        .where(runs.c.sources_key == run_writes.sources_key(sources))
        .where(runs.c.rules_key == run_writes.rules_key(rule_digests))
        .where(runs.c.prechecks_only.is_(prechecks_only))
        .where(or_(runs.c.status != "completed", errored))
        .order_by(runs.c.created_at.desc(), runs.c.run_id.desc())
        .limit(1)
    )
    found: str | None = connection.scalar(query)
    return found


def entry_refs(connection: Connection, run: str) -> list[EntryRef]:
    """Return the entries of a run in their order."""
    query = select(entries).where(entries.c.run_id == run).order_by(entries.c.position)
    return [EntryRef(row.entry_id, row.source, row.kind) for row in connection.execute(query)]


def rule_refs(connection: Connection, run: str) -> list[RuleRef]:
    """Return the rules of a run with the text they had when it began."""
    query = (
        select(run_rules.c.name, rules.c.digest, rules.c.resolved)
        .join(rules)
        .where(run_rules.c.run_id == run)
        .order_by(run_rules.c.position)
    )
    return [RuleRef(row.name, row.digest, row.resolved) for row in connection.execute(query)]


def rule_position(connection: Connection, run: str, rule: str | None) -> int:
    """Return the position of a rule; None means the only one. Raises StoreError otherwise."""
    names = [known.name for known in _rule_names(connection, [run])[run]]
    if rule is None and len(names) == 1:
        return 0
    if rule is None or storable.stored_id(rule) not in names:
        wanted = "several rules" if rule is None else f"no rule {escape.line(rule)}"
        raise StoreUsageError(
            f"Run {run} has {wanted}. Name one of: {', '.join(map(escape.line, names))}."
        )
    return names.index(storable.stored_id(rule))


def _records(connection: Connection, query: Select[Any]) -> list[RunRecord]:
    rows = connection.execute(query).all()
    ids = [row.run_id for row in rows]
    names = _rule_names(connection, ids)
    numbers = counts(connection, ids)
    return [_run_record(connection, row, names[row.run_id], numbers[row.run_id]) for row in rows]


def _rule_names(connection: Connection, run_ids: Sequence[str]) -> dict[str, list[RuleName]]:
    found: dict[str, list[RuleName]] = {run: [] for run in run_ids}
    query = (
        select(run_rules)
        .where(run_rules.c.run_id.in_(run_ids))
        .order_by(run_rules.c.run_id, run_rules.c.position)
    )
    for row in connection.execute(query):
        found[row.run_id].append(RuleName(row.name, row.digest))
    return found


def _run_record(
    connection: Connection, row: Row[Any], names: Sequence[RuleName], numbers: RunCounts
) -> RunRecord:
    gone = row.status == "running" and not ownership.has_live_owner(connection, row)
    return RunRecord(
        run_id=row.run_id,
        name=row.name,
        status="interrupted" if gone else row.status,
        created_at=row.created_at,
        finished_at=row.finished_at,
        sources=tuple(row.sources),
        rules=tuple(names),
        options=row.options,
        counts=numbers,
        tool_version=row.tool_version,
        error=row.error,
        host=row.owner_host,
        pid=row.owner_pid,
        pruned_entries=row.pruned_entries,
    )


def _sizes(connection: Connection, table: Table, run_ids: Sequence[str]) -> dict[str, int]:
    query = select(table.c.run_id, func.count()).where(table.c.run_id.in_(run_ids))
    return dict(connection.execute(query.group_by(table.c.run_id)).all())


def _costs(connection: Connection, wanted: ColumnElement[bool]) -> dict[str, float | None]:
    query = select(
        verdicts.c.run_id,
        func.sum(verdicts.c.cost_usd),
        func.count() - func.count(verdicts.c.cost_usd),
    ).where(wanted)
    return {
        run: None if unknown else float(cost or 0.0)
        for run, cost, unknown in connection.execute(query.group_by(verdicts.c.run_id))
    }
