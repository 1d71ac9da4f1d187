"""What one side of `count_equals` can be: a stated value, a number of items, a number of files."""

from dataclasses import dataclass

from judge_prechecks.document import Document
from judge_prechecks.outcome import JSON
from judge_prechecks.patterns import Pattern
from judge_prechecks.present import counted, describe
from judge_prechecks.selecting import Selector
from judge_prechecks.view import View

_STATED = "a number or text"
_COUNTED = "an array or object"


@dataclass(slots=True)
class Count:
    """A value to compare, and `where` it comes from in words."""

    value: int | float | str
    where: str
    file: str
    path: str | None = None


def count_field(document: Document, selector: Selector) -> Count:
    """Return the one number or text at the place; nothing else can be compared."""
    value = document.one(selector, _STATED)
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return Count(value, document.at(selector), document.name, selector.text)
    if isinstance(value, list | dict):
        message = f"{document.at(selector)} is {describe(value)}, not {_STATED} (len counts it)"
        raise document.unmet(selector, message, observed=value, expected=_STATED)
    raise document.wrong_type(selector, value, _STATED)


def count_items(document: Document, selector: Selector) -> Count:
    """Return how many items an array, keys an object, or matches a multiple path has."""
    number, what = _number(document, selector)
    where = f"{document.at(selector)}, {counted(number, what)}"
    return Count(number, where, document.name, selector.text)


def count_files(view: View, pattern: Pattern) -> Count:
    """Return how many files match; none is a number like any other."""
    number = len(view.files(pattern))
    where = f"{counted(number, 'file')} matching {pattern.shown}"
    return Count(number, where, pattern.shown)


def _number(document: Document, selector: Selector) -> tuple[int, str]:
    if selector.multiple:
        return len(document.array(selector)), "match"
    value: JSON = document.one(selector, _COUNTED)
    if isinstance(value, list):
        return len(value), "item"
    if isinstance(value, dict):
        return len(value), "key"
    raise document.wrong_type(selector, value, _COUNTED)
