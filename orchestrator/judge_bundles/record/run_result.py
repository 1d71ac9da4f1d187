"""What a bundle's `run_result.json` states about the run; a value that cannot be true is no value."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.record.amounts import Amount, amount, count, total_tokens

_COST: Final = ("cost_usd", "total_cost_usd")
_TURNS: Final = ("num_turns", "turns")
_SECONDS: Final = ("duration_s", "duration_seconds")
_USAGE: Final = ("token_usage", "usage")
_EXIT_CODE: Final = ("exit_code", "returncode", "return_code")
_MAX_EXIT_CODE: Final = 2**32


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about one run; None is what nobody stated."""

    exit_code: int | None = None
    duration_s: Amount | None = None
    token_usage: dict[str, Any] | None = None
    total_tokens: int | None = None
    cost_usd: Amount | None = None
    num_turns: int | None = None
    modified_files: tuple[str, ...] = ()


def run_facts(members: Mapping[str, Any], note: Callable[[str], None]) -> RunFacts:
    """Return what the object states; `note` is told of each value that is not what its key says."""
    usage = _first(members, _USAGE, _mapping, note)
    stated = _first(members, ("total_tokens",), count, note)
    seconds = _first(members, _SECONDS, amount, note)
    milliseconds = _first(members, ("duration_ms",), amount, note) if seconds is None else None
    return RunFacts(
        exit_code=_first(members, _EXIT_CODE, _exit_code, note),
        duration_s=seconds if milliseconds is None else milliseconds / 1000,
        token_usage=usage,
        total_tokens=total_tokens(usage) if stated is None and usage is not None else stated,
        cost_usd=_first(members, _COST, amount, note),
        num_turns=_first(members, _TURNS, count, note),
        modified_files=_first(members, ("modified_files",), _paths, note) or (),
    )


def _first(
    members: Mapping[str, Any],
    keys: Iterable[str],
    read: Callable[[Any], Any],
    note: Callable[[str], None],
) -> Any:
    for key in keys:
        value = members.get(key)
        if value is None:
            continue
        found = read(value)
        if found is not None:
            return found
        note(f"run_result: {key} is not usable and was left out")
    return None


def _exit_code(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and abs(value) < _MAX_EXIT_CODE else None


def _mapping(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, (list, dict)):
        return None
    return tuple(path for path in value if isinstance(path, str))
