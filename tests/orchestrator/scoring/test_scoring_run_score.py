import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.scoring import (
    BundleOutcome,
    PairOutcome,
    RunScore,
    Threshold,
    ThresholdKey,
    score_run,
    summarise,
)
from tests.orchestrator.scoring.scoring_cases import bundle, run

GATE = Threshold("gate", "min_pass_rate", 1.0, default=True)


def limit(judge: str, key: ThresholdKey, value: float) -> Threshold:
    return Threshold(judge, key, value)


ALL_SAFE = (GATE, limit("safe", "min_pass_rate", 1.0))
MOST_SAFE = (GATE, limit("safe", "min_pass_rate", 0.5))


def score(letters: str, thresholds: tuple[Threshold, ...] = (), gate: str = "") -> RunScore:
    return score_run(run({"safe": letters}, gate), ["safe"], thresholds=thresholds)


@pytest.mark.parametrize(
    ("letters", "gate", "thresholds", "code", "reasons"),
    [
        ("PP", "", (), 0, []),
        ("PF", "", (), 1, ["1 bundle failed"]),
        ("P-", "PF", (), 1, ["1 bundle failed"]),
        ("PE", "", (), 3, ["1 bundle ended in error"]),
        ("FE", "", (), 3, ["1 bundle ended in error", "1 bundle failed"]),
        ("PF", "", MOST_SAFE, 0, []),
        ("FF", "", MOST_SAFE, 1, ["safe: pass rate 0 (0 of 2) is below min_pass_rate 0.5"]),
        (
            "PE",
            "",
            (limit("safe", "max_error_rate", 1.0),),
            3,
            ["1 bundle ended in error"],
        ),
        (
            "PE",
            "",
            (limit("safe", "max_error_rate", 0.1),),
            3,
            [
                "1 bundle ended in error",
                "safe: error rate 0.5 (1 of 2) is above max_error_rate 0.1",
            ],
        ),
        (
            "P-",
            "PF",
            MOST_SAFE,
            1,
            ["gate: pass rate 0.5 (1 of 2) is below min_pass_rate 1 (the default)"],
        ),
        ("P-", "PF", (limit("gate", "min_pass_rate", 0.5), MOST_SAFE[1]), 0, []),
        (
            "EE",
            "",
            MOST_SAFE,
            3,
            [
                "2 bundles ended in error",
                (
                    "safe: min_pass_rate 0.5 is missed: there is no pass rate, "
                    "since no bundle has a value (2 errored)"
                ),
            ],
        ),
    ],
)
def test_the_exit_code_follows_errors_then_limits_then_verdicts(
    letters: str, gate: str, thresholds: tuple[Threshold, ...], code: int, reasons: list[str]
) -> None:
    result = score(letters, thresholds, gate)
    assert (result.exit_code, list(result.reasons)) == (code, reasons)


def test_bundles_left_unjudged_end_in_3() -> None:
    result = score_run(run({"safe": "PP"}), ["safe"], unjudged=1_000)
    assert (result.exit_code, result.reasons) == (3, ("1,000 bundles left unjudged",))


def test_a_comparison_in_error_ends_in_3() -> None:
    pairwise = summarise([PairOutcome("b0", None), PairOutcome("b1", "candidate")])
    bundles = run({"safe": "PP"})
    result = score_run(bundles, ["safe"], baseline=bundles, pairwise=pairwise)
    assert (result.exit_code, result.reasons) == (
        3,
        ("1 comparison with the baseline ended in error",),
    )


def test_a_lost_comparison_counts_only_through_its_limit() -> None:
    bundles = run({"safe": "PP"})
    pairwise = summarise([PairOutcome("b0", "baseline"), PairOutcome("b1", "baseline")])
    codes = [
        score_run(
            bundles, ["safe"], thresholds=thresholds, baseline=bundles, pairwise=pairwise
        ).exit_code
        for thresholds in ((), (limit("pairwise", "min_win_rate", 0.5),))
    ]
    assert codes == [0, 1]


def test_aggregates_have_the_gate_first_and_a_place_for_every_judge() -> None:
    result = score_run(run({"safe": "PF", "quality": "45"}), ["quality", "safe", "never"])
    assert list(result.aggregates) == ["gate", "quality", "safe", "never"]
    assert result.aggregates["quality"].mean == 4.5
    assert (result.baseline_aggregates, result.comparison) == (None, None)


@pytest.mark.parametrize(
    ("before", "now", "thresholds", "code"),
    [
        ("PF", "PF", (), 0),
        ("PF", "FP", (), 1),
        ("PP", "PF", (), 1),
        ("PE", "PF", (), 1),
        ("FF", "PF", (), 0),
        ("PF", "PE", (), 3),
        ("PF", "PFF", (), 1),
        ("PF", "PFP", (), 0),
        ("PF", "PF", ALL_SAFE, 0),
        ("PF", "FF", ALL_SAFE, 1),
        ("PF", "FP", ALL_SAFE, 1),
        ("PP", "PF", ALL_SAFE, 1),
        ("PP", "PF", MOST_SAFE, 0),
        ("PFF", "PFF", MOST_SAFE, 0),
        ("PFF", "FPF", MOST_SAFE, 1),
        ("PPF", "F", MOST_SAFE, 1),
        ("EE", "FF", ALL_SAFE, 1),
        ("--", "--", ALL_SAFE, 0),
        ("PP", "--", ALL_SAFE, 1),
    ],
)
def test_fail_on_new_excuses_what_the_baseline_failed_already(
    before: str, now: str, thresholds: tuple[Threshold, ...], code: int
) -> None:
    result = score_run(
        run({"safe": now}),
        ["safe"],
        thresholds=thresholds,
        baseline=run({"safe": before}),
        fail_on_new=True,
    )
    assert result.exit_code == code


