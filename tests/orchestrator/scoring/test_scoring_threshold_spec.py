import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring import (
    THRESHOLD_KEYS,
    JudgeScale,
    ScoreRange,
    ScoringSpecError,
    Threshold,
    parse_thresholds,
)
from tests.orchestrator.scoring.scoring_cases import problems

SCALES = (
    JudgeScale("safe", "pass_fail"),
    JudgeScale("quality", "numeric", ScoreRange(1, 5)),
    JudgeScale("tests"),
)
GATE_DEFAULT = Threshold("gate", "min_pass_rate", 1.0, default=True)


def parsed(raw: object, *, gate: bool = True, pairwise: bool = True) -> tuple[Threshold, ...]:
    return parse_thresholds(raw, SCALES, has_gate=gate, has_pairwise=pairwise)


def refused(raw: object, *, gate: bool = True, pairwise: bool = True) -> list[tuple[str, str]]:
    with pytest.raises(ScoringSpecError) as caught:
        parsed(raw, gate=gate, pairwise=pairwise)
    return problems(caught.value)


def test_limits_keep_the_order_of_the_file_after_the_gates_default() -> None:
    raw = {
        "quality": {"min_mean": 3.5, "max_drop": 0},
        "safe": {"min_pass_rate": 1},
        "pairwise": {"min_win_rate": 0.5, "max_error_rate": 0.0},
    }
    assert parsed(raw) == (
        GATE_DEFAULT,
        Threshold("quality", "min_mean", 3.5),
        Threshold("quality", "max_drop", 0),
        Threshold("safe", "min_pass_rate", 1),
        Threshold("pairwise", "min_win_rate", 0.5),
        Threshold("pairwise", "max_error_rate", 0.0),
    )


def test_only_a_pass_rate_for_the_gate_takes_the_place_of_its_default() -> None:
    own = Threshold("gate", "min_pass_rate", 0.9)
    assert parsed({"gate": {"min_pass_rate": 0.9}}) == (own,)
    assert parsed({"gate": {"max_drop": 0.1}}) == (GATE_DEFAULT, Threshold("gate", "max_drop", 0.1))


def test_a_rule_without_prechecks_has_no_limit_for_a_gate() -> None:
    assert parsed({"safe": {"min_mean": 1}}, gate=False) == (Threshold("safe", "min_mean", 1),)


SHARE = "must be a share from 0 to 1, but it is"
SIZE = "must be finite and at most 1e+100 in size, but it is"


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        (
            None,
            "thresholds",
            "must be a mapping from judges to their limits, but it is empty",
        ),
        (
            [1],
            "thresholds",
            "must be a mapping from judges to their limits, but it is a list",
        ),
        ({}, "thresholds", "holds no limit: name a judge, or leave the key out"),
        (
            {"qualty": {"min_mean": 3}},
            "thresholds.qualty",
            "no judge is named `qualty`: did you mean `quality`?",
        ),
        (
            {"x": {"min_mean": 3}},
            "thresholds.x",
            "no judge is named `x`: known are `safe`, `quality`, `tests`, `gate`, `pairwise`",
        ),
        (
            {"quality": 3.5},
            "thresholds.quality",
            "must be a mapping such as `min_mean: 3.5`, but it is 3.5",
        ),
        ({"quality": {}}, "thresholds.quality", "sets no limit: write one, or leave the judge out"),
        (
            {"quality": {"min_maen": 3}},
            "thresholds.quality.min_maen",
            "unknown key `min_maen`: did you mean `min_mean`?",
        ),
        (
            {"quality": {"min_win_rate": 0.5}},
            "thresholds.quality.min_win_rate",
            (
                "`min_win_rate` is only for the judge `pairwise`: "
                "known are `min_pass_rate`, `min_mean`, `max_error_rate`, `max_drop`"
            ),
        ),
        (
            {"pairwise": {"min_mean": 1}},
            "thresholds.pairwise.min_mean",
            "`min_mean` is not for pairwise: known are `min_win_rate`, `max_error_rate`",
        ),
        (
            {"pairwise": {"max_drop": 0.1}},
            "thresholds.pairwise.max_drop",
            "`max_drop` is not for pairwise: known are `min_win_rate`, `max_error_rate`",
        ),
        (
            {"gate": {"min_mean": 1}},
            "thresholds.gate.min_mean",
            "`min_mean` is not for gate: known are `min_pass_rate`, `max_error_rate`, `max_drop`",
        ),
        (
            {"quality": {"min_pass_rate": 1}},
            "thresholds.quality.min_pass_rate",
            "the judge gives numbers, which have no pass rate: use `min_mean`",
        ),
        (
            {"safe": {"min_pass_rate": True}},
            "thresholds.safe.min_pass_rate",
            "must be a number, but it is true",
        ),
        (
            {"safe": {"min_pass_rate": "0.8"}},
            "thresholds.safe.min_pass_rate",
            'must be a number, but it is the text "0.8"',
        ),
        (
            {"safe": {"min_pass_rate": None}},
            "thresholds.safe.min_pass_rate",
            "must be a number, but it is empty",
        ),
        (
            {"safe": {"min_pass_rate": {"of": 1}}},
            "thresholds.safe.min_pass_rate",
            "must be a number, but it is a mapping",
        ),
        ({"safe": {"min_pass_rate": 80}}, "thresholds.safe.min_pass_rate", f"{SHARE} 80"),
        (
            {"pairwise": {"min_win_rate": -0.1}},
            "thresholds.pairwise.min_win_rate",
            f"{SHARE} -0.1",
        ),
        ({"safe": {"max_error_rate": 1.1}}, "thresholds.safe.max_error_rate", f"{SHARE} 1.1"),
        ({"quality": {"min_mean": math.nan}}, "thresholds.quality.min_mean", f"{SIZE} nan"),
        ({"quality": {"min_mean": -math.inf}}, "thresholds.quality.min_mean", f"{SIZE} -inf"),
        (
            {"quality": {"min_mean": 10**5000}},
            "thresholds.quality.min_mean",
            f"{SIZE} a number of too many digits",
        ),
        (
            {"quality": {"max_drop": -0.5}},
            "thresholds.quality.max_drop",
            "must be at least 0, but it is -0.5",
        ),
    ],
)
def test_a_mistake_is_found_before_anything_runs_and_carries_its_key_path(
    raw: Any, path: str, message: str
) -> None:
    assert refused(raw) == [(path, message)]


