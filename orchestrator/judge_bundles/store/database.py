"""Connections, transactions and the words for what goes wrong with them.

One write transaction at a time in a process, and in SQLite one in the world: it takes the write
lock when it begins, so that two writers wait for each other and never deadlock.
"""

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError

from judge_bundles import escape, log
from judge_bundles.errors import StoreError
from judge_bundles.limits import STORE_BUSY_TIMEOUT_S, STORE_HEARTBEAT_STALE_S
from judge_bundles.store.location import Location

_WRITES: Final = "judge_bundles_writes"
_CREATION_LOCK: Final = 0x6A756467  # any constant number: PostgreSQL's advisory locks have no names
_LOCK_POLL_S: Final = 0.02
_CONNECT_TIMEOUT_S: Final = 10
_MAX_CAUSE_CHARACTERS: Final = 200
_ADVICE: Final = (
    ("disk is full", "Free some space, then go on with --resume."),
    ("disk full", "Free some space, then go on with --resume."),
    ("no space left", "Free some space, then go on with --resume."),
    ("lock timeout", "Another process has been writing to it for too long; wait, then resume."),
    ("locked", "Another process has been writing to it for too long; wait for it, then resume."),
    ("readonly", "Make the file and its folder writable, or choose another place with --store."),
    ("unable to open", "Check the path and its permissions, or name another with --store."),
    ("not a database", "The file is something else; choose another place with --store."),
    ("malformed", "The file is damaged; restore a backup or choose another place with --store."),
    ("connection", "Check that the database server runs and that the URL is right."),
)
_OTHER_ADVICE: Final = "Run `judge-bundles doctor` to check the store."


class Database:
    """An engine with this store's rules for transactions and errors. Safe to share by threads."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self._engine = _engine(location)
        self._writer = threading.Lock()
        self._closed = False

    @contextmanager
    def read(self, doing: str) -> Iterator[Connection]:
        """Begin a transaction that sees one state; `doing` names it in errors ("list runs")."""
        with self._explained(doing), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, doing: str) -> Iterator[Connection]:
        """Begin a transaction that is durable once its block was left without an exception."""
        with self._explained(doing), self._writer, self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    @contextmanager
    def create(self) -> Iterator[Connection]:
        """Begin a write transaction that only one process at a time is in, to change the schema."""
        alone = nullcontext() if self.location.file is None else self._folder_locked()
        with alone:
            if self.location.file is not None:
                self._use_write_ahead_log()
            with self.write("create or migrate its tables") as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_CREATION_LOCK})"))
                yield connection

    def size_bytes(self) -> int | None:
        """Return how much an SQLite store takes on the disk; None for a database server."""
        file = self.location.file
        if file is None:
            return None
        parts = (file, file.with_name(f"{file.name}-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def compact(self) -> None:
        """Give the space of removed rows back to the file system; nothing to do for a server.

        Whoever wants to write meanwhile waits, and there must be room for a second copy.
        """
        if self.location.file is None:
            return
        with self._explained("give back space"), self._writer, self._engine.connect() as connection:
            raw = _raw(connection)
            if raw.execute("PRAGMA freelist_count").fetchone() != (0,):
                raw.execute("VACUUM")
            # The file itself shrinks when the log is copied into it.
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Give back all connections; the store cannot be used afterwards."""
        self._closed = True
        self._engine.dispose()

    def _use_write_ahead_log(self) -> None:
        with self._explained("be prepared"), self._engine.connect() as connection:
            _raw(connection).execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def _folder_locked(self) -> Iterator[None]:
        # SQLite does not wait for its own lock while it switches to the write-ahead log.
        assert self.location.file is not None
        folder = os.open(self.location.file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._wait_for(folder)
            yield
        finally:
            os.close(folder)

    def _wait_for(self, folder: int) -> None:
        patience_s = float(str(self.location.url.query.get("timeout", STORE_BUSY_TIMEOUT_S)))
        deadline = time.monotonic() + patience_s
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StoreError(
                        f"The store {self.location.shown} is being created by another process "
                        f"for more than {patience_s:g} s. Wait for it, or end it."
                    ) from None
                time.sleep(_LOCK_POLL_S)
            else:
                return

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        if self._closed:
            raise StoreError(f"The store {self.location.shown} has been closed.")
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause = _cause(error)
            raise StoreError(
                f"The store {self.location.shown} could not {doing}: {cause}. {_advice(cause)}"
            ) from error


def _engine(location: Location) -> Engine:
    sqlite = location.file is not None
    try:
        engine = create_engine(
            location.url,
            hide_parameters=True,
            pool_timeout=STORE_BUSY_TIMEOUT_S,
            pool_pre_ping=not sqlite,
            connect_args=_patience(location),
        )
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(
            f"The driver for {location.shown} is not installed. Use sqlite:///FILE, or "
            "postgresql://… after pip install 'judge-bundles[postgres]'."
        ) from error
    if sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _set_up_postgresql)
    return engine


def _patience(location: Location) -> dict[str, Any]:
    """Return how long to wait for a lock or a connection, where the URL itself does not say."""
    driver = location.url.get_driver_name()
    waits = {
        "pysqlite": ("timeout", STORE_BUSY_TIMEOUT_S),
        "psycopg": ("connect_timeout", _CONNECT_TIMEOUT_S),
    }
    option, seconds = waits.get(driver, ("", 0.0))
    return {option: seconds} if option and option not in location.url.query else {}


def _raw(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection, for what SQLite does outside of transactions."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = (
        None  # transactions begin where we say, not where the driver guesses
    )
    connection.execute("PRAGMA foreign_keys = ON")
    # FULL syncs the log at each commit: a verdict outlives not only the process but the power.
    connection.execute("PRAGMA synchronous = FULL")


def _set_up_postgresql(connection: DBAPIConnection, _record: object) -> None:
    """Wait for others no longer than in SQLite, and make no one wait for a process that hangs."""
    cursor = connection.cursor()
    cursor.execute(f"SET lock_timeout = '{STORE_BUSY_TIMEOUT_S:.0f}s'")
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{STORE_HEARTBEAT_STALE_S:.0f}s'")
    cursor.close()
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _cause(error: Exception) -> str:
    """Return what the driver said, as one line without secrets."""
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    first = said.splitlines()[0].rstrip(". ")
    return escape.line(log.redact(first), limit=_MAX_CAUSE_CHARACTERS)


def _advice(cause: str) -> str:
    lowered = cause.lower()
    return next((advice for sign, advice in _ADVICE if sign in lowered), _OTHER_ADVICE)
