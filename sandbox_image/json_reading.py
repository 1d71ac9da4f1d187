"""Parse a JSON file strictly; what is wrong is said with line and column.

Called in a child process only: a small file can need a great deal of memory.
"""

from __future__ import annotations

import codecs
import json
import math
from typing import Any, NoReturn

from sandbox_image.answers import ToolError
from sandbox_image.limits import MAX_INTEGER_DIGITS


class Document:
    """A parsed file. `remarks` say what plain values cannot: repeated keys, numbers kept as text.

    Not `careful`, it is parsed fast, and numbers that are too large raise `ValueError`: integers at
    once, others when they are written.
    """

    def __init__(self, raw: bytes, *, careful: bool) -> None:
        self._repeated: set[str] = set()
        self._huge = 0
        text = _decoded(raw)
        try:
            self.value: Any = json.loads(
                text,
                object_pairs_hook=self._object,
                parse_int=self._integer if careful else None,
                parse_float=self._float if careful else None,
                parse_constant=_refuse_constant,
            )
        except json.JSONDecodeError as error:
            raise _bad(error.msg, error.lineno, error.colno) from None
        except RecursionError:
            raise ToolError("bad_json", "not usable as JSON: nested too deeply") from None

    @property
    def remarks(self) -> list[str]:
        """Statements to be shown with any answer about the document."""
        said = []
        if self._repeated:
            keys = ", ".join(ascii(key[:80]) for key in sorted(self._repeated)[:5])
            said.append(f"Keys that occur twice in one object, of which the last counts: {keys}")
        if self._huge:
            said.append(f"{self._huge:,} numbers too large for a number are given as strings.")
        return said

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                (self._repeated if key in seen else seen).add(key)
        return made

    def _integer(self, digits: str) -> int | str:
        if len(digits) <= MAX_INTEGER_DIGITS:
            return int(digits)
        self._huge += 1
        return digits

    def _float(self, digits: str) -> float | str:
        value = float(digits)
        if math.isfinite(value):
            return value
        self._huge += 1
        return digits


def _decoded(raw: bytes) -> str:
    body = raw[3:] if raw.startswith(codecs.BOM_UTF8) else raw
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8", "replace")
        column = len(before) - before.rfind("\n")
        raise _bad("not UTF-8", before.count("\n") + 1, column) from None


def _bad(what: str, line: int, column: int) -> ToolError:
    return ToolError("bad_json", f"not JSON: {what}, line {line:,}, column {column:,}")


def _refuse_constant(name: str) -> NoReturn:
    raise ToolError("bad_json", f"not JSON: {name} is no JSON value")
