"""Stores with a past: runs that ended days ago, and what is left in the tables."""

import time
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, NullPool, create_engine, func, select, text

from judge_bundles.store import location, timestamps
from judge_bundles.store.records import Judged
from judge_bundles.store.schema import metadata
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict
from tests.support.store_records import OTHER_RULE, RULE, begin, verdict

DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Past:
    """A store to which runs of earlier days are added."""

    url: str
    store: Store

    def run(self, *saved: Verdict | Judged, ago_days: float = 10, **settings: Any) -> str:
        """Add a run with these verdicts that ended some days ago, and return its id."""
        judged = [one if isinstance(one, Judged) else Judged(one) for one in saved]
        names = dict.fromkeys(one.verdict.entry_id for one in judged)
        run_id = begin(self.store, *names, **{"rules": (RULE, OTHER_RULE), **settings})
        for one in judged:
            self.store.save(replace(one, verdict=replace(one.verdict, run_id=run_id)))
        self.store.finish_run(run_id, status="completed")
        self.end(run_id, ago_days)
        return run_id

    def end(self, run_id: str, ago_days: float) -> None:
        """Let a run have ended, or have been heard of last, some days ago."""
        epoch_s = time.time() - ago_days * DAY_S
        moment = timestamps.at(epoch_s)
        change(
            self.url,
            f"UPDATE runs SET created_at = '{moment}', heartbeat_at = {epoch_s}, "
            f"finished_at = CASE WHEN finished_at IS NULL THEN NULL ELSE '{moment}' END "
            f"WHERE run_id = '{run_id}'",
        )

    def places(self) -> dict[str, list[str]]:
        """Return the bundles that each run has, oldest run first."""
        runs = reversed(self.store.runs(limit=10_000))
        return {
            run.run_id: [one.entry_id for one in self.store.entries(run.run_id)] for run in runs
        }


def about(name: str, content: str = "c", **changes: Any) -> Verdict:
    """Return a verdict about a bundle with that content, for `Past.run`."""
    return verdict("", name, **{"bundle_digest": content * 64, **changes})


def connect(url: str) -> Connection:
    """Open a connection of one's own to the database of a store."""
    return create_engine(location.find(url).url, poolclass=NullPool).connect()


def change(url: str, statement: str) -> None:
    """Execute one statement on the database of a store."""
    with connect(url) as connection:
        connection.execute(text(statement))
        connection.commit()


def rows(url: str) -> dict[str, int]:
    """Return how many rows each table of a store has."""
    with connect(url) as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in metadata.tables.items()
        }
