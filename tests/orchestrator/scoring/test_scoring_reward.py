import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.scoring import (
    BundleOutcome,
    JudgeScale,
    Outcome,
    Reward,
    RewardSpec,
    ScoreRange,
    Weights,
    parse_reward,
    reward_of,
)
from judge_bundles.scoring.unit_values import NoRewardError, unit_value
from tests.orchestrator.scoring.scoring_cases import bundle

SCALES = {
    "safe": JudgeScale("safe", "pass_fail"),
    "tests": JudgeScale("tests"),
    "quality": JudgeScale("quality", "numeric", ScoreRange(1, 5)),
    "speed": JudgeScale("speed", "numeric", ScoreRange(0, 10)),
    "loose": JudgeScale("loose"),
}


def reward(raw: object, gate: str = "P", **judges: str) -> Reward:
    spec = None if raw is None else parse_reward(raw, list(SCALES.values()))
    return reward_of(bundle("b", gate, **judges), spec, SCALES)


@pytest.mark.parametrize(
    ("judges", "expected"),
    [
        ({"safe": "P", "quality": "3"}, Reward(0.5, "the mean of 1 score, each over its range")),
        (
            {"safe": "P", "quality": "5", "speed": "5"},
            Reward(0.75, "the mean of 2 scores, each over its range"),
        ),
        (
            {"safe": "-", "quality": "-", "speed": "5"},
            Reward(0.5, "the mean of 1 score, each over its range"),
        ),
        ({"safe": "F", "quality": "5"}, Reward(0.0, "safe failed")),
        ({"safe": "F", "tests": "F", "loose": "7"}, Reward(0.0, "safe, tests failed")),
        ({"safe": "P"}, Reward(1.0, "everything that was asked passed")),
        ({"safe": "-"}, Reward(1.0, "everything that was asked passed")),
        ({}, Reward(1.0, "everything that was asked passed")),
        ({"safe": "E", "quality": "5"}, Reward(None, "safe ended in error")),
        ({"safe": "F", "quality": "E"}, Reward(None, "quality ended in error")),
        ({"loose": "7"}, Reward(None, "loose gave a number and has no score_range")),
        ({"quality": "7"}, Reward(None, "quality gave a number outside of its score_range")),
    ],
)
def test_by_default_failures_make_it_0_and_scores_are_averaged(
    judges: dict[str, str], expected: Reward
) -> None:
    assert reward(None, **judges) == expected


def test_nothing_that_judged_is_no_reward() -> None:
    assert reward(None, gate="-", safe="-") == Reward(None, "no judge gave a value")


@pytest.mark.parametrize("raw", [None, "safe", {"weights": {"safe": 1}}, {"formula": "safe - 5"}])
def test_a_failed_gate_makes_every_reward_0(raw: object) -> None:
    assert reward(raw, gate="F", safe="-") == Reward(0.0, "the gate failed")


@pytest.mark.parametrize("raw", [None, "safe", {"weights": {"safe": 1}}, {"formula": "safe"}])
def test_a_bundle_in_error_has_no_reward(raw: object) -> None:
    assert reward(raw, gate="E", safe="-") == Reward(None, "gate ended in error")
    assert reward(raw, safe="P", quality="E") == Reward(None, "quality ended in error")
    spoilt = replace(bundle("b", safe="P"), status="error")
    spec = None if raw is None else parse_reward(raw, list(SCALES.values()))
    assert reward_of(spoilt, spec, SCALES) == Reward(None, "the bundle ended in error")


