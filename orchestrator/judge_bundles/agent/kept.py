"""A small memory of what is costly to make again, bounded by size and not by number."""

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Keeps values by name while they fit in `bound` together; the longest unused go first.

    `size` measures a value in the unit of `bound`. A value over the bound is kept alone.
    """

    def __init__(self, bound: int, size: Callable[[Value], int]) -> None:
        self._bound = bound
        self._size = size
        self._values: dict[str, Value] = {}
        self.total = 0

    def get(self, name: str, make: Callable[[], Value]) -> Value:
        """Return the value of that name, made now if it is not kept."""
        if name in self._values:
            value = self._values[name] = self._values.pop(name)
            return value
        value = make()
        self.total += self._size(value)
        while self._values and self.total > self._bound:
            self.total -= self._size(self._values.pop(next(iter(self._values))))
        self._values[name] = value
        return value
