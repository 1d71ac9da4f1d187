"""Who executes a run. Every function works inside the caller's transaction.

A run is owned by at most one open store at a time, known by its token. Ownership is checked again
by each write, so that a process which was taken for dead and was not cannot write into what another
has resumed.
"""

import time
from typing import Any

from sqlalchemy import Connection, Row, extract, func, select, update

from judge_bundles.errors import StoreError, StoreUsageError
from judge_bundles.limits import STORE_HEARTBEAT_STALE_S
from judge_bundles.store.process import Owner, is_alive, is_here, this_process
from judge_bundles.store.records import FinalStatus
from judge_bundles.store.schema import runs
from judge_bundles.store.timestamps import now


def claim(connection: Connection, token: str, run_id: str) -> None:
    """Make `token` the owner of a run that nobody executes. Raises StoreError if somebody does."""
    query = select(runs).where(runs.c.run_id == run_id).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise StoreUsageError(f"Run {run_id} has just been removed. Start a new one.")
    if has_live_owner(connection, row):
        raise StoreUsageError(_refusal(connection, row))
    changes = {"status": "running", "finished_at": None, "error": None}
    changes |= columns(connection, token)
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(changes))


def require_ownership(connection: Connection, token: str, run_id: str) -> None:
    """Raise StoreError unless `token` owns the run; until the transaction ends it stays so."""
    query = select(runs.c.owner_token).where(runs.c.run_id == run_id).with_for_update()
    if connection.scalar(query) != token:
        raise StoreError(
            f"Run {run_id} is not (or no longer) executed by this process; nothing was written. "
            "Another process may have resumed it."
        )


def finish(
    connection: Connection, token: str, run_id: str, *, status: FinalStatus, error: str | None
) -> None:
    """Give the run its final status and give up its ownership."""
    require_ownership(connection, token, run_id)
    changes = {"status": status, "finished_at": now(), "error": error, "owner_token": None}
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(changes))


def abandon(connection: Connection, token: str) -> None:
    """Mark what `token` still owns as interrupted."""
    changes = {"status": "interrupted", "finished_at": now(), "owner_token": None}
    connection.execute(update(runs).where(runs.c.owner_token == token).values(changes))


def beat(connection: Connection, token: str, run_id: str) -> None:
    """Say that the owner is alive."""
    require_ownership(connection, token, run_id)
    changes = {"heartbeat_at": clock(connection)}
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(changes))


def has_live_owner(connection: Connection, row: Row[Any]) -> bool:
    """Tell whether somebody executes the run of this row."""
    if row.owner_token is None:
        return False
    return is_alive(_owner(row), clock(connection) - row.heartbeat_at)


def columns(connection: Connection, token: str) -> dict[str, Any]:
    """Return the values which make `token`, in this process, the owner of a run."""
    owner = this_process()
    return {
        "owner_token": token,
        "owner_host": owner.host,
        "owner_pid": owner.pid,
        "owner_boot": owner.boot,
        "owner_namespace": owner.namespace,
        "owner_started": owner.started,
        "heartbeat_at": clock(connection),
    }


def clock(connection: Connection) -> float:
    """Return seconds since the epoch by the clock that every process at this store shares.

    A database server has one; the clocks of the machines that use it may differ by minutes. An
    SQLite file is shared by processes of one machine.
    """
    if connection.dialect.name == "postgresql":
        return float(connection.scalar(select(extract("epoch", func.clock_timestamp()))) or 0)
    return time.time()


def _owner(row: Row[Any]) -> Owner:
    return Owner(
        row.owner_host, row.owner_pid, row.owner_boot, row.owner_namespace, row.owner_started
    )


def _refusal(connection: Connection, row: Row[Any]) -> str:
    who = f"Run {row.run_id} is being executed by process {row.owner_pid} on {row.owner_host}"
    if is_here(_owner(row)):
        return f"{who}. Wait until it ends, or end it, then resume."
    silent_s = max(0.0, clock(connection) - row.heartbeat_at)
    return (
        f"{who}, heard of {silent_s:.0f} s ago. If that machine or container is gone, resume once "
        f"it has been silent for {STORE_HEARTBEAT_STALE_S:.0f} s."
    )
