"""Column types that clean what they are given, so that no statement can write unclean text."""

import json
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from judge_bundles.store import storable

SerialKey = BigInteger().with_variant(Integer, "sqlite")
"""Counts up; SQLite does that for INTEGER only."""


class CleanText(TypeDecorator[str]):
    """Text without secrets and without characters a database refuses."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else storable.text(value)


class Name(TypeDecorator[str]):
    """An entry id or a rule name in its stored form, in which different names stay different."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else storable.stored_id(value)


class JsonText(TypeDecorator[Any]):
    """JSON as ASCII text, which every database and `sqlite3` on the command line can read."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Dialect) -> str:
        return storable.json_text(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class PackedJson(TypeDecorator[Any]):
    """JSON that may be large, compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Dialect) -> bytes:
        return storable.pack(value)

    def process_result_value(self, value: bytes | None, _dialect: Dialect) -> Any:
        return None if value is None else storable.unpack(value)
