import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.scoring import JudgeAggregate, Outcome, aggregate
from tests.orchestrator.scoring.scoring_cases import ANY_OUTCOME, NUMBERS, outcomes, value_outcome


def of(letters: str) -> JudgeAggregate:
    return aggregate(outcomes("judge", letters), ["judge"])["judge"]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("PPF", {"scored": 3, "pass_rate": 2 / 3, "mean": 2 / 3, "error_rate": 0}),
        ("PPPE-", {"scored": 3, "errored": 1, "skipped": 1, "pass_rate": 1, "error_rate": 0.25}),
        ("345", {"scored": 3, "pass_rate": None, "mean": 4, "min": 3, "max": 5, "median": 4}),
        ("1255", {"mean": 3.25, "min": 1, "max": 5, "median": 3.5}),
        ("P4", {"scored": 2, "pass_rate": None, "mean": None, "min": None, "median": None}),
        ("EE", {"scored": 0, "errored": 2, "pass_rate": None, "mean": None, "error_rate": 1}),
        ("--", {"skipped": 2, "pass_rate": None, "mean": None, "error_rate": None}),
        ("", {"scored": 0, "errored": 0, "skipped": 0, "pass_rate": None, "error_rate": None}),
        ("P", {"min": None, "max": None, "median": None}),
    ],
)
def test_bools_have_a_pass_rate_numbers_a_mean_and_all_are_counted(
    letters: str, expected: dict[str, Any]
) -> None:
    record = of(letters).record()
    assert {key: record[key] for key in expected} == expected


def test_judges_keep_their_order_and_others_are_left_out() -> None:
    mixed = [*outcomes("b", "PF"), *outcomes("a", "5"), *outcomes("gone", "P")]
    result = aggregate(mixed, ["a", "b", "never"])
    assert list(result) == ["a", "b", "never"]
    assert [one.scored for one in result.values()] == [1, 2, 0]


def test_tenths_add_up_to_tenths() -> None:
    tenths = [Outcome("judge", "scored", value) for value in (0.1, 0.2, 0.3)]
    assert aggregate(tenths, ["judge"])["judge"].exact_mean == Fraction(1, 5)


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_a_mean_and_a_median_lie_within_their_numbers(values: list[float]) -> None:
    one = aggregate(map(value_outcome, values), ["judge"])["judge"]
    assert one.mean is not None
    assert one.median is not None
    assert min(map(float, values)) == one.minimum
    assert max(map(float, values)) == one.maximum
    assert one.minimum <= one.mean <= one.maximum
    assert one.minimum <= one.median <= one.maximum


@settings(deadline=None)
@given(st.lists(ANY_OUTCOME, max_size=30), st.integers())
def test_rates_stay_from_0_to_1_counts_add_up_and_the_order_does_not_matter(
    listed: list[Outcome], seed: int
) -> None:
    one = aggregate(listed, ["judge"])["judge"]
    assert one.scored + one.errored + one.skipped == len(listed)
    for rate in (one.pass_rate, one.error_rate):
        assert rate is None or 0 <= rate <= 1
    assert one.passed is None or one.mean == one.pass_rate
    mixed = random.Random(seed).sample(listed, len(listed))
    assert aggregate(mixed, ["judge"])["judge"] == one
