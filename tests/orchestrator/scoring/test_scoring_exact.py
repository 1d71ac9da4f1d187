from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring.exact import exact, shown
from tests.orchestrator.scoring.scoring_cases import NUMBERS


@pytest.mark.parametrize(
    ("number", "fraction"),
    [
        (0.7, Fraction(7, 10)),
        (0.1 + 0.2, Fraction(30000000000000004, 10**17)),
        (1e-300, Fraction(1, 10**300)),
        (5, Fraction(5)),
        (True, Fraction(1)),
        (-0.0, Fraction(0)),
    ],
)
def test_a_number_is_what_its_decimal_text_says(number: float, fraction: Fraction) -> None:
    assert exact(number) == fraction


@given(NUMBERS)
def test_the_fraction_leads_back_to_the_float(number: float) -> None:
    assert float(exact(number)) == float(number)


@pytest.mark.parametrize(
    ("number", "beside", "text"),
    [
        (Fraction(2, 3), None, "0.6667"),
        (Fraction(4, 5), Fraction(4, 5), "0.8"),
        (Fraction(7999999, 10**7), Fraction(4, 5), "0.7999999"),
        (Fraction(123456), None, "123456"),
        (Fraction("12345.6789"), None, "12345.679"),
        (exact(1 / 3), Fraction(1, 3), "3333333333333333/10000000000000000"),
        (Fraction(-5, 2), None, "-2.5"),
    ],
)
def test_numbers_are_rounded_for_people_but_not_into_each_other(
    number: Fraction, beside: Fraction | None, text: str
) -> None:
    assert shown(number, beside=beside) == text


@given(
    *[st.fractions(-MAX_SCORE_SIZE, MAX_SCORE_SIZE)] * 2,
)
def test_unequal_numbers_never_read_alike(one: Fraction, other: Fraction) -> None:
    assert (shown(one, beside=other) == shown(other, beside=one)) == (one == other)
