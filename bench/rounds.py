"""Measure contestants in turn, round after round, so that a slow minute hits them all alike."""

from collections.abc import Callable, Mapping
from typing import Final

from bench.budget import Budget

ROUNDS: Final = 3
Measure = Callable[[], float]


def interleaved(
    contestants: Mapping[str, Measure], budget: Budget, *, rounds: int = ROUNDS
) -> dict[str, tuple[float, ...]]:
    """Return what each contestant measured in each round, in whole rounds.

    The first round is always made. Another one is made only if the longest so far would still fit.
    """
    results: dict[str, list[float]] = {name: [] for name in contestants}
    longest = 0.0
    for number in range(rounds):
        if number and longest > budget.left:
            break
        before = budget.spent
        for name, measure in contestants.items():
            results[name].append(measure())
        longest = max(longest, budget.spent - before)
    return {name: tuple(numbers) for name, numbers in results.items()}
