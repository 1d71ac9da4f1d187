"""Write a new run with its rules and entries, inside the caller's transaction."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from judge_bundles import __version__, escape
from judge_bundles.errors import StoreError
from judge_bundles.store import contents, ownership, storable
from judge_bundles.store.records import EntryRef, RuleRef
from judge_bundles.store.schema import entries, rules, run_rules, runs
from judge_bundles.store.timestamps import now
from judge_bundles.verdict import JSON

_SUFFIX_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like another
_SUFFIX_CHARACTERS: Final = 4


def begin(
    connection: Connection,
    token: str,
    *,
    sources: Sequence[str],
    rule_refs: Sequence[RuleRef],
    entry_refs: Sequence[EntryRef],
    options: JSON,
    name: str | None,
) -> str:
    """Write a new run that `token` owns, with its rules and entries, and return its id."""
    _require_unique("rule", [storable.stored_id(rule.name) for rule in rule_refs])
    entry_ids = [storable.stored_id(entry.entry_id) for entry in entry_refs]
    _require_unique("entry", entry_ids)
    run_id = _new_id(connection)
    connection.execute(
        insert(runs),
        {
            "run_id": run_id,
            "name": name,
            "status": "running",
            "created_at": now(),
            "sources": list(sources),
            "sources_key": sources_key(sources),
            "rules_key": rules_key([rule.digest for rule in rule_refs]),
            "options": options,
            "prechecks_only": _prechecks_only(options),
            "tool_version": __version__,
            **ownership.columns(connection, token),
        },
    )
    _insert_rules(connection, run_id, rule_refs)
    _insert_entries(connection, run_id, entry_ids, entry_refs)
    return run_id


def sources_key(sources: Sequence[str]) -> str:
    """Return what equal sets of RUNS have in common."""
    return storable.sha256("\0".join(sorted(set(sources))))


def rules_key(digests: Sequence[str]) -> str:
    """Return what equal sets of rules have in common."""
    return storable.sha256("\0".join(sorted(set(digests))))


def _new_id(connection: Connection) -> str:
    """Return an id that sorts by time and can be read out loud."""
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    while True:
        suffix = "".join(secrets.choice(_SUFFIX_ALPHABET) for _ in range(_SUFFIX_CHARACTERS))
        run_id = f"{stamp}-{suffix}"
        if connection.scalar(select(runs.c.run_id).where(runs.c.run_id == run_id)) is None:
            return run_id


def _require_unique(noun: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise StoreError(
                f"Two times the {noun} {escape.line(name)} in one run. Rename one of them."
            )
        seen.add(name)


def _prechecks_only(options: JSON) -> bool:
    return isinstance(options, Mapping) and options.get("prechecks_only") is True


def _insert_rules(connection: Connection, run_id: str, rule_refs: Sequence[RuleRef]) -> None:
    texts = {rule.digest: rule.resolved for rule in rule_refs}
    contents.insert_missing(connection, rules, "resolved", texts)
    rows = [
        {"run_id": run_id, "position": position, "name": rule.name, "digest": rule.digest}
        for position, rule in enumerate(rule_refs)
    ]
    if rows:
        connection.execute(insert(run_rules), rows)


def add_entries(connection: Connection, run_id: str, entry_refs: Sequence[EntryRef]) -> int:
    """Add the entries that a run does not have yet, after those it has; return how many."""
    known = set(connection.scalars(select(entries.c.entry_id).where(entries.c.run_id == run_id)))
    last = connection.scalar(select(func.max(entries.c.position)).where(entries.c.run_id == run_id))
    new = [entry for entry in entry_refs if storable.stored_id(entry.entry_id) not in known]
    entry_ids = [storable.stored_id(entry.entry_id) for entry in new]
    _require_unique("entry", entry_ids)
    first = 0 if last is None else last + 1  # not their number: what was pruned left gaps
    _insert_entries(connection, run_id, entry_ids, new, first=first)
    return len(new)


def book(connection: Connection, run_id: str, usd: Decimal) -> None:
    """Note the most that a run may have cost so far."""
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(booked_usd=float(usd)))


def _insert_entries(
    connection: Connection,
    run_id: str,
    entry_ids: Sequence[str],
    entry_refs: Sequence[EntryRef],
    *,
    first: int = 0,
) -> None:
    rows = [
        {
            "run_id": run_id,
            "position": position,
            "entry_key": storable.sha256(entry_id),
            "entry_id": entry_id,
            "source": entry.source,
            "kind": entry.kind,
        }
        for position, (entry_id, entry) in enumerate(
            zip(entry_ids, entry_refs, strict=True), start=first
        )
    ]
    if rows:
        connection.execute(insert(entries), rows)
