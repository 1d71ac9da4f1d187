"""The door to everything that is kept: open a store, begin or resume a run, save, look up.

Synchronous and safe to call from several threads. Every method is one transaction; what a writing
method wrote is durable when it returns. Every failure is a StoreError whose message never holds a
password. Queries and rows live in the modules beside this one.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from judge_bundles import verdict
from judge_bundles.errors import StoreError
from judge_bundles.store import (
    ownership,
    run_queries,
    run_writes,
    traces,
    transcript,
    verdict_queries,
    verdict_writes,
)
from judge_bundles.store.database import Database
from judge_bundles.store.opening import open_database
from judge_bundles.store.records import (
    EntryRef,
    FinalStatus,
    Judged,
    JudgeTrace,
    RuleRef,
    RunCounts,
    RunRecord,
    Transcript,
)
from judge_bundles.verdict import JSON, Status, Verdict


class Store:
    """An open store. Use as a context manager; leaving it gives up the runs it still executes.

    Where a method takes `run_id` to read, an unambiguous beginning of an id or "latest" will do;
    methods that write want the whole id and a run that this store began or resumed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._token = secrets.token_hex(16)

    @classmethod
    def open(cls, url: str | None = None, *, create: bool = True) -> Self:
        """Open the store at `url`, else JUDGE_BUNDLES_STORE, else `.judge-bundles/store.db`.

        Tables are created or migrated where needed. With `create=False` a database file that is
        not there is an error, so that reading leaves nothing behind. Raises `StoreUsageError`.
        """
        return cls(open_database(url, create=create))

    @property
    def shown(self) -> str:
        """Where the store is, fit to be printed."""
        return self._database.location.shown

    def close(self) -> None:
        """Close the store. A run still executed through it becomes `interrupted`."""
        # If this fails the run reads as interrupted all the same, once its process is gone.
        with suppress(StoreError), self._database.write("give up its runs") as connection:
            ownership.abandon(connection, self._token)
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # ---- executing a run ------------------------------------------------------------------------

    def begin_run(
        self,
        *,
        sources: Sequence[str],
        rules: Sequence[RuleRef],
        entries: Sequence[EntryRef],
        options: JSON,
        name: str | None = None,
    ) -> str:
        """Write a new run, owned by this store, and return its id.

        Entry ids and rule names are unique within a run. Verdicts of a run whose options say
        `prechecks_only: true` are never reused.
        """
        with self._database.write("begin a run") as connection:
            return run_writes.begin(
                connection,
                self._token,
                sources=sources,
                rule_refs=rules,
                entry_refs=entries,
                options=options,
                name=name,
            )

    def resume_run(self, run_id: str) -> RunRecord:
        """Take over a run that nobody executes. Raises StoreError while its process lives.

        On this machine that is known exactly; elsewhere a heartbeat younger than
        `limits.STORE_HEARTBEAT_STALE_S` counts as alive.
        """
        with self._database.write("resume a run") as connection:
            found = run_queries.run_id(connection, run_id)
            ownership.claim(connection, self._token, found)
            return run_queries.record(connection, found)

    def add_entries(self, run_id: str, entries: Sequence[EntryRef]) -> int:
        """Add the bundles that a resumed run does not have yet; return how many there were."""
        with self._database.write("add bundles to a run") as connection:
            ownership.require_ownership(connection, self._token, run_id)
            return run_writes.add_entries(connection, run_id, entries)

    def find_resumable(
        self,
        *,
        sources: Sequence[str],
        rule_digests: Sequence[str],
        prechecks_only: bool = False,
    ) -> str | None:
        """Return the newest run over the same RUNS by the same rules, in any order, not yet done.

        A run of the gate alone and a full run are different jobs. Not done: it never completed, or
        a current verdict is an error.
        """
        with self._database.read("look for a run to resume") as connection:
            return run_queries.find_resumable(
                connection, sources, rule_digests, prechecks_only=prechecks_only
            )

    def pending(self, run_id: str) -> frozenset[tuple[str, str]]:
        """Return (entry id, rule name) of what has no verdict, or a retryable error for one.

        Both are in the form of `storable.stored_id`, which nearly always is the name itself.
        """
        with self._reading(run_id) as (connection, found):
            return verdict_queries.pending(connection, found)

    def save(self, judged: Judged) -> None:
        """Keep one verdict with its traces. An earlier one for the same place becomes history."""
        self.save_many([judged])

    def save_many(self, judged: Iterable[Judged]) -> None:
        """Keep verdicts in one transaction: all of them, or none when it fails."""
        by_run: dict[str, list[Judged]] = {}
        for one in judged:
            by_run.setdefault(one.verdict.run_id, []).append(one)
        with self._database.write("keep a verdict") as connection:
            for run_id, group in by_run.items():
                ownership.require_ownership(connection, self._token, run_id)
                verdict_writes.write(connection, run_id, group)

    def heartbeat(self, run_id: str) -> None:
        """Say that the run is being executed; due every `limits.STORE_HEARTBEAT_S` seconds."""
        with self._database.write("note that a run is alive") as connection:
            ownership.beat(connection, self._token, run_id)

    def book(self, run_id: str, usd: Decimal) -> None:
        """Say how much the run may have cost by now, calls in flight at their worst included.

        Written before a call is made, so that what a killed process had spent is known. The last
        booking counts; it may be lower than the one before, once what was in flight is settled.
        """
        with self._database.write("book what a run may cost") as connection:
            ownership.require_ownership(connection, self._token, run_id)
            run_writes.book(connection, run_id, usd)

    def spent(self, run_id: str) -> Decimal:
        """Return dollars that a run may have cost: by its verdicts or by its last booking."""
        with self._reading(run_id) as (connection, found):
            return run_queries.spent(connection, found)

    def finish_run(self, run_id: str, *, status: FinalStatus, error: str | None = None) -> None:
        """Give the run its final status and give up its ownership."""
        with self._database.write("finish a run") as connection:
            ownership.finish(connection, self._token, run_id, status=status, error=error)

    def reusable(self, reuse_key: str, *, not_in: str | None = None) -> Verdict | None:
        """Return the newest pass or fail kept under `reuse_key` by any full run but `not_in`.

        An original comes before a copy; errors and gate-only runs never count.
        """
        with self._database.read("look for a verdict to reuse") as connection:
            return verdict_queries.reusable(connection, reuse_key, not_in=not_in)

    # ---- looking up -----------------------------------------------------------------------------

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises StoreError when there is none or the beginning is ambiguous."""
        with self._reading(run_id) as (connection, found):
            return run_queries.record(connection, found)

    def runs(self, limit: int = 50, offset: int = 0) -> list[RunRecord]:
        """Return runs, newest first."""
        with self._database.read("list runs") as connection:
            return run_queries.newest(connection, limit, offset)

    def run_count(self) -> int:
        """Return how many runs there are."""
        with self._database.read("count runs") as connection:
            return run_queries.number_of_runs(connection)

    def latest_run(self) -> RunRecord | None:
        """Return the newest run, if there is any."""
        return next(iter(self.runs(limit=1)), None)

    def counts(self, run_id: str, *, rule: str | None = None) -> RunCounts:
        """Return how far a run is, over all its rules or for one of them."""
        with self._reading(run_id) as (connection, found):
            position = None if rule is None else run_queries.rule_position(connection, found, rule)
            return run_queries.counts(connection, [found], position)[found]

    def entries(self, run_id: str) -> list[EntryRef]:
        """Return the bundles of a run in their order."""
        with self._reading(run_id) as (connection, found):
            return run_queries.entry_refs(connection, found)

    def rules(self, run_id: str) -> list[RuleRef]:
        """Return the rules of a run with the text they had when it began."""
        with self._reading(run_id) as (connection, found):
            return run_queries.rule_refs(connection, found)

    def verdicts(
        self,
        run_id: str,
        *,
        status: Status | None = None,
        passed: bool | None = None,
        rule: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Verdict]:
        """Return current verdicts in the order of entries, then of rules."""
        with self._reading(run_id) as (connection, found):
            return verdict_queries.current(
                connection,
                found,
                status=status,
                passed=passed,
                rule=None if rule is None else run_queries.rule_position(connection, found, rule),
                limit=limit,
                offset=offset,
            )

    def verdict(self, run_id: str, entry_id: str, rule: str | None = None) -> Verdict | None:
        """Return the current verdict, or None when there is none yet.

        `rule` may be left out when the run has one rule. Raises StoreError for an unknown entry or
        rule.
        """
        return next(reversed(self.attempts(run_id, entry_id, rule)), None)

    def attempts(self, run_id: str, entry_id: str, rule: str | None = None) -> list[Verdict]:
        """Return every attempt at one verdict, oldest first; the last one is current."""
        with self._reading(run_id) as (connection, found):
            place = verdict_queries.place(connection, found, entry_id, rule)
            rows = verdict_queries.attempts(connection, place)
            return [verdict.from_record(row.record) for row in rows]

    def trace(
        self, run_id: str, entry_id: str, rule: str | None = None, *, attempt: int | None = None
    ) -> tuple[JudgeTrace, ...]:
        """Return what the judges did, with every request whole; `attempt` counts from 1.

        By default it is that of the current verdict; a reused verdict has the original's.
        """
        with self._reading(run_id) as (connection, found):
            place = verdict_queries.place(connection, found, entry_id, rule)
            for row in reversed(verdict_queries.attempts(connection, place)):
                if attempt in (None, row.attempt):
                    return traces.read(connection, verdict_queries.traced(connection, row))
        return ()

    def transcript(
        self, run_id: str, entry_id: str, rule: str | None = None, *, attempt: int | None = None
    ) -> tuple[Transcript, ...]:
        """Return the conversations of a verdict's judges, each message once."""
        made = self.trace(run_id, entry_id, rule, attempt=attempt)
        return tuple(transcript.conversation(one) for one in made if one.calls)

    @contextmanager
    def _reading(self, run_id: str) -> Iterator[tuple[Connection, str]]:
        with self._database.read("be read") as connection:
            yield connection, run_queries.run_id(connection, run_id)
