"""What one judge's answer is worth in a reward: 0 to 1."""

from fractions import Fraction

from judge_bundles.errors import JudgeBundlesError
from judge_bundles.scoring.outcomes import Outcome
from judge_bundles.scoring.values import JudgeScale


class NoRewardError(JudgeBundlesError):
    """A bundle has no reward; the message says why, in a clause without a full stop."""


def unit_value(outcome: Outcome, scale: JudgeScale | None) -> Fraction | None:
    """Return 1 for a pass, 0 for a fail, where a number lies in its range, None if skipped.

    Raises `NoRewardError` for an error and for a number that no range gives a meaning to.
    """
    if outcome.status == "error":
        raise NoRewardError(f"{outcome.judge} ended in error")
    if outcome.value is None:
        return None
    if isinstance(outcome.value, bool):
        return Fraction(outcome.value)
    score_range = None if scale is None else scale.score_range
    if score_range is None:
        raise NoRewardError(f"{outcome.judge} gave a number and has no score_range")
    if outcome.value not in score_range:
        raise NoRewardError(f"{outcome.judge} gave a number outside of its score_range")
    return score_range.unit(outcome.value)
