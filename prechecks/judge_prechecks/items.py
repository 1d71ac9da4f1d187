"""Conditions on the items of an array: which fields are filled, and how offenders are named."""

from collections.abc import Callable, Iterable, Sequence

from judge_prechecks.document import Document
from judge_prechecks.outcome import JSON
from judge_prechecks.present import counted, describe
from judge_prechecks.selecting import Selector
from judge_prechecks.visible import has_visible

Offender = tuple[int, JSON]
"""The index of an item and the item."""


def at_least(document: Document, selector: Selector, items: Sequence[JSON], min_items: int) -> None:
    """Raise `UnmetError` when there are fewer items than asked for."""
    if len(items) < min_items:
        message = (
            f"{document.at(selector)} has {counted(len(items), 'item')}, fewer than {min_items:,}"
        )
        raise document.unmet(selector, message, observed=len(items), expected=min_items)


def without_any(items: Sequence[JSON], fields: Sequence[Selector]) -> list[Offender]:
    """Return the items that are no objects or have none of the fields filled."""
    rest: Iterable[Offender] = enumerate(items)
    for field in fields:
        if field.key is not None:
            rest = _not_obviously_filled(rest, field.key)
    getters = [_getter(field) for field in fields]
    return [
        (index, item)
        for index, item in rest
        if not isinstance(item, dict) or not any(is_filled(get(item)) for get in getters)
    ]


def _not_obviously_filled(offenders: Iterable[Offender], key: str) -> list[Offender]:
    """Take out, fast, the objects whose text at `key` begins with a visible ASCII character."""
    return [
        (index, item)
        for index, item in offenders
        if not (
            isinstance(item, dict)
            and isinstance(text := item.get(key), str)
            and " " < text[:1] <= "~"
        )
    ]


def is_filled(value: JSON) -> bool:
    """Return whether a value says something: 0 and false do; null, blank text and [] do not."""
    if isinstance(value, str):
        return has_visible(value)
    if isinstance(value, list | dict):
        return bool(value)
    return value is not None


def describe_item(offender: Offender) -> str:
    """Say what is wrong with an item that `without_any` returned."""
    index, item = offender
    if item is None:
        return f"item {index} is null"
    if not isinstance(item, dict):
        return f"item {index} is {describe(item)}, not an object"
    return f"item {index} has nothing in them"


def find_in(item: JSON, field: Selector) -> Sequence[JSON]:
    """Return what the field selects in one item; a JSONPath that does not fit selects nothing."""
    try:
        return field.find(item)
    except ValueError:
        return ()


def _getter(field: Selector) -> Callable[[JSON], JSON]:
    """Return a function from an item to a value of the field that is filled, if there is one."""
    if field.single:
        return field.value
    return lambda item: next(filter(is_filled, find_in(item, field)), None)
