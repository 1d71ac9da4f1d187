from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.scoring import (
    JudgeAggregate,
    Measurements,
    Outcome,
    PairOutcome,
    PairwiseSummary,
    Threshold,
    ThresholdKey,
    ThresholdResult,
    aggregate,
    evaluate,
    summarise,
)
from judge_bundles.scoring.pairwise import Winner
from tests.orchestrator.scoring.scoring_cases import ANY_OUTCOME, NUMBERS, outcomes

WINNERS: dict[str, Winner | None] = {"W": "candidate", "L": "baseline", "T": "tie", "E": None}


def of(letters: str, judge: str = "judge") -> dict[str, JudgeAggregate]:
    return aggregate(outcomes(judge, letters), [judge])


def compared(letters: str) -> PairwiseSummary:
    return summarise([PairOutcome(str(i), WINNERS[one]) for i, one in enumerate(letters)])


def held(key: ThresholdKey, limit: float, measurements: Measurements) -> ThresholdResult:
    judge = next(iter(measurements.judges), "pairwise")
    (result,) = evaluate([Threshold(judge, key, limit)], measurements)
    return result


@pytest.mark.parametrize(
    ("letters", "key", "limit", "status", "sentence"),
    [
        ("PPPPF", "min_pass_rate", 0.8, "met", "pass rate 0.8 (4 of 5) meets min_pass_rate 0.8"),
        (
            "PPPPPPPFFF",
            "min_pass_rate",
            0.7,
            "met",
            "pass rate 0.7 (7 of 10) meets min_pass_rate 0.7",
        ),
        (
            "PPPFF",
            "min_pass_rate",
            0.8,
            "missed",
            "pass rate 0.6 (3 of 5) is below min_pass_rate 0.8",
        ),
        (
            "PPF",
            "min_pass_rate",
            0.6666666666666666,
            "met",
            "pass rate 2/3 (2 of 3) meets min_pass_rate 3333333333333333/5000000000000000",
        ),
        (
            "PPF",
            "min_pass_rate",
            0.6667,
            "missed",
            "pass rate 0.66667 (2 of 3) is below min_pass_rate 0.6667",
        ),
        ("345", "min_mean", 4, "met", "mean 4 (3 scored) meets min_mean 4"),
        ("344", "min_mean", 4, "missed", "mean 3.667 (3 scored) is below min_mean 4"),
        ("PF", "min_mean", 0.5, "met", "mean 0.5 (2 scored) meets min_mean 0.5"),
        (
            "PPPPE",
            "max_error_rate",
            0.2,
            "met",
            "error rate 0.2 (1 of 5) is within max_error_rate 0.2",
        ),
        (
            "44E--",
            "max_error_rate",
            0.3,
            "missed",
            "error rate 0.3333 (1 of 3) is above max_error_rate 0.3",
        ),
        ("P-", "min_pass_rate", 1, "met", "pass rate 1 (1 of 1) meets min_pass_rate 1"),
        (
            "EE-",
            "min_pass_rate",
            0,
            "missed",
            "there is no pass rate, since no bundle has a value (2 errored, 1 skipped)",
        ),
        (
            "45",
            "min_pass_rate",
            0,
            "missed",
            "there is no pass rate, since the values are numbers: use min_mean",
        ),
        (
            "P5",
            "min_mean",
            0,
            "missed",
            "there is no mean, since some values are numbers and some are pass or fail",
        ),
        (
            "---",
            "max_error_rate",
            1,
            "missed",
            "there is no error rate, since no bundle has a value (3 skipped)",
        ),
        ("", "min_mean", 0, "missed", "there is no mean, since it saw no bundle"),
    ],
)
def test_equality_passes_and_what_cannot_be_measured_is_missed(
    letters: str, key: ThresholdKey, limit: float, status: str, sentence: str
) -> None:
    result = held(key, limit, Measurements(of(letters)))
    assert result.status == status
    assert result.sentence.removeprefix("judge: ").removeprefix(f"{key} {limit} is missed: ") == (
        sentence
    )


@pytest.mark.parametrize("total", range(1, 41))
def test_every_share_passes_at_itself_and_not_above(total: int) -> None:
    for passed in range(total + 1):
        letters = "P" * passed + "F" * (total - passed)
        share = Fraction(passed, total)
        for limit in (round(passed / total, 2), round(passed / total, 3)):
            expected = "met" if share >= Fraction(str(limit)) else "missed"
            assert held("min_pass_rate", limit, Measurements(of(letters))).status == expected


def test_tenths_add_up() -> None:
    tenths = aggregate([Outcome("judge", "scored", one) for one in (0.1, 0.2, 0.3)], ["judge"])
    assert held("min_mean", 0.2, Measurements(tenths)).status == "met"


