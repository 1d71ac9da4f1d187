"""Ratios, medians and verdicts of figures."""

import pytest

from bench.figure import Figure
from bench.sections import PEERS, SECTIONS
from bench.targets import TARGETS, Target, verdict


def test_a_figure_is_the_median_of_its_rounds_ratios_not_the_ratio_of_medians() -> None:
    figure = Figure("k", "s", product=(2.0, 30.0, 9.0), floor=(1.0, 10.0, 9.0), against="floor")

    assert figure.values == (2.0, 3.0, 1.0)
    assert figure.value == 2.0
    assert figure.spread == (1.0, 3.0)


def test_an_amount_without_a_floor_counts_as_it_is() -> None:
    figure = Figure("k", "MB", product=(70.0, 90.0, 80.0))

    assert figure.value == 80.0
    assert figure.spread == (70.0, 90.0)


def test_a_figure_that_was_never_measured_or_lacks_a_floor_is_refused() -> None:
    with pytest.raises(ValueError, match="not measured once"):
        Figure("k", "s", product=())
    with pytest.raises(ValueError, match="rounds without a floor"):
        Figure("k", "s", product=(1.0, 2.0), floor=(1.0,))


@pytest.mark.parametrize(
    ("target", "value", "expected"),
    [
        (Target(2.0), 2.0, "met"),
        (Target(2.0), 2.001, "missed"),
        (Target(2.0, at_least=True), 2.0, "met"),
        (Target(2.0, at_least=True), 1.999, "missed"),
    ],
)
def test_exactly_the_limit_meets_a_target(target: Target, value: float, expected: str) -> None:
    assert verdict(Figure("k", "s", (value,)), {"k": target}) == expected


def test_a_figure_without_a_target_has_no_verdict() -> None:
    assert verdict(Figure("other", "s", (1.0,)), {"k": Target(2.0)}) == ""


def test_a_target_says_its_direction_and_goal() -> None:
    assert Target(1.2).words == "≤ 1.2"
    assert Target(0.75, at_least=True, goal=0.85).words == "≥ 0.75 (goal 0.85)"


def test_every_target_belongs_to_a_section() -> None:
    sections = {section.name for section in (*SECTIONS, *PEERS.values())}

    assert {key.partition(".")[0] for key in TARGETS} <= sections
