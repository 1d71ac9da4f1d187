"""A store as schema 0001 left it, with everything a run of that time had written."""

import base64
import json
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, MetaData, Table, insert, text
from sqlalchemy.types import TypeEngine

from judge_bundles.store import location, versions
from judge_bundles.store.database import Database

DATA: Final = Path(__file__).parents[1] / "orchestrator" / "store" / "data" / "v0001.json"
SERIAL: Final = {"verdicts": "verdict_id", "traces": "trace_id"}


def write(url: str) -> None:
    """Make the tables of that schema at `url`, and fill them."""
    place = location.find(url)
    location.prepare(place, create=True)
    database = Database(place)
    with database.create() as connection:
        versions.migrate(connection, "0001")
        for name, rows in json.loads(DATA.read_text("utf-8")).items():
            table = Table(name, MetaData(), autoload_with=connection, resolve_fks=False)
            for row in rows:
                values = {column: _value(value, table, column) for column, value in row.items()}
                connection.execute(insert(table), values)
            _count_on(connection, name)
    database.close()


def _value(value: Any, table: Table, column: str) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    kind: TypeEngine[Any] = table.c[column].type
    return bool(value) if kind.python_type is bool and value is not None else value


def _count_on(connection: Connection, name: str) -> None:
    """Let the ids that are given next follow those that were written."""
    if connection.dialect.name == "postgresql" and name in SERIAL:
        column = SERIAL[name]
        connection.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{name}', '{column}'), "
                f"(SELECT max({column}) FROM {name}))"
            )
        )