@pytest.mark.parametrize(
    ("now", "before", "limit", "status", "observed", "sentence"),
    [
        ("33", "44", 1, "met", 1.0, "mean drop 1 (from 4 to 3) is within max_drop 1"),
        ("33", "44", 0.9, "missed", 1.0, "mean drop 1 (from 4 to 3) is above max_drop 0.9"),
        ("55", "44", 0, "met", 0.0, "mean drop 0 (from 4 to 5) is within max_drop 0"),
        (
            "PPPPPPPFFF",
            "PPPPPPPPPF",
            0.2,
            "met",
            0.2,
            "pass rate drop 0.2 (from 0.9 to 0.7) is within max_drop 0.2",
        ),
        (
            "EE",
            "PP",
            0.5,
            "missed",
            None,
            (
                "max_drop 0.5 is missed: there is nothing to compare, "
                "since no bundle has a value (2 errored)"
            ),
        ),
        (
            "PP",
            "",
            0.5,
            "missed",
            None,
            "max_drop 0.5 is missed: in the baseline there is no value, since it saw no bundle",
        ),
        (
            "PP",
            "33",
            0.5,
            "missed",
            None,
            (
                "max_drop 0.5 is missed: the runs cannot be compared: "
                "one run has numbers and the other only pass and fail"
            ),
        ),
    ],
)
def test_a_drop_is_measured_against_the_baseline(
    now: str, before: str, limit: float, status: str, observed: float | None, sentence: str
) -> None:
    result = held("max_drop", limit, Measurements(of(now), of(before)))
    assert (result.status, result.observed) == (status, observed)
    assert result.sentence == f"judge: {sentence}"


@pytest.mark.parametrize(
    ("letters", "key", "limit", "status", "sentence"),
    [
        (
            "WWTL",
            "min_win_rate",
            0.625,
            "met",
            "win rate 0.625 (2 won, 1 tied, 1 lost) meets min_win_rate 0.625",
        ),
        (
            "WTLE",
            "min_win_rate",
            0.6,
            "missed",
            "win rate 0.5 (1 won, 1 tied, 1 lost) is below min_win_rate 0.6",
        ),
        (
            "WTLE",
            "max_error_rate",
            0.25,
            "met",
            "error rate 0.25 (1 of 4) is within max_error_rate 0.25",
        ),
        (
            "EE",
            "min_win_rate",
            0.0,
            "missed",
            (
                "min_win_rate 0 is missed: there is no win rate, "
                "since no bundle was compared (2 errored)"
            ),
        ),
        (
            "",
            "max_error_rate",
            1.0,
            "missed",
            (
                "max_error_rate 1 is missed: there is no error rate, "
                "since no bundle was compared (0 errored)"
            ),
        ),
    ],
)
def test_a_comparison_has_limits_of_its_own(
    letters: str, key: ThresholdKey, limit: float, status: str, sentence: str
) -> None:
    result = held(key, limit, Measurements({}, {}, compared(letters)))
    assert (result.status, result.sentence) == (status, f"pairwise: {sentence}")


def test_a_comparison_that_was_not_made_misses_its_limit() -> None:
    result = held("min_win_rate", 0.0, Measurements({}, {}))
    assert result.status == "missed"
    assert result.sentence.endswith("there is no win rate, since the runs were not compared")


def test_without_a_baseline_what_needs_one_is_noted_and_not_evaluated() -> None:
    thresholds = [
        Threshold("pairwise", "min_win_rate", 0.5),
        Threshold("pairwise", "max_error_rate", 0.5),
        Threshold("judge", "max_drop", 0.1),
    ]
    for result in evaluate(thresholds, Measurements(of("PF"))):
        assert (result.status, result.observed) == ("not_evaluated", None)
        assert result.sentence.endswith(
            "was not evaluated: there is no baseline run to compare with"
        )


def test_with_only_the_gate_run_only_its_limits_are_evaluated() -> None:
    measurements = Measurements({**of("PP", "gate"), **of("--")}, gate_only=True)
    gate, judge = evaluate(
        [Threshold("gate", "min_pass_rate", 1.0), Threshold("judge", "min_pass_rate", 1.0)],
        measurements,
    )
    assert gate.status == "met"
    assert judge.status == "not_evaluated"
    assert judge.sentence == "judge: min_pass_rate 1 was not evaluated: no judge was asked"


def test_a_limit_that_nobody_wrote_is_called_the_default() -> None:
    threshold = Threshold("gate", "min_pass_rate", 1.0, default=True)
    (result,) = evaluate([threshold], Measurements(of("PF", "gate")))
    assert result.sentence == "gate: pass rate 0.5 (1 of 2) is below min_pass_rate 1 (the default)"


def test_a_result_as_a_record_names_the_metric() -> None:
    assert held("min_pass_rate", 0.5, Measurements(of("PF"))).record() == {
        "judge": "judge",
        "key": "min_pass_rate",
        "metric": "pass_rate",
        "limit": 0.5,
        "status": "met",
        "observed": 0.5,
        "sentence": "judge: pass rate 0.5 (1 of 2) meets min_pass_rate 0.5",
    }


@settings(deadline=None)
@given(
    st.lists(ANY_OUTCOME, max_size=8),
    st.lists(ANY_OUTCOME, max_size=8),
    st.sampled_from(["min_pass_rate", "min_mean", "max_error_rate", "max_drop"]),
    NUMBERS,
)
def test_whatever_was_said_a_limit_is_met_or_missed_and_the_sentence_never_contradicts_it(
    now: list[Outcome], before: list[Outcome], key: ThresholdKey, limit: float
) -> None:
    measurements = Measurements(aggregate(now, ["judge"]), aggregate(before, ["judge"]))
    result = held(key, limit, measurements)
    assert result.status in {"met", "missed"}
    if result.observed is None:
        assert result.status == "missed"
    elif result.observed != limit:
        above = result.observed > limit
        assert (result.status == "met") == (above == key.startswith("min_"))
