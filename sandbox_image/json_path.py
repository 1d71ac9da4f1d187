"""Walk a parsed JSON document along dotted names, `[n]` and `[*]`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Union

from sandbox_image.answers import ToolError, refuse_arguments
from sandbox_image.limits import LISTED_KEYS, MAX_VALUES

_STEP = re.compile(
    r"""\[\s*(?:(?P<star>\*)|(?P<index>-?[0-9]{1,9})|'(?P<single>[^']*)'|"(?P<double>[^"]*)")\s*\]"""
    r"""|\.?(?P<name>[^.\[\]]+)"""
)
_ALL = object()

Step = Union[str, int, object]
Steps = list[Step]


class Found(NamedTuple):
    """One value, and the step that led to it from another; the document itself has none."""

    value: Any
    step: str | int = ""
    parent: Found | None = None

    @property
    def where(self) -> str:
        """The way to the value, written as a query."""
        steps = []
        place = self
        while place.parent is not None:
            steps.append(f"[{place.step}]" if isinstance(place.step, int) else _key(place.step))
            place = place.parent
        return "".join(["$", *reversed(steps)])


class Walk(NamedTuple):
    """What a query leads to. `missing` are the first places where it led nowhere, with the reason."""

    found: list[Found]
    missing: list[str]
    missing_total: int


def parse(query: str) -> Steps:
    """Return the steps of a query; `$` or nothing is the document itself."""
    rest = query.strip()
    rest = rest.removeprefix("$")
    steps: Steps = []
    position = 0
    while position < len(rest):
        match = _STEP.match(rest, position)
        if match is None:
            raise refuse_arguments(f"not a query, at character {position + 1}: {_HOW}")
        steps.append(_step(match))
        position = match.end()
    return steps


def walk(document: Any, query: str) -> Walk:
    """Follow a query. A key that is the whole query wins over its parts."""
    steps = parse(query)
    if isinstance(document, dict) and query in document:
        steps = [query]
    found = [Found(document)]
    missing: list[str] = []
    total = 0
    for step in steps:
        following: list[Found] = []
        for place in found:
            values = _follow(place, step)
            if isinstance(values, str):
                total += 1
                if len(missing) < LISTED_KEYS:
                    missing.append(values)
                continue
            following += values
            if len(following) > MAX_VALUES:
                raise ToolError("too_large", f"more than {MAX_VALUES:,} values; ask for fewer")
        found = following
    return Walk(found, missing, total)


_HOW = 'use dotted names, [n], [*] and ["a name"], such as findings[*].severity'


def _step(match: re.Match[str]) -> Step:
    if match["star"]:
        return _ALL
    if match["index"]:
        return int(match["index"])
    names = (match["name"], match["single"], match["double"])
    name = next(name for name in names if name is not None)
    return _ALL if name == "*" and match["name"] else name


def _follow(place: Found, step: Step) -> list[Found] | str:
    """Return the values one step on, or why there are none."""
    value = place.value
    if step is _ALL:
        return _all(place)
    if isinstance(step, int):
        return _item(place, step)
    if not isinstance(value, dict):
        hint = "; [*] goes through its items" if isinstance(value, list) else ""
        return f"{place.where} is {describe(value)}, not an object{hint}"
    if step not in value:
        return f"{place.where} has no key {step!r}"
    return [Found(value[step], str(step), place)]


def _all(place: Found) -> list[Found] | str:
    if isinstance(place.value, list):
        return [Found(item, n, place) for n, item in enumerate(place.value)]
    if isinstance(place.value, dict):
        return [Found(item, key, place) for key, item in place.value.items()]
    return f"{place.where} is {describe(place.value)}, not an array or object"


def _item(place: Found, index: int) -> list[Found] | str:
    if not isinstance(place.value, list):
        return f"{place.where} is {describe(place.value)}, not an array"
    length = len(place.value)
    if not -length <= index < length:
        return f"{place.where} has {length:,} items, none at [{index}]"
    return [Found(place.value[index], index % length, place)]


def _key(key: str) -> str:
    return f".{key}" if re.fullmatch(r"[\w-]+", key) else f"[{key!r}]"


def describe(value: Any) -> str:
    """Return the type of a JSON value in words."""
    if isinstance(value, bool):
        return "a boolean"
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return (
        f"an array of {len(value):,}"
        if isinstance(value, list)
        else f"an object of {len(value):,} keys"
    )
