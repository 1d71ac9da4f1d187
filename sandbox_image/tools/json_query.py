"""Exact values, counts and types from a JSON file, so that they need no eyes.

Values are stated, not quoted: no bytes of the file count as shown. What counts as stated are values
and keys that the file has; what only repeats the query does not.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from typing import Any, NamedTuple

from sandbox_image import child
from sandbox_image.answers import Answer, ToolError
from sandbox_image.arguments import Arguments, Text
from sandbox_image.bundle import Bundle
from sandbox_image.json_path import Found, Walk, describe, parse, walk
from sandbox_image.json_reading import Document
from sandbox_image.limits import (
    CHILD_SECONDS,
    CONTENT_CHARACTERS,
    LISTED_KEYS,
    LISTED_VALUES,
    MAX_JSON_BYTES,
    MAX_QUERY_CHARACTERS,
    VALUE_CHARACTERS,
)
from sandbox_image.names import brief
from sandbox_image.reading import opened
from sandbox_image.registry import tool

_DISTINCT_SHOWN = 20
_KINDS = {
    bool: "boolean",
    type(None): "null",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_INDENTED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_HALVES = re.compile("[\ud800-\udfff]")


class Described(NamedTuple):
    """What is said, of it what the file has, and whether values were left out."""

    lines: list[str]
    stated: list[str]
    cut: bool


@tool(path=Text(required=True), query=Text(longest=MAX_QUERY_CHARACTERS))
def json_query(bundle: Bundle, arguments: Arguments) -> Answer:
    """Without a query the document itself is described."""
    named = bundle.file(arguments.text("path"))
    query = arguments.text("query", "$")
    parse(query)
    with opened(bundle, named.path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > MAX_JSON_BYTES:
            raise ToolError(
                "too_large", f"{brief(named.path)} has {size:,} bytes, over {MAX_JSON_BYTES:,}"
            )
        outcome = child.run(lambda emit: emit(_answer(descriptor, size, query)))
    if outcome.timed_out:
        raise ToolError("timed_out", f"the query was ended after {CHILD_SECONDS:.0f} s")
    [event] = outcome.events
    described = Described(*event)
    head = [f"{brief(named.path)}: {query}", *([named.remark] if named.remark else [])]
    return Answer(
        "\n".join([*head, *described.lines]), cut=described.cut, stated=tuple(described.stated)
    )


def _answer(descriptor: int, size: int, query: str) -> Described:
    raw = os.pread(descriptor, size, 0)
    try:
        return _described(Document(raw, careful=False), query)
    except ValueError:
        return _described(Document(raw, careful=True), query)


def _described(document: Document, query: str) -> Described:
    result = walk(document.value, query)
    alone = len(result.found) == 1 and not result.missing
    described = _one(result.found[0]) if alone else _several(result)
    return described._replace(lines=[*document.remarks, *described.lines])


def _one(found: Found) -> Described:
    """State type and content of a single value."""
    lines = [f"{found.where} is {describe(found.value)}"]
    if isinstance(found.value, dict):
        keys = [_brief(key) for key in list(found.value)[:LISTED_KEYS]]
        more = (
            f" and {len(found.value) - LISTED_KEYS:,} more"
            if len(found.value) > LISTED_KEYS
            else ""
        )
        lines.append(f"keys: {', '.join(keys)}{more}")
    stated = lines[1:]
    room = CONTENT_CHARACTERS - sum(len(line) for line in lines)
    text = _start_of(found.value, room + 1)
    if len(text) > room:
        lines.append(f"Cut: only the first {room:,} characters; query a part of it.")
    return Described([*lines, text[:room]], [*stated, text[:room]], len(text) > room)


def _start_of(value: Any, length: int) -> str:
    """Return the first `length` characters of the value as indented JSON, and make no more."""
    parts = []
    for part in _INDENTED.iterencode(value):
        parts.append(_readable(part))
        length -= len(parts[-1])
        if length <= 0:
            break
    return "".join(parts)


def _several(result: Walk) -> Described:
    """Count values by type, name what is missing, and list as many as fit."""
    found = result.found
    kinds = Counter(_kind(place.value) for place in found)
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    lines = [f"{len(found):,} values{f': {counts}' if counts else ''}"]
    stated = _distinct(found)
    lines += stated
    if result.missing:
        lines.append(f"nothing at {result.missing_total:,} places, the first of them:")
        lines += [f"  {_clip(text)}" for text in result.missing[:_DISTINCT_SHOWN]]
    rows = []
    room = CONTENT_CHARACTERS - sum(len(line) + 1 for line in lines)
    for place in found[:LISTED_VALUES]:
        row = f"{_clip(place.where)} = {_clip(_dump(place.value))}"
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
    cut = len(rows) < len(found)
    if cut:
        lines.append(f"Cut: {len(rows):,} of {len(found):,} values are listed.")
    return Described([*lines, *rows], [*stated, *rows], cut)


def _distinct(found: list[Found]) -> list[str]:
    """Count equal scalars, where that says more than the list."""
    if len(found) < 2 or any(isinstance(place.value, (dict, list)) for place in found):
        return []
    # With the type, since 1, 1.0 and true are equal.
    counts = Counter((type(place.value), place.value) for place in found)
    common = counts.most_common(_DISTINCT_SHOWN)
    shown = ", ".join(f"{_clip(_dump(value))} × {count:,}" for (_, value), count in common)
    more = f", and {len(counts) - _DISTINCT_SHOWN:,} more" if len(counts) > _DISTINCT_SHOWN else ""
    return [f"{len(counts):,} distinct: {shown}{more}"]


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def _dump(value: Any) -> str:
    return _readable(_COMPACT.encode(value))


def _readable(text: str) -> str:
    """Return JSON text in which only lone surrogates are escapes; the rest is readable."""
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _brief(key: str) -> str:
    return _clip(_dump(key))


def _clip(text: str) -> str:
    return text if len(text) <= VALUE_CHARACTERS else f"{text[: VALUE_CHARACTERS - 1]}…"
