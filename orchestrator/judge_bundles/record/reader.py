"""Readers of trajectories: one small module each in `readers/`, chosen by content, not by name.

A reader turns what one agent program writes into events of one shape, that of Claude Code:
`{"type": "assistant" | "user" | …, "message": {"role", "content": […]}, "parent_tool_use_id"}` with
blocks `text`, `tool_use` `{id, name, input}` and `tool_result` `{tool_use_id, content, is_error}`.
What comes after a reader (pairing, conversation) knows that shape only. Adding a reader is adding a
module; no list anywhere names it.
"""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from judge_bundles.record.amounts import Amount
from judge_prechecks.outcome import JSON

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file says. None is what the format or the file leaves unsaid."""

    events: list[Event]
    token_usage: dict[str, Any] | None = None
    cost_usd: Amount | None = None
    num_turns: int | None = None
    duration_s: Amount | None = None
    cwd: str | None = None
    """Where the agent worked, as it named it."""
    final_text: str = ""
    """The answer, for files that hold nothing else the agent said."""
    silence_is_success: bool = False
    """Whether a result that has no `is_error` says so that all went well."""
    ids_are_unique: bool = False
    """Whether a call that comes again with the same id is the same call written twice."""
    notes: tuple[str, ...] = ()


Read = Callable[[JSON], Reading | None]
"""Given a document, or the list of values of a file of lines; None when it is of another format."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One format: its name, and the file names under which it is looked for by default."""

    name: str
    read: Read
    files: tuple[str, ...] = ()


_registered: Final[dict[str, Reader]] = {}


def reader(name: str, *, files: tuple[str, ...] = ()) -> Callable[[Read], Read]:
    """Register the decorated function as the reader of the format of that name."""

    def register(read: Read) -> Read:
        if name in _registered:
            raise ValueError(f"the trajectory format {name} is taken")
        _registered[name] = Reader(name, read, files)
        return read

    return register


@cache
def readers() -> tuple[Reader, ...]:
    """Return all readers, by name; importing them is what registers them."""
    package = import_module("judge_bundles.record.readers")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        import_module(f"{package.__name__}.{module}")
    return tuple(_registered[name] for name in sorted(_registered))


def recognised(document: JSON) -> tuple[Reader, Reading] | None:
    """Return the reader that knows the format of a document, and what it read."""
    for one in readers():
        reading = one.read(document)
        if reading is not None:
            return one, reading
    return None
