import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring import ScoreRange, refusal
from judge_bundles.scoring.values import is_number
from tests.orchestrator.scoring.scoring_cases import NUMBERS

ONE_TO_FIVE = ScoreRange(1, 5)
NOTHING_LARGER = "no finite number of at most 1e+100"


@pytest.mark.parametrize(
    ("raw", "score_range", "sentence"),
    [
        (7, ONE_TO_FIVE, "the value 7 is not in the range from 1 to 5"),
        (0.999999999, ONE_TO_FIVE, "the value 1 is not in the range from 1 to 5"),
        ("4/5", ONE_TO_FIVE, 'the value is the text "4/5", neither a bool nor a number'),
        ("4", None, 'the value is the text "4", neither a bool nor a number'),
        ("x" * 41, None, f'the value is the text "{"x" * 39}…", neither a bool nor a number'),
        (math.nan, ONE_TO_FIVE, f"the value is nan, {NOTHING_LARGER}"),
        (math.inf, None, f"the value is inf, {NOTHING_LARGER}"),
        (-math.inf, None, f"the value is -inf, {NOTHING_LARGER}"),
        (10**400, None, f"the value is an integer too large for any score, {NOTHING_LARGER}"),
        (None, None, "the value is null, neither a bool nor a number"),
        ([4], None, "the value is a list, neither a bool nor a number"),
        (1j, None, "the value is a complex, neither a bool nor a number"),
        (True, ONE_TO_FIVE, "the value is true, where a number from 1 to 5 was asked for"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(
    raw: Any, score_range: ScoreRange | None, sentence: str
) -> None:
    assert refusal(raw, score_range) == sentence


@pytest.mark.parametrize(
    ("raw", "score_range"),
    [(1, ONE_TO_FIVE), (5, ONE_TO_FIVE), (3.25, ONE_TO_FIVE), (0.3, ScoreRange(0.3, 0.4))]
    + [(raw, None) for raw in (True, False, 0, -12.5, MAX_SCORE_SIZE, -int(MAX_SCORE_SIZE))],
)
def test_an_answer_within_its_range_counts(raw: Any, score_range: ScoreRange | None) -> None:
    assert refusal(raw, score_range) is None


@given(st.one_of(NUMBERS, st.floats(), st.booleans(), st.text(max_size=3), st.none()))
def test_only_numbers_one_can_count_with_are_numbers(raw: object) -> None:
    if is_number(raw):
        assert math.isfinite(raw)
        assert abs(raw) <= MAX_SCORE_SIZE


def test_an_integer_too_long_to_be_written_is_refused_like_any_other() -> None:
    assert refusal(10**5000) == refusal(-(10**5000)) == refusal(10**400)


def test_the_largest_number_has_an_edge() -> None:
    assert is_number(MAX_SCORE_SIZE)
    assert not is_number(math.nextafter(MAX_SCORE_SIZE, math.inf))


@pytest.mark.parametrize(
    ("low", "high"), [(5, 1), (1, 1), (0, math.inf), (math.nan, 1), (True, 5), (0.1, 1 / 10)]
)
def test_a_range_is_two_increasing_numbers(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="lower one first"):
        ScoreRange(low, high)


@settings(deadline=None)
@given(st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted))
def test_a_value_within_its_range_lies_from_0_to_1(three: list[float]) -> None:
    low, value, high = three
    if low < high:
        score_range = ScoreRange(low, high)
        assert value in score_range
        assert 0 <= score_range.unit(value) <= 1
        assert [score_range.unit(low), score_range.unit(high)] == [0, 1]
