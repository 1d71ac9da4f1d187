"""Hold what was measured to the limits of a rule.

Equality passes, compared as exact fractions. What cannot be measured is missed: a limit that quietly
checks nothing would be worse than none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from judge_bundles.scoring.exact import exact, shown
from judge_bundles.scoring.measurements import Measurements, measure
from judge_bundles.scoring.outcomes import GATE, PAIRWISE
from judge_bundles.scoring.threshold_spec import Threshold, ThresholdKey
from judge_bundles.verdict import JSON

ThresholdStatus = Literal["met", "missed", "not_evaluated"]


@dataclass(frozen=True, slots=True)
class ThresholdResult:
    """One limit, held against one run. `observed` is None where nothing could be measured.

    `sentence` says all of it for people; names in it are not yet escaped for any sink.
    """

    judge: str
    key: ThresholdKey
    limit: float
    status: ThresholdStatus
    observed: float | None
    sentence: str

    @property
    def metric(self) -> str:
        """What is limited: pass_rate, mean, win_rate, error_rate or drop."""
        return self.key.partition("_")[2]

    def record(self) -> dict[str, JSON]:
        """Return the result as a JSON object."""
        return {
            "judge": self.judge,
            "key": self.key,
            "metric": self.metric,
            "limit": self.limit,
            "status": self.status,
            "observed": self.observed,
            "sentence": self.sentence,
        }


def evaluate(
    thresholds: Sequence[Threshold], measurements: Measurements
) -> tuple[ThresholdResult, ...]:
    """Return one result for each of `thresholds`, in their order."""
    return tuple(_evaluated(threshold, measurements) for threshold in thresholds)


def _evaluated(threshold: Threshold, measurements: Measurements) -> ThresholdResult:
    what = f"{threshold.key} {shown(exact(threshold.limit))}"
    why_not = _why_not_evaluated(threshold, measurements)
    if why_not:
        sentence = f"{threshold.judge}: {what} was not evaluated: {why_not}"
        return _result(threshold, "not_evaluated", None, sentence)
    measured = measure(threshold, measurements)
    if measured.observed is None:
        sentence = f"{threshold.judge}: {what} is missed: {measured.words}"
        return _result(threshold, "missed", None, sentence)
    met, relation = _compared(measured.observed, threshold)
    limit = shown(exact(threshold.limit), beside=measured.observed)
    note = " (the default)" if threshold.default else ""
    sentence = f"{threshold.judge}: {measured.words} {relation} {threshold.key} {limit}{note}"
    return _result(threshold, "met" if met else "missed", measured.observed, sentence)


def _result(
    threshold: Threshold, status: ThresholdStatus, observed: Fraction | None, sentence: str
) -> ThresholdResult:
    shown_value = None if observed is None else float(observed)
    return ThresholdResult(
        threshold.judge, threshold.key, threshold.limit, status, shown_value, sentence
    )


def _compared(observed: Fraction, threshold: Threshold) -> tuple[bool, str]:
    limit = exact(threshold.limit)
    if threshold.key.startswith("min_"):
        return (True, "meets") if observed >= limit else (False, "is below")
    return (True, "is within") if observed <= limit else (False, "is above")


def _why_not_evaluated(threshold: Threshold, measurements: Measurements) -> str | None:
    if measurements.gate_only and threshold.judge != GATE:
        return "no judge was asked"
    if measurements.baseline is not None:
        return None
    if threshold.key == "max_drop" or threshold.judge == PAIRWISE:
        return "there is no baseline run to compare with"
    return None
