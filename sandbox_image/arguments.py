"""Read a tool's arguments, trusting nothing about them: wrong types and unknown keys are refused."""

from __future__ import annotations

from sandbox_image.answers import refuse_arguments
from sandbox_image.limits import MAX_ARGUMENT_CHARACTERS


class Arguments:
    """The `input` of one call. null counts as left out. `names` are all the tool knows."""

    def __init__(self, given: object, names: tuple[str, ...]) -> None:
        if not isinstance(given, dict):
            raise refuse_arguments("the input of a tool is an object")
        unknown = sorted(str(key) for key in given if key not in names)
        if unknown:
            raise refuse_arguments(
                f"unknown argument {unknown[0][:80]!a}; this tool takes {', '.join(names)}"
            )
        self._given = {key: value for key, value in given.items() if value is not None}

    def has(self, name: str) -> bool:
        """Tell whether the argument was given."""
        return name in self._given

    def text(self, name: str, default: str | None = None, *, longest: int = 0) -> str:
        """Return a string; without a default it is required and not empty."""
        value = self._given.get(name, default)
        if not isinstance(value, str):
            raise refuse_arguments(f"{name} must be a string")
        if not value and default is None:
            raise refuse_arguments(f"{name} must not be empty")
        if len(value) > (longest or MAX_ARGUMENT_CHARACTERS):
            raise refuse_arguments(f"{name} is longer than {longest or MAX_ARGUMENT_CHARACTERS:,}")
        return value

    def number(self, name: str, default: int, *, lowest: int) -> int:
        """Return a whole number of at least `lowest`; one beyond any file counts as huge."""
        value = self._given.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise refuse_arguments(f"{name} must be a whole number")
        if value < lowest:
            raise refuse_arguments(f"{name} must be at least {lowest}")
        return min(value, 2**60)

    def flag(self, name: str) -> bool:
        """Return true or false; false when left out."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise refuse_arguments(f"{name} must be true or false")
        return value
