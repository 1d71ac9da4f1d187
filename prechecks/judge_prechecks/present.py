"""Put values from a bundle into words and into outcomes: short, printable, and saying what was cut.

Nothing here recurses deeper than `MAX_SHOWN_DEPTH` or walks more than what it shows.
"""

import json
from itertools import islice
from typing import Final

from judge_prechecks.limits import (
    MAX_SHOWN_CHARACTERS,
    MAX_SHOWN_DEPTH,
    MAX_SHOWN_DIGITS,
    MAX_SHOWN_ITEMS,
)
from judge_prechecks.outcome import JSON

_FIRST_CUT_INTEGER: Final = 10**MAX_SHOWN_DIGITS


def printable(text: str) -> str:
    """Return `text` with everything that could act on a terminal or mislead as a JSON escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def cut(text: str, limit: int = MAX_SHOWN_CHARACTERS) -> str:
    """Return at most `limit` characters of `text` and, if that is less, how many there were."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text):,} characters)"


def quote(text: str) -> str:
    """Return `text` in double quotes on one line."""
    shown = printable(json.dumps(text[:MAX_SHOWN_CHARACTERS], ensure_ascii=False))
    return shown if len(text) <= MAX_SHOWN_CHARACTERS else f"{shown}… ({len(text):,} characters)"


def describe(value: JSON) -> str:
    """Name a value by kind and, for a scalar, content: `null`, `"x"`, `an array of 3 items`."""
    if isinstance(value, str):
        return f"the text {quote(value)}"
    if isinstance(value, list):
        return f"an array of {counted(len(value), 'item')}"
    if isinstance(value, dict):
        return f"an object with {counted(len(value), 'key')}"
    return scalar(value)


def scalar(value: JSON) -> str:
    """Return a scalar as JSON writes it; an array or object only by kind."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (list, dict)):
        return describe(value)
    shown = bounded(value)
    return shown if isinstance(shown, str) else json.dumps(shown)


def counted(number: int, noun: str) -> str:
    """Return `1 file`, `2 matches`, `10,000 files`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}{'es' if noun.endswith('ch') else 's'}"


def bounded(value: JSON, depth: int = MAX_SHOWN_DEPTH) -> JSON:
    """Return `value` small enough for an outcome; whatever is left out is counted in its place."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, int):
        return value if abs(value) < _FIRST_CUT_INTEGER else _cut_integer(value)
    if isinstance(value, list):
        return _bounded_array(value, depth)
    if isinstance(value, dict):
        return _bounded_object(value, depth)
    return value


def _cut_integer(value: int) -> str:
    digits = str(value)
    return f"{digits[:MAX_SHOWN_DIGITS]}… ({len(digits.lstrip('-')):,} digits)"


def _bounded_array(value: list[JSON], depth: int) -> JSON:
    if not depth:
        return describe(value)
    shown = [bounded(item, depth - 1) for item in value[:MAX_SHOWN_ITEMS]]
    left_out = len(value) - len(shown)
    return [*shown, f"… and {left_out:,} more"] if left_out else shown


def _bounded_object(value: dict[str, JSON], depth: int) -> JSON:
    if not depth:
        return describe(value)
    shown = {cut(key): bounded(value[key], depth - 1) for key in islice(value, MAX_SHOWN_ITEMS)}
    left_out = len(value) - MAX_SHOWN_ITEMS
    return {**shown, "…": f"and {left_out:,} more"} if left_out > 0 else shown
