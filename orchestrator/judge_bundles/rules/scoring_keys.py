"""The keys `thresholds` and `reward`: read by `scoring`, with the lines of what is wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.documents.document import Node, line_of
from judge_bundles.documents.problems import Problem
from judge_bundles.scoring import (
    JudgeScale,
    RewardSpec,
    ScoringSpecError,
    SpecProblem,
    Threshold,
    parse_reward,
    parse_thresholds,
)

KEYS: Final = ("thresholds", "reward")


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a run under the rule is scored, and what is wrong with how that is written."""

    thresholds: tuple[Threshold, ...] = ()
    reward: RewardSpec | None = None
    problems: tuple[Problem, ...] = ()


def read_scoring(
    keys: Mapping[str, Any],
    root: Node,
    scales: Sequence[JudgeScale],
    *,
    has_gate: bool,
    has_pairwise: bool,
) -> Scoring:
    """Return both; a key without a value is left to those who refuse such keys everywhere."""
    thresholds: tuple[Threshold, ...] = ()
    reward: RewardSpec | None = None
    found: list[SpecProblem] = []
    if (raw := keys.get("thresholds")) is not None:
        try:
            thresholds = parse_thresholds(raw, scales, has_gate=has_gate, has_pairwise=has_pairwise)
        except ScoringSpecError as error:
            found += error.problems
    if (raw := keys.get("reward")) is not None:
        try:
            reward = parse_reward(raw, scales)
        except ScoringSpecError as error:
            found += error.problems
    return Scoring(thresholds, reward, tuple(_with_lines(found, root)))


def _with_lines(found: Iterable[SpecProblem], root: Node) -> Iterable[Problem]:
    return (Problem(one.path, one.message, line_of(root, one.path)) for one in found)
