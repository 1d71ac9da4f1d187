"""Bring a store to the schema of this version of the program, or say why that cannot be.

The check is one query; the migration tool is imported only when there is something to migrate.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from judge_bundles.errors import StoreError
from judge_bundles.store.database import Database
from judge_bundles.store.schema import metadata

REVISIONS: Final = ("0001", "0002")
"""Every schema this version knows, oldest first; one file in `migrations/versions` each."""
CURRENT: Final = REVISIONS[-1]
VERSION_TABLE: Final = "judge_bundles_schema"
MIGRATIONS: Final = Path(__file__).parent / "migrations"


def ensure_current(database: Database) -> None:
    """Create or migrate the tables where needed. Raises StoreError for a newer or foreign database."""
    with database.read("be opened") as connection:
        found = _revision(connection)
    if found == CURRENT:
        return
    _refuse_newer(found, database.location.shown)
    with database.create() as connection:
        # Another process may have been faster.
        found = _revision(connection)
        _refuse_newer(found, database.location.shown)
        if found is None:
            _refuse_foreign(connection, database.location.shown)
        if found != CURRENT:
            migrate(connection, CURRENT)


def migrate(connection: Connection, revision: str) -> None:
    """Run the migrations up to `revision` in the transaction that `connection` is in."""
    from alembic import command  # noqa: PLC0415 - costs 130 ms, and nearly no start needs it
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection, "version_table": VERSION_TABLE})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 - a constant


def _refuse_newer(found: str | None, shown: str) -> None:
    if found is not None and found not in REVISIONS:
        raise StoreError(
            f"The store {shown} was written by a newer judge-bundles (its schema is {found}, this "
            f"version knows up to {CURRENT}). Upgrade judge-bundles, or name another store."
        )


def _refuse_foreign(connection: Connection, shown: str) -> None:
    taken = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
    if taken:
        raise StoreError(
            f"The database {shown} already has a table named {taken[0]} that is not this program's. "
            "Use a database or schema of its own for the store."
        )
