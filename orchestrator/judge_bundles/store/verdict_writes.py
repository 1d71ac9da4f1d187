"""Rows of verdicts: each save is a new attempt, and the last attempt is the current one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, and_, func, insert, select, update

from judge_bundles import escape, verdict
from judge_bundles.errors import StoreError
from judge_bundles.store import storable, traces
from judge_bundles.store.records import Judged
from judge_bundles.store.schema import entries, run_rules, verdicts

_Item = TypeVar("_Item")
_LOOKUP_ROWS: Final = 500  # keys in one query; databases limit the parameters of a statement

Place = tuple[int, int]
"""Position of the entry and position of the rule, which together name a verdict of a run."""


def write(connection: Connection, run_id: str, judged: Sequence[Judged]) -> None:
    """Write verdicts of one run with their traces. Raises StoreError for what is not in the run."""
    rule_positions = _rule_positions(connection, run_id)
    judged = [_with_stored_names(one, rule_positions) for one in judged]
    places = _places(connection, run_id, judged, rule_positions)
    rows = _numbered(places, _attempts(connection, run_id, places), judged)
    _supersede(connection, run_id, {place for place, row in rows if row["attempt"] > 1})
    plain = [row for (_, row), one in zip(rows, judged, strict=True) if not one.traces]
    if plain:
        connection.execute(insert(verdicts), plain)
    for (_, row), one in zip(rows, judged, strict=True):
        if one.traces:
            inserted = connection.execute(insert(verdicts), row).inserted_primary_key
            assert inserted is not None
            traces.write(connection, inserted[0], one.traces)


def _with_stored_names(one: Judged, rule_positions: Mapping[str, int]) -> Judged:
    """Name entry and rule in the verdict as they are named in the tables."""
    given = one.verdict
    entry_id = storable.stored_id(given.entry_id)
    rule = given.rule if given.rule in rule_positions else storable.stored_id(given.rule)
    if (entry_id, rule) == (given.entry_id, given.rule):
        return one
    return replace(one, verdict=replace(given, entry_id=entry_id, rule=rule))


def _places(
    connection: Connection,
    run_id: str,
    judged: Sequence[Judged],
    rule_positions: Mapping[str, int],
) -> list[Place]:
    keys = [storable.sha256(one.verdict.entry_id) for one in judged]  # of the stored id
    entry_positions = _entry_positions(connection, run_id, keys)
    places = []
    for one, key in zip(judged, keys, strict=True):
        entry = entry_positions.get(key)
        rule = rule_positions.get(one.verdict.rule)
        if entry is None or rule is None:
            raise StoreError(
                f"Run {run_id} has no entry {escape.line(one.verdict.entry_id)} with a rule "
                f"{escape.line(one.verdict.rule)}; its verdict was not kept."
            )
        places.append((entry, rule))
    return places


def _rule_positions(connection: Connection, run_id: str) -> dict[str, int]:
    query = select(run_rules.c.name, run_rules.c.position).where(run_rules.c.run_id == run_id)
    return dict(connection.execute(query).all())


def _entry_positions(connection: Connection, run_id: str, keys: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in _chunks(keys):
        query = (
            select(entries.c.entry_key, entries.c.position)
            .where(entries.c.run_id == run_id)
            .where(entries.c.entry_key.in_(some))
        )
        found.update(dict(connection.execute(query).all()))
    return found


def _attempts(connection: Connection, run_id: str, places: Sequence[Place]) -> dict[Place, int]:
    """Return the last attempt of each entry that has been judged before."""
    found: dict[Place, int] = {}
    for some in _chunks(sorted({entry for entry, _ in places})):
        query = (
            select(
                verdicts.c.entry_position,
                verdicts.c.rule_position,
                func.max(verdicts.c.attempt),
            )
            .where(verdicts.c.run_id == run_id)
            .where(verdicts.c.entry_position.in_(some))
            .group_by(verdicts.c.entry_position, verdicts.c.rule_position)
        )
        found.update({(entry, rule): last for entry, rule, last in connection.execute(query)})
    return found


def _numbered(
    places: Sequence[Place], attempts: dict[Place, int], judged: Sequence[Judged]
) -> list[tuple[Place, dict[str, Any]]]:
    newest: dict[Place, dict[str, Any]] = {}
    rows = []
    for place, one in zip(places, judged, strict=True):
        attempts[place] = attempts.get(place, 0) + 1
        if place in newest:
            newest[place]["is_current"] = False
        newest[place] = _row(place, attempts[place], one)
        rows.append((place, newest[place]))
    return rows


def _supersede(connection: Connection, run_id: str, places: set[Place]) -> None:
    for entry, rule in sorted(places):
        connection.execute(
            update(verdicts)
            .where(
                and_(
                    verdicts.c.run_id == run_id,
                    verdicts.c.is_current.is_(True),
                    verdicts.c.entry_position == entry,
                    verdicts.c.rule_position == rule,
                )
            )
            .values(is_current=False)
        )


def _row(place: Place, attempt: int, one: Judged) -> dict[str, Any]:
    judged = one.verdict
    return {
        "run_id": judged.run_id,
        "entry_position": place[0],
        "rule_position": place[1],
        "attempt": attempt,
        "is_current": True,
        "status": judged.status,
        "passed": judged.passed,
        "stage": judged.stage,
        "reason": judged.reason,
        "bundle_digest": judged.bundle_digest,
        "rule_digest": judged.rule_digest,
        "model": judged.model,
        "cost_usd": judged.cost_usd,
        "latency_ms": judged.latency_ms,
        "error_kind": judged.error and judged.error.kind,
        "retryable": judged.error and judged.error.retryable,
        "reuse_key": one.reuse_key,
        "reused_from": judged.reused_from,
        "finished_at": judged.finished_at,
        "record": verdict.to_record(judged),
    }


def _chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), _LOOKUP_ROWS):
        yield items[start : start + _LOOKUP_ROWS]
