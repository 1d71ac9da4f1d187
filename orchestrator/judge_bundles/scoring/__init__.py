"""The arithmetic of judging: samples, aggregates, thresholds, baselines, rewards, comparisons.

Pure functions over frozen records. Nothing here reads a file, asks for the time or draws a random
number, and everything is exact: neither the order of bundles nor rounding changes a result.
"""

from judge_bundles.scoring.aggregates import JudgeAggregate, aggregate
from judge_bundles.scoring.comparison import Comparison, Failure, compare, new_misses
from judge_bundles.scoring.formula import Formula
from judge_bundles.scoring.measurements import Measurements
from judge_bundles.scoring.outcomes import (
    GATE,
    PAIRWISE,
    BundleOutcome,
    Outcome,
    bundle_outcome,
)
from judge_bundles.scoring.pairwise import (
    OrderAnswer,
    PairOutcome,
    PairwiseSummary,
    judge_pair,
    summarise,
    without_output,
)
from judge_bundles.scoring.reward import Reward, reward_of
from judge_bundles.scoring.reward_spec import RewardSpec, Weights, parse_reward
from judge_bundles.scoring.run_score import RunScore, score_run
from judge_bundles.scoring.samples import Reduction, decided, reduce
from judge_bundles.scoring.spec_problems import ScoringSpecError, SpecProblem
from judge_bundles.scoring.threshold_check import ThresholdResult, evaluate
from judge_bundles.scoring.threshold_spec import (
    THRESHOLD_KEYS,
    Threshold,
    ThresholdKey,
    parse_thresholds,
)
from judge_bundles.scoring.values import JudgeKind, JudgeScale, ScoreRange, Value, refusal
from judge_bundles.verdict import Stability

__all__ = [
    "GATE",
    "PAIRWISE",
    "THRESHOLD_KEYS",
    "BundleOutcome",
    "Comparison",
    "Failure",
    "Formula",
    "JudgeAggregate",
    "JudgeKind",
    "JudgeScale",
    "Measurements",
    "OrderAnswer",
    "Outcome",
    "PairOutcome",
    "PairwiseSummary",
    "Reduction",
    "Reward",
    "RewardSpec",
    "RunScore",
    "ScoreRange",
    "ScoringSpecError",
    "SpecProblem",
    "Stability",
    "Threshold",
    "ThresholdKey",
    "ThresholdResult",
    "Value",
    "Weights",
    "aggregate",
    "bundle_outcome",
    "compare",
    "decided",
    "evaluate",
    "judge_pair",
    "new_misses",
    "parse_reward",
    "parse_thresholds",
    "reduce",
    "refusal",
    "reward_of",
    "score_run",
    "summarise",
    "without_output",
]