@pytest.mark.parametrize(
    ("raw", "judges", "expected"),
    [
        ("safe", {"safe": "P"}, Reward(1.0, "the value of safe")),
        ("safe", {"safe": "F"}, Reward(0.0, "the value of safe")),
        ("quality", {"safe": "F", "quality": "4"}, Reward(0.75, "the value of quality")),
        ("quality", {"quality": "-"}, Reward(None, "quality skipped")),
        (
            {"judge": "quality", "gate": True},
            {"safe": "F", "quality": "4"},
            Reward(0.0, "safe failed"),
        ),
        (
            {"weights": {"quality": 0.7, "safe": 0.3}},
            {"quality": "5", "safe": "F"},
            Reward(0.7, "the weighted mean of 2 judges"),
        ),
        (
            {"weights": {"quality": 2, "speed": 6}},
            {"quality": "5", "speed": "0"},
            Reward(0.25, "the weighted mean of 2 judges"),
        ),
        (
            {"weights": {"quality": 0.7, "safe": 0.3}},
            {"quality": "3", "safe": "-"},
            Reward(0.5, "the weighted mean of 2 judges, 1 of them skipped"),
        ),
        (
            {"weights": {"quality": 1, "safe": 1}},
            {"quality": "-", "safe": "-"},
            Reward(None, "quality, safe skipped"),
        ),
        (
            {"formula": "quality if safe else 0"},
            {"safe": "P", "quality": "4"},
            Reward(0.75, "the value of the formula"),
        ),
        (
            {"formula": "3 * quality - 1"},
            {"quality": "5"},
            Reward(2.0, "the value of the formula"),
        ),
        (
            {"formula": "quality + safe"},
            {"quality": "5", "safe": "-"},
            Reward(None, "safe was skipped and the formula needs it"),
        ),
        (
            {"formula": "1 / quality"},
            {"quality": "1"},
            Reward(None, "the formula divides by zero"),
        ),
        ({"formula": "loose"}, {"loose": "P"}, Reward(1.0, "the value of the formula")),
        ("loose", {"loose": "3"}, Reward(None, "loose gave a number and has no score_range")),
        ("tests", {"safe": "P"}, Reward(None, "tests did not run")),
    ],
)
def test_a_reward_block_says_which_judges_count(
    raw: Any, judges: dict[str, str], expected: Reward
) -> None:
    assert reward(raw, **judges) == expected


def test_many_judges_are_counted_after_the_first_three() -> None:
    judges = dict.fromkeys("abcde", "F")
    assert reward_of(bundle("b", **judges), None, {}).reason == "a, b, c and 2 more failed"


def test_a_judge_in_error_is_worth_nothing_by_itself() -> None:
    with pytest.raises(NoRewardError, match="safe ended in error"):
        unit_value(Outcome("safe", "error"), SCALES["safe"])


SAID = st.fixed_dictionaries(
    {},
    optional={
        "safe": st.sampled_from("PF-E"),
        "tests": st.sampled_from("PF-"),
        "quality": st.sampled_from("12345-7"),
        "speed": st.floats(0, 10),
        "loose": st.sampled_from("PF5-"),
    },
)
WEIGHTS = st.dictionaries(
    st.sampled_from(list(SCALES)), st.floats(1e-3, 1e6) | st.just(1e-300), min_size=1
).map(lambda shares: RewardSpec(Weights(tuple(shares.items()))))


def made(said: dict[str, Any], gate: str) -> BundleOutcome:
    letters = {name: one for name, one in said.items() if isinstance(one, str)}
    made_of_letters = bundle("b", gate, **letters)
    scores = tuple(
        Outcome(name, "scored", one) for name, one in said.items() if isinstance(one, float)
    )
    return replace(made_of_letters, judges=(*made_of_letters.judges, *scores))


@settings(max_examples=300, deadline=None)
@given(SAID, st.sampled_from("PPPF-E"), st.none() | WEIGHTS, st.booleans(), st.integers())
def test_default_and_weighted_rewards_stay_from_0_to_1_in_any_order(
    said: dict[str, Any], gate: str, spec: RewardSpec | None, gated: bool, seed: int
) -> None:
    if spec is not None:
        spec = replace(spec, gate=gated)
    one = made(said, gate)
    result = reward_of(one, spec, SCALES)
    assert result.reason
    assert result.value is None or 0 <= result.value <= 1
    shuffle = random.Random(seed)
    mixed = replace(one, judges=tuple(shuffle.sample(one.judges, len(one.judges))))
    if spec is not None and isinstance(spec.by, Weights):
        shares = spec.by.shares
        spec = replace(spec, by=Weights(tuple(shuffle.sample(shares, len(shares)))))
    assert reward_of(mixed, spec, SCALES).value == result.value


FORMULAS = st.sampled_from(
    [
        "safe * quality",
        "quality / speed",
        "1 if loose else speed - 3",
        "(speed - 1) ** 0.5",
        "mean(safe, tests, quality)",
        "quality if quality is not None else safe",
        "1 / (safe - 1)",
    ]
)


@settings(deadline=None)
@given(SAID, st.sampled_from("PF-E"), FORMULAS)
def test_a_formula_gives_a_finite_number_or_a_reason(
    said: dict[str, Any], gate: str, text: str
) -> None:
    spec = parse_reward({"formula": text}, list(SCALES.values()))
    result = reward_of(made(said, gate), spec, SCALES)
    assert result.reason
    assert result.value is None or math.isfinite(result.value)
