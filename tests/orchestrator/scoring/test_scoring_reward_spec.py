import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.scoring import (
    Formula,
    JudgeScale,
    RewardSpec,
    ScoreRange,
    ScoringSpecError,
    Weights,
    parse_reward,
)
from tests.orchestrator.scoring.scoring_cases import problems

SCALES = (
    JudgeScale("safe", "pass_fail"),
    JudgeScale("quality", "numeric", ScoreRange(1, 5)),
    JudgeScale("tests"),
    JudgeScale("loose", "numeric"),
)


def refused(raw: object) -> list[tuple[str, str]]:
    with pytest.raises(ScoringSpecError) as caught:
        parse_reward(raw, SCALES)
    return problems(caught.value)


@pytest.mark.parametrize(
    ("raw", "spec"),
    [
        ("quality", RewardSpec(Weights((("quality", 1.0),)))),
        ({"judge": "tests"}, RewardSpec(Weights((("tests", 1.0),)))),
        ({"judge": "safe", "gate": True}, RewardSpec(Weights((("safe", 1.0),)), gate=True)),
        (
            {"weights": {"quality": 0.7, "safe": 3}, "gate": False},
            RewardSpec(Weights((("quality", 0.7), ("safe", 3)))),
        ),
    ],
)
def test_one_judge_or_weights_make_a_reward(raw: object, spec: RewardSpec) -> None:
    assert parse_reward(raw, SCALES) == spec


def test_a_formula_makes_a_reward() -> None:
    spec = parse_reward({"formula": "quality if safe else 0"}, SCALES)
    assert isinstance(spec.by, Formula)
    assert spec.by.judges == {"quality", "safe"}


ONE_OF = "needs exactly one of judge, weights, formula, but it has"
NO_RANGE = "`loose` gives numbers of no declared range: give it a `score_range`"


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        (
            None,
            "reward",
            "must be a judge, or one of judge, weights, formula, but it is empty",
        ),
        (
            0.5,
            "reward",
            "must be a judge, or one of judge, weights, formula, but it is 0.5",
        ),
        ("qualty", "reward", "no judge is named `qualty`: did you mean `quality`?"),
        ({}, "reward", f"{ONE_OF} none of them"),
        ({"judge": "safe", "formula": "safe"}, "reward", f"{ONE_OF} judge and formula"),
        (
            {"judge": "safe", "normalize": True},
            "reward.normalize",
            "unknown key `normalize`: known are `judge`, `weights`, `formula`, `gate`",
        ),
        (
            {"judge": "safe", "gate": 1},
            "reward.gate",
            "must be true or false, but it is 1",
        ),
        ({"judge": ["safe"]}, "reward.judge", "must be the name of a judge, but it is a list"),
        (
            {"weights": ["safe"]},
            "reward.weights",
            "must be a mapping from judges to weights, but it is a list",
        ),
        (
            {"weights": {}},
            "reward.weights",
            "must be a mapping from judges to weights, but it is empty",
        ),
        (
            {"weights": {"safe": 0}},
            "reward.weights.safe",
            "must be above 0, but it is 0",
        ),
        (
            {"weights": {"safe": True}},
            "reward.weights.safe",
            "must be a number, but it is true",
        ),
        (
            {"weights": {"safe": math.inf}},
            "reward.weights.safe",
            "must be finite and at most 1e+100 in size, but it is inf",
        ),
        (
            {"weights": {"gone": 1}},
            "reward.weights.gone",
            "no judge is named `gone`: known are `safe`, `quality`, `tests`, `loose`",
        ),
        ({"formula": 1}, "reward.formula", "must be text, but it is 1"),
        (
            {"formula": "safe * 2 ** safe"},
            "reward.formula",
            "may only raise to a plain number from -16 to 16",
        ),
        ("loose", "reward", NO_RANGE),
        ({"judge": "loose"}, "reward.judge", NO_RANGE),
        ({"weights": {"loose": 1}}, "reward.weights.loose", NO_RANGE),
        ({"formula": "loose"}, "reward.formula", NO_RANGE),
    ],
)
def test_a_mistake_carries_its_key_path(raw: Any, path: str, message: str) -> None:
    assert refused(raw) == [(path, message)]


def test_all_mistakes_are_found_at_once() -> None:
    found = refused({"weights": {"gone": -1, "loose": "1"}, "gate": "yes", "raw": []})
    assert [path for path, _ in found] == [
        "reward.raw",
        "reward.gate",
        "reward.weights.gone",
        "reward.weights.gone",
        "reward.weights.loose",
        "reward.weights.loose",
    ]


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just(10**5000)
)
NAMES = st.sampled_from(["safe", "quality", "tests", "loose", "x"])


@given(
    st.one_of(
        ANYTHING,
        st.dictionaries(
            st.sampled_from(["judge", "weights", "formula", "gate", "x"]),
            st.one_of(ANYTHING, NAMES, st.dictionaries(NAMES, ANYTHING, max_size=3)),
            max_size=3,
        ),
    )
)
def test_any_block_is_a_reward_or_a_list_of_mistakes(raw: object) -> None:
    paths = ["reward"]
    try:
        parse_reward(raw, SCALES)
    except ScoringSpecError as error:
        paths = [path for path, _ in problems(error)]
    assert paths
    assert all(path.startswith("reward") for path in paths)
