"""Rows named by the hash of their content: written once, whoever comes first."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert, select
from sqlalchemy.exc import IntegrityError


def insert_missing(
    connection: Connection, table: Table, column: str, contents: Mapping[str, Any]
) -> None:
    """Write each digest of `contents` that `table` lacks, its value in `column`."""
    known = select(table.c.digest).where(table.c.digest.in_(contents))
    missing = set(contents) - set(connection.scalars(known))
    for digest in sorted(missing):  # in one order everywhere, so that no two writers deadlock
        try:
            with connection.begin_nested():
                connection.execute(insert(table), {"digest": digest, column: contents[digest]})
        except IntegrityError:
            pass  # another process has just written the same
