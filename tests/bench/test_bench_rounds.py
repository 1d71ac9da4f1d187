"""Contestants in turn, inside a budget."""

from bench.budget import Budget
from bench.rounds import interleaved


class Clock:
    """Goes forward only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_contestants_take_turns() -> None:
    clock, order = Clock(), list[str]()

    def measured(name: str) -> float:
        order.append(name)
        clock.now += 1
        return clock.now

    results = interleaved(
        {"a": lambda: measured("a"), "b": lambda: measured("b")}, Budget(60, now=clock)
    )

    assert order == ["a", "b"] * 3
    assert results == {"a": (101, 103, 105), "b": (102, 104, 106)}


def test_a_round_that_would_not_fit_is_not_begun_and_the_first_always_is() -> None:
    for seconds, rounds in ((1.0, 1), (19.9, 1), (20.0, 2), (29.9, 2), (30.0, 3), (900.0, 3)):
        clock = Clock()

        def slow(clock: Clock = clock) -> float:
            clock.now += 10
            return 10.0

        assert len(interleaved({"a": slow}, Budget(seconds, now=clock))["a"]) == rounds


def test_a_part_of_a_budget_ends_with_the_whole() -> None:
    clock = Clock()
    whole = Budget(10, now=clock)
    clock.now += 4

    part = whole.part(60)

    assert (whole.left, whole.spent, part.left, part.spent) == (6, 4, 6, 0)
    clock.now += 7
    assert (whole.left, part.left) == (0, 0)
