"""Numbers that a bundle states about its run: taken only when they can be what they claim to be."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

_LARGEST: Final = 10**15
"""No cost, time or number of tokens of one run comes near; larger ones break arithmetic."""

Amount = int | float

# How each family of APIs names tokens. Those of one tuple do not overlap, so they may be added up.
_ADDED_UP: Final = (
    (
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cache_write_tokens",
        "cache_read_tokens",
    ),
    ("prompt_tokens", "completion_tokens"),
    ("total_prompt_tokens", "total_completion_tokens"),
    ("input", "output", "cache_creation", "cache_write", "cache_read"),
)


def amount(value: Any) -> Amount | None:
    """Return a finite number of at least 0 as it is, and None for anything else, `true` included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if 0 <= value <= _LARGEST else None  # NaN compares false


def count(value: Any) -> int | None:
    """Return a whole number of at least 0, and None for anything else."""
    number = amount(value)
    return int(number) if number is not None and number == int(number) else None


def first_amount(members: Mapping[str, Any], keys: Iterable[str]) -> Amount | None:
    """Return the first of several members that is an amount."""
    return next((found for key in keys if (found := amount(members.get(key))) is not None), None)


def total_tokens(usage: Mapping[str, Any]) -> int | None:
    """Return all tokens of a usage, read or written, cached or not; None when it does not say."""
    stated = count(usage.get("total_tokens"))
    if stated is not None:
        return stated
    for names in _ADDED_UP:
        if count(usage.get(names[0])) is not None and count(usage.get(names[1])) is not None:
            return sum(count(usage.get(name)) or 0 for name in names)
    return None


def added_up(usages: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the sum of several usages, key by key, over whole numbers only."""
    total: dict[str, int] = {}
    for usage in usages:
        for key, value in usage.items():
            number = count(value)
            if number is not None:
                total[key] = total.get(key, 0) + number
    return total
