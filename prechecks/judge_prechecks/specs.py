"""Turn a decoded JSON array into typed precheck parameters, or into the list of all its mistakes."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from judge_prechecks.outcome import JSON
from judge_prechecks.parameters import Parameters
from judge_prechecks.present import cut, describe, printable
from judge_prechecks.registry import Primitive, find, known_types
from judge_prechecks.spec_errors import PrecheckSpecError, Problem, problems_of, suggestion


@dataclass(frozen=True, slots=True)
class Spec:
    """One item of the array: the primitive and its validated parameters."""

    primitive: Primitive
    parameters: Parameters


def parse(items: JSON) -> tuple[Spec, ...]:
    """Return the specs in order, or raise `PrecheckSpecError` with every problem."""
    if not isinstance(items, list):
        message = f"prechecks must be an array, not {describe(items)}"
        raise PrecheckSpecError([Problem(None, None, message)])
    specs: list[Spec] = []
    problems: list[Problem] = []
    for index, item in enumerate(items):
        try:
            specs.append(_parse_item(index, item))
        except PrecheckSpecError as error:
            problems += error.problems
    if problems:
        raise PrecheckSpecError(problems)
    return tuple(specs)


def _parse_item(index: int, item: Any) -> Spec:
    if not isinstance(item, dict):
        message = f"must be an object, not {describe(item)}"
        raise PrecheckSpecError([Problem(index, None, message)])
    primitive = _primitive(index, item)
    try:
        return Spec(primitive, primitive.parameters.model_validate(item))
    except ValidationError as error:
        problems = problems_of(index, error, primitive.parameters)
        raise PrecheckSpecError(problems) from None


def _primitive(index: int, item: dict[str, Any]) -> Primitive:
    name = item.get("type")
    if not isinstance(name, str):
        fault = f"must be text, not {describe(name)}" if "type" in item else "is missing"
        message = f"{fault}; the types are {', '.join(known_types())}"
        raise PrecheckSpecError([Problem(index, "type", message)])
    try:
        primitive = find(name)
    except Exception as error:  # noqa: BLE001  # whatever an installed plugin does on import
        message = f"{name} is installed but cannot be loaded: {type(error).__name__}: {error}"
        raise PrecheckSpecError([Problem(index, "type", message)]) from None
    if primitive is None:
        raise PrecheckSpecError([Problem(index, "type", _unknown_type(name))])
    return primitive


def _unknown_type(name: str) -> str:
    known = known_types()
    return (
        f"unknown precheck type {printable(cut(name))}{suggestion(name, known)}; "
        f"the types are {', '.join(known)}"
    )
