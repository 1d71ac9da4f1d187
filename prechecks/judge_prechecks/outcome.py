"""What one precheck says about one bundle.

A check function returns `Held` or raises `UnmetError`; the gate makes the `Outcome` of it. Files are
named in the printable form of `names.show`; a JSON path stands as the rule wrote it.
"""

from dataclasses import dataclass
from typing import Any

JSON = None | bool | int | float | str | list[Any] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of the precheck at position `index` (from 0); every value in it is bounded."""

    index: int
    type: str
    held: bool
    message: str
    file: str | None = None
    path: str | None = None
    observed: JSON = None
    expected: JSON = None
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Held:
    """Returned by a check whose condition is true; read once by the gate, so not worth freezing."""

    message: str
    file: str | None = None
    path: str | None = None
    observed: JSON = None
    expected: JSON = None
    details: tuple[str, ...] = ()


class UnmetError(Exception):
    """Raised by a check whose condition is false or cannot be evaluated on this bundle."""

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        path: str | None = None,
        observed: JSON = None,
        expected: JSON = None,
        details: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.path = path
        self.observed = observed
        self.expected = expected
        self.details = details


class CheckCrashedError(Exception):
    """A check raised something that it should not have: nobody knows whether its condition holds.

    A fault of the check, most likely of a plugin, and no judgement on the bundle.
    """

    def __init__(self, index: int, kind: str, error: Exception) -> None:
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        super().__init__(f"prechecks[{index}] {kind} broke: {what}")
