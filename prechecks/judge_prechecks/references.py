"""Look up file references that stand in a document: plain paths, matched like literal names.

References are hostile in number and in form, so each costs a binary search and none is ever tried
as a pattern.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from judge_prechecks import names
from judge_prechecks.items import find_in
from judge_prechecks.limits import MAX_PATTERN_CHARACTERS
from judge_prechecks.outcome import JSON
from judge_prechecks.present import describe, printable, quote
from judge_prechecks.selecting import Selector
from judge_prechecks.visible import has_visible

_LINE_NUMBERS: Final = re.compile(r":[0-9]+(?:[-:][0-9]+)?\Z")


class Targets:
    """The paths that may be referred to, whole or by a suffix on component boundaries.

    `refused` gives the reason for paths that are there but are no targets, such as links.
    """

    def __init__(self, paths: Iterable[str], refused: Mapping[str, str]) -> None:
        self._paths = frozenset(paths)
        self._refused = refused
        self._endings: _Endings | None = None
        self._refused_endings = _Endings(refused)

    def why_not(self, reference: str) -> str | None:
        """Return why a text refers to none of them, None when it does."""
        if reference in self._paths:
            return None
        if (malformed := _malformed(reference)) is not None:
            return malformed
        for path in dict.fromkeys((_normal(reference), _normal(names.parse(reference)))):
            if path in self._refused:
                return self._refused[path]
            if self._ends_one(path):
                return None
            if (refused := self._refused_endings.find(path)) is not None:
                return self._refused[refused]
        return f"is not there{self._hint(reference)}"

    def _ends_one(self, path: str) -> bool:
        if path in self._paths:
            return True
        if self._endings is None:
            self._endings = _Endings(self._paths)
        return self._endings.find(path) is not None

    def _hint(self, reference: str) -> str:
        if reference.startswith("/"):
            return " (an absolute path)"
        plain = _LINE_NUMBERS.sub("", reference)
        if plain != reference and self._ends_one(_normal(plain)):
            return f" ({quote(plain)} is: line numbers are no part of a path)"
        return ""


class _Endings:
    """Paths spelled backwards and sorted, so that those with one ending stand together."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._backwards = sorted(f"{path[::-1]}/" for path in paths)

    def find(self, ending: str) -> str | None:
        """Return a path that is `ending` or ends with it after a slash."""
        wanted = f"{ending[::-1]}/"
        index = bisect_left(self._backwards, wanted)
        found = self._backwards[index] if index < len(self._backwards) else ""
        return found[-2::-1] if ending and found.startswith(wanted) else None


def unresolved(
    items: Sequence[JSON], field: Selector, targets: Targets
) -> tuple[list[tuple[int, str]], int]:
    """Return the index and reason of every reference that leads nowhere, and how many there are."""
    offenders: list[tuple[int, str]] = []
    reasons: dict[str, str | None] = {}
    references = 0
    for index, item in enumerate(items):
        found = find_in(item, field)
        references += len(found)
        if not found and (reason := _why_none(item, field)):
            offenders.append((index, reason))
        for value in found:
            if not isinstance(value, str):
                offenders.append((index, _wrong_type(value)))
                continue
            if value not in reasons:
                reasons[value] = targets.why_not(value)
            if (why := reasons[value]) is not None:
                offenders.append((index, f"{quote(value)} {why}"))
    return offenders, references


def describe_reference(offender: tuple[int, str]) -> str:
    """Return `item 3: "src/app.py" is not there`."""
    index, reason = offender
    return f"item {index}: {reason}"


def _normal(reference: str) -> str:
    """Return the path without `./` and doubled slashes; an absolute one stays absolute."""
    if "./" not in reference and "//" not in reference and reference != ".":
        return reference
    root = "/" if reference.startswith("/") else ""
    return root + "/".join(part for part in reference.split("/") if part not in {"", "."})


def _malformed(reference: str) -> str | None:
    if not has_visible(reference):
        return "is blank"
    if len(reference) > MAX_PATTERN_CHARACTERS:
        return "is too long for a path"
    return "has '..' in it" if ".." in reference.split("/") else None


def _wrong_type(value: JSON) -> str:
    return "the reference is null" if value is None else f"{describe(value)} is no reference"


def _why_none(item: JSON, field: Selector) -> str | None:
    """Return why an item refers to nothing; None when it has a list of references that is empty."""
    if item is None:
        return "is null"
    return None if _has_empty_list(item, field) else f"{printable(field.text)} is missing"


def _has_empty_list(item: JSON, field: Selector) -> bool:
    if not field.multiple:
        return False
    try:
        chosen_from = field.containers(item)
    except ValueError:
        return False
    if chosen_from is None:
        return True
    return bool(chosen_from[1]) and all(isinstance(one, list | dict) for one in chosen_from[1])
