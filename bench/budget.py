"""Time that may still be spent. A part of a budget never has more than the whole."""

import time
from collections.abc import Callable


class Budget:
    """`seconds` from now on, by a clock that only goes forward."""

    def __init__(self, seconds: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._begun = now()
        self._end = self._begun + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, never below 0."""
        return max(0.0, self._end - self._now())

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self._now() - self._begun

    def part(self, seconds: float) -> "Budget":
        """Return a budget of at most `seconds` out of this one."""
        return Budget(min(seconds, self.left), now=self._now)
