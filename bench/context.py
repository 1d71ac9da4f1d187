"""What a section is given, and how it says that it cannot run here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.budget import Budget
from bench.figure import Figure
from bench.rounds import ROUNDS, Measure, interleaved


class SkippedError(Exception):
    """A section cannot run on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Context:
    """An empty folder of the section's own, its time, and whether a smoke run will do."""

    place: Path
    budget: Budget
    quick: bool = False

    @property
    def rounds(self) -> int:
        """How many rounds are wanted."""
        return 1 if self.quick else ROUNDS

    def compare(
        self, key: str, *, unit: str, against: str, product: Measure, floor: Measure, note: str = ""
    ) -> Figure:
        """Measure product and floor in turn."""
        times = interleaved({"floor": floor, "product": product}, self.budget, rounds=self.rounds)
        return Figure(key, unit, times["product"], times["floor"], against, note)


Measuring = Callable[[Context], Iterator[Figure]]
"""A section's `measure`: each figure is handed on as soon as it is there."""
