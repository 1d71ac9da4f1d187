"""What a tool's arguments may be, and the check of it: nothing about them is trusted.

The host checks the same before it sends a request; a test holds the two together, word for word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Union

from sandbox_image.answers import refuse_arguments
from sandbox_image.limits import MAX_ARGUMENT_CHARACTERS, MAX_COUNT


class Text(NamedTuple):
    """A string without NUL, of at most `longest` characters. An empty one counts as left out."""

    required: bool = False
    longest: int = MAX_ARGUMENT_CHARACTERS


class Number(NamedTuple):
    """A whole number of at least `lowest`."""

    lowest: int


class Flag(NamedTuple):
    """true or false."""


Parameter = Union[Text, Number, Flag]


class Arguments:
    """The `input` of one call, all of it checked. null counts as left out."""

    def __init__(self, given: object, parameters: Mapping[str, Parameter]) -> None:
        if not isinstance(given, dict):
            raise refuse_arguments("the input of a tool is an object")
        unknown = sorted(key for key in given if key not in parameters)
        if unknown:
            raise refuse_arguments(
                f"unknown argument {unknown[0][:80]!a}; this tool takes {', '.join(parameters)}"
            )
        for name, parameter in parameters.items():
            problem = _problem(given.get(name), parameter)
            if problem:
                raise refuse_arguments(f"{name} {problem}")
        self._given = {key: value for key, value in given.items() if value not in (None, "")}

    def has(self, name: str) -> bool:
        """Tell whether the argument was given."""
        return name in self._given

    def text(self, name: str, default: str = "") -> str:
        """Return a string."""
        return str(self._given.get(name, default))

    def number(self, name: str, default: int) -> int:
        """Return a whole number; one beyond any file counts as huge."""
        return min(int(self._given.get(name, default)), MAX_COUNT)

    def flag(self, name: str) -> bool:
        """Return true or false; false when left out."""
        return bool(self._given.get(name, False))


def _problem(value: object, parameter: Parameter) -> str:
    """Return what is wrong with a value, as continuation of the argument's name; "" if nothing."""
    if isinstance(parameter, Text):
        return _text_problem(value, parameter)
    if value is None:
        return ""
    if isinstance(parameter, Flag):
        return "" if isinstance(value, bool) else "must be true or false"
    if not isinstance(value, int) or isinstance(value, bool):
        return "must be a whole number"
    return f"must be at least {parameter.lowest}" if value < parameter.lowest else ""


def _text_problem(value: object, parameter: Text) -> str:
    if value is None or value == "":
        return "must be given" if parameter.required else ""
    if not isinstance(value, str):
        return "must be a string"
    if "\0" in value:
        return "must not contain NUL"
    if len(value) > parameter.longest:
        return f"must have at most {parameter.longest:,} characters"
    return ""
