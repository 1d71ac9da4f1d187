"""One measured figure: what the product took, round by round, beside what its floor took.

Nothing here measures or judges; numbers go in, medians come out.
"""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """`product` and `floor` have one number for each round, both in `unit`; `against` is the floor.

    A figure without a floor is a plain amount, such as memory.
    """

    key: str
    unit: str
    product: tuple[float, ...]
    floor: tuple[float, ...] = ()
    against: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not self.product:
            raise ValueError(f"{self.key} was not measured once")
        if self.floor and len(self.floor) != len(self.product):
            raise ValueError(f"{self.key} has rounds without a floor")

    @property
    def values(self) -> tuple[float, ...]:
        """What counts, round by round: ratios to the floor, or the amounts where there is none."""
        if not self.floor:
            return self.product
        return tuple(mine / raw for mine, raw in zip(self.product, self.floor, strict=True))

    @property
    def value(self) -> float:
        """The median of what counts."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and the highest of what counts."""
        return min(self.values), max(self.values)