@pytest.mark.parametrize(("now", "code"), [("PF", 0), ("FP", 1), ("FF", 1)])
@pytest.mark.parametrize("thresholds", [(), (GATE,)])
def test_fail_on_new_holds_for_the_gate_too(
    now: str, code: int, thresholds: tuple[Threshold, ...]
) -> None:
    skipped = {"safe": "--"}
    result = score_run(
        run(skipped, now),
        ["safe"],
        thresholds=thresholds,
        baseline=run(skipped, "PF"),
        fail_on_new=True,
    )
    assert result.exit_code == code


def test_without_fail_on_new_a_baseline_excuses_nothing() -> None:
    bundles = run({"safe": "PF"})
    assert score_run(bundles, ["safe"], baseline=bundles).exit_code == 1
    assert score_run(bundles, ["safe"], thresholds=ALL_SAFE, baseline=bundles).exit_code == 1


def test_fail_on_new_without_a_baseline_counts_everything() -> None:
    for thresholds in ((), ALL_SAFE):
        result = score_run(run({"safe": "PF"}), ["safe"], thresholds=thresholds, fail_on_new=True)
        assert result.exit_code == 1


def test_a_drop_or_a_lost_comparison_is_always_new() -> None:
    now, before = run({"quality": "33"}), run({"quality": "44"})
    pairwise = summarise([PairOutcome("b0", "baseline")])
    thresholds = (
        limit("quality", "min_mean", 5),
        limit("quality", "max_drop", 0.5),
        limit("pairwise", "min_win_rate", 0.5),
    )
    result = score_run(
        now,
        ["quality"],
        thresholds=thresholds,
        baseline=before,
        pairwise=pairwise,
        fail_on_new=True,
    )
    assert [one.status for one in result.thresholds] == ["missed"] * 3
    assert [one.key for one in result.counting] == ["max_drop", "min_win_rate"]
    assert result.exit_code == 1


def test_a_low_mean_is_excused_as_long_as_it_was_low_before() -> None:
    thresholds = (limit("quality", "min_mean", 4),)
    codes = [
        score_run(
            run({"quality": "33"}),
            ["quality"],
            thresholds=thresholds,
            baseline=run({"quality": before}),
            fail_on_new=True,
        ).exit_code
        for before in ("35", "36")
    ]
    assert codes == [1, 1]
    excused = score_run(
        run({"quality": "22"}),
        ["quality"],
        thresholds=thresholds,
        baseline=run({"quality": "34"}),
        fail_on_new=True,
    )
    assert excused.exit_code == 0


BUNDLES = st.lists(
    st.tuples(st.sampled_from("PPPFE"), st.sampled_from("PF4E-"), st.sampled_from("15E-")),
    max_size=6,
).map(
    lambda said: [
        bundle(f"b{index}", gate, safe=safe, quality=quality)
        for index, (gate, safe, quality) in enumerate(said)
    ]
)
THRESHOLDS = st.lists(
    st.one_of(
        st.builds(limit, st.just("gate"), st.just("min_pass_rate"), st.floats(0, 1)),
        st.builds(limit, st.just("safe"), st.just("min_pass_rate"), st.floats(0, 1)),
        st.builds(limit, st.just("quality"), st.just("min_mean"), st.floats(1, 5)),
        st.builds(limit, st.just("quality"), st.just("max_drop"), st.floats(0, 5)),
        st.builds(limit, st.just("safe"), st.just("max_error_rate"), st.floats(0, 1)),
    ),
    max_size=3,
)


@settings(deadline=None)
@given(BUNDLES, st.none() | BUNDLES, THRESHOLDS, st.booleans(), st.integers())
def test_a_run_ends_the_same_way_in_any_order_and_never_in_0_with_an_error(
    bundles: list[BundleOutcome],
    baseline: list[BundleOutcome] | None,
    thresholds: list[Threshold],
    fail_on_new: bool,
    seed: int,
) -> None:
    def scored(now: list[BundleOutcome]) -> RunScore:
        return score_run(
            now,
            ["safe", "quality"],
            thresholds=thresholds,
            baseline=baseline,
            fail_on_new=fail_on_new,
        )

    result = scored(bundles)
    assert scored(random.Random(seed).sample(bundles, len(bundles))) == result
    assert bool(result.exit_code) == bool(result.reasons)
    assert (result.exit_code == 3) == any(one.status == "error" for one in bundles)
    assert set(result.counting) <= set(result.thresholds)
