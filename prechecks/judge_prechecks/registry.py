"""Find the implementation of a precheck by its type.

Three sources, in this order: what has been registered in this process, the module of that name in
`judge_prechecks.checks`, and the entry point of that name in the group `judge_bundles.prechecks`.
Nothing is imported before a rule asks for it.
"""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, TypeVar, get_args

from judge_prechecks import checks
from judge_prechecks.outcome import Held
from judge_prechecks.parameters import Parameters
from judge_prechecks.view import View

ENTRY_POINT_GROUP: Final = "judge_bundles.prechecks"

P = TypeVar("P", bound=Parameters)
Check = Callable[[P, View], Held]
"""Returns `Held`, or raises `UnmetError` with the reason."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """One type of precheck: the model of its parameters and the function that evaluates it."""

    name: str
    parameters: type[Parameters]
    check: Callable[[Any, View], Held]


_registered: dict[str, Primitive] = {}


def precheck(parameters: type[P]) -> Callable[[Check[P]], Check[P]]:
    """Register the decorated function as the precheck whose parameters these are."""
    name = _type_of(parameters)

    def register(check: Check[P]) -> Check[P]:
        known = _registered.get(name)
        taken = known is not None and known.parameters is not parameters
        if taken or (name in _builtin() and check.__module__ != f"{checks.__name__}.{name}"):
            raise ValueError(f"the precheck type {name} is taken")
        _registered[name] = Primitive(name, parameters, check)
        return check

    return register


def find(name: str) -> Primitive | None:
    """Return the primitive of that type, importing it if need be, or None if there is none."""
    if name not in _registered and name in _builtin():
        import_module(f"{checks.__name__}.{name}")
    if name not in _registered:
        for entry_point in entry_points(group=ENTRY_POINT_GROUP, name=name):
            entry_point.load()
    return _registered.get(name)


def known_types() -> list[str]:
    """Return every type that can be used, sorted, without importing any."""
    installed = {entry_point.name for entry_point in entry_points(group=ENTRY_POINT_GROUP)}
    return sorted({*_registered, *_builtin(), *installed})


def _builtin() -> set[str]:
    return {module.name for module in pkgutil.iter_modules(checks.__path__)}


def _type_of(parameters: type[Parameters]) -> str:
    names = get_args(parameters.model_fields["type"].annotation)
    if len(names) != 1 or not isinstance(names[0], str):
        raise TypeError(f'{parameters.__name__} must declare type: Literal["the_name"]')
    return names[0]
