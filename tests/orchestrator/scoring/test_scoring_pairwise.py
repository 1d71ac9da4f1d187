from itertools import permutations, product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.scoring import (
    OrderAnswer,
    PairOutcome,
    PairwiseSummary,
    judge_pair,
    summarise,
    without_output,
)
from judge_bundles.scoring.pairwise import Preferred, Winner
from judge_bundles.verdict import VerdictError

SLOW = VerdictError("timeout", "too slow", retryable=True)
REFUSED = VerdictError("refusal", "no", retryable=False)


def pair(first: Preferred, second: Preferred) -> PairOutcome:
    return judge_pair("b", OrderAnswer(first, "one"), OrderAnswer(second, "two"))


@pytest.mark.parametrize(
    ("candidate_first", "baseline_first", "winner", "consistent"),
    [
        ("A", "B", "candidate", True),
        ("B", "A", "baseline", True),
        ("tie", "tie", "tie", True),
        ("A", "A", "tie", False),
        ("B", "B", "tie", False),
        ("A", "tie", "tie", False),
        ("tie", "B", "tie", False),
    ],
)
def test_a_win_needs_both_orders_to_agree(
    candidate_first: Preferred, baseline_first: Preferred, winner: Winner, consistent: bool
) -> None:
    expected = PairOutcome("b", winner, ("one", "two"), consistent=consistent)
    assert pair(candidate_first, baseline_first) == expected


def test_a_judge_that_prefers_what_it_reads_first_only_ties() -> None:
    summary = summarise([pair("A", "A")] * 4)
    assert (summary.wins, summary.losses, summary.ties, summary.win_rate) == (0, 0, 4, 0.5)


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        (
            OrderAnswer("A", "better"),
            OrderAnswer(None, error=SLOW),
            VerdictError("timeout", "1 of 2 orders ended in error: too slow", retryable=True),
        ),
        (
            OrderAnswer(None, error=REFUSED),
            OrderAnswer("tie"),
            VerdictError("refusal", "1 of 2 orders ended in error: no", retryable=False),
        ),
        (
            OrderAnswer(None, error=REFUSED),
            OrderAnswer(None, error=SLOW),
            VerdictError("refusal", "2 of 2 orders ended in error: no", retryable=True),
        ),
    ],
)
def test_one_failed_call_is_an_error_and_no_tie(
    first: OrderAnswer, second: OrderAnswer, error: VerdictError
) -> None:
    result = judge_pair("b", first, second)
    assert (result.winner, result.error) == (None, error)
    assert result.reasoning == (first.reasoning, second.reasoning)
    assert summarise([result]).errors == 1


def test_a_side_without_output_is_an_error_that_names_it() -> None:
    one = without_output("b", ["baseline"])
    both = without_output("b", ["candidate", "baseline"])
    assert one.error is not None
    assert both.error is not None
    assert one.error.message == "there is no output of the baseline to compare"
    assert both.error.message == "there is no output of the candidate and the baseline to compare"
    assert summarise([one, both]).record() == {
        "wins": 0,
        "losses": 0,
        "ties": 0,
        "errors": 2,
        "win_rate": None,
    }


@pytest.mark.parametrize("error", [None, SLOW])
def test_an_answer_is_a_preference_or_an_error(error: VerdictError | None) -> None:
    with pytest.raises(ValueError, match="a preference or an error"):
        OrderAnswer("A" if error else None, error=error)


def test_errors_are_not_in_the_win_rate_and_ties_count_half() -> None:
    winners: list[Winner | None] = ["candidate", "candidate", "tie", "baseline", None]
    summary = summarise(list(map(PairOutcome, "edcba", winners)))
    assert summary.win_rate == 2.5 / 4
    assert summary.errors == 1
    assert [one.entry_id for one in summary.pairs] == list("abcde")


def test_no_bundles_have_no_rates() -> None:
    assert summarise([]) == PairwiseSummary(0, 0, 0, 0, ())
    assert summarise([]).win_rate is None
    assert summarise([]).exact_error_rate is None


def test_swapping_the_runs_swaps_the_winner() -> None:
    swapped: dict[Winner | None, Winner] = {"candidate": "baseline", "baseline": "candidate"}
    for first, second in product(get_args(Preferred), repeat=2):
        winner = pair(first, second).winner
        assert pair(second, first).winner == swapped.get(winner, "tie")


@given(st.lists(st.sampled_from([*get_args(Winner), None]), max_size=8))
def test_a_win_rate_stays_from_0_to_1_whatever_the_order(winners: list[Winner | None]) -> None:
    pairs = [PairOutcome(str(index), winner) for index, winner in enumerate(winners)]
    summary = summarise(pairs)
    assert summary.win_rate is None or 0 <= summary.win_rate <= 1
    assert summary.wins + summary.losses + summary.ties + summary.errors == len(pairs)
    for mixed in list(permutations(pairs))[:5]:
        assert summarise(mixed) == summary