def test_an_unknown_name_is_answered_with_at_most_twenty_known_ones() -> None:
    def message(count: int) -> str:
        scales = [JudgeScale(f"judge-{index}") for index in range(count)]
        with pytest.raises(ScoringSpecError) as caught:
            parse_thresholds({"x": {}}, scales, has_gate=False, has_pairwise=False)
        return caught.value.problems[0].message

    assert message(0) == "no judge is named `x`: there is none"
    assert message(20).endswith("`judge-19`")
    assert message(21).endswith("`judge-19` and 1 more")


def test_all_mistakes_are_found_at_once() -> None:
    found = refused(
        {"quality": {"min_mean": "3", "min_pass": 1}, "gone": {}, "safe": {"max_drop": -1}}
    )
    assert [path for path, _ in found] == [
        "thresholds.quality.min_mean",
        "thresholds.quality.min_pass",
        "thresholds.gone",
        "thresholds.safe.max_drop",
    ]


def test_reserved_names_need_what_they_measure() -> None:
    assert refused({"gate": {"max_drop": 0}}, gate=False) == [
        ("thresholds.gate", "the rule has no prechecks, so there is no gate to hold to a limit")
    ]
    assert refused({"pairwise": {"min_win_rate": 0}}, pairwise=False) == [
        (
            "thresholds.pairwise",
            "no judge is named `pairwise`: known are `safe`, `quality`, `tests`, `gate`",
        )
    ]


@pytest.mark.parametrize(
    ("judge", "key", "limit"),
    [
        ("safe", "min_pass_rate", 0),
        ("safe", "min_pass_rate", 1),
        ("tests", "min_pass_rate", 0.5),
        ("safe", "max_error_rate", 1.0),
        ("quality", "min_mean", -MAX_SCORE_SIZE),
        ("quality", "max_drop", MAX_SCORE_SIZE),
    ],
)
def test_both_ends_of_what_a_limit_may_be_are_taken(judge: str, key: str, limit: float) -> None:
    assert Threshold(judge, key, limit) in parsed({judge: {key: limit}})  # type: ignore[arg-type]  # a table of keys


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from(["safe", "quality", "tests", "gate", "pairwise", "other"]),
        st.one_of(
            ANYTHING, st.dictionaries(st.sampled_from([*THRESHOLD_KEYS, "x"]), ANYTHING, max_size=3)
        ),
        max_size=3,
    )
)
def test_any_block_is_limits_or_a_list_of_mistakes(raw: dict[str, Any]) -> None:
    found: list[tuple[str, str]] = []
    thresholds: tuple[Threshold, ...] = ()
    try:
        thresholds = parsed(raw)
    except ScoringSpecError as error:
        found = problems(error)
    assert bool(found) != bool(thresholds)
    assert all(path.startswith("thresholds") for path, _ in found)
    assert all(abs(one.limit) <= MAX_SCORE_SIZE for one in thresholds)
