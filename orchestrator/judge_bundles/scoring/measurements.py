"""Measure a run for one limit: the exact number, and how it came about, in words.

Numbers in words are rounded, but never so far that they read like the limit they are unequal to.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from judge_bundles.scoring.aggregates import JudgeAggregate
from judge_bundles.scoring.exact import exact, shown
from judge_bundles.scoring.outcomes import PAIRWISE
from judge_bundles.scoring.pairwise import PairwiseSummary
from judge_bundles.scoring.threshold_spec import Threshold, ThresholdKey


@dataclass(frozen=True, slots=True)
class Measurements:
    """What a run is measured by: its own judges, those of its baseline, and the comparison.

    `baseline` is None without a baseline run, `pairwise` when nothing was compared. `gate_only`
    says that no judge was to run.
    """

    judges: Mapping[str, JudgeAggregate]
    baseline: Mapping[str, JudgeAggregate] | None = None
    pairwise: PairwiseSummary | None = None
    gate_only: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What a limit is held against; `observed` is None when `words` say why there is nothing."""

    observed: Fraction | None
    words: str


def measure(threshold: Threshold, measurements: Measurements) -> Measured:
    """Return what `threshold` is held against."""
    return _MEASURES[threshold.key](threshold, measurements)


def _pass_rate(threshold: Threshold, measurements: Measurements) -> Measured:
    aggregate = _of(threshold.judge, measurements.judges)
    rate = aggregate.exact_pass_rate
    if rate is None:
        return Measured(None, f"there is no pass rate, since {_why_none(aggregate)}")
    counts = f"({aggregate.passed} of {aggregate.scored})"
    return Measured(rate, f"pass rate {_beside(rate, threshold)} {counts}")


def _mean(threshold: Threshold, measurements: Measurements) -> Measured:
    aggregate = _of(threshold.judge, measurements.judges)
    mean = aggregate.exact_mean
    if mean is None:
        return Measured(None, f"there is no mean, since {_why_none(aggregate)}")
    return Measured(mean, f"mean {_beside(mean, threshold)} ({aggregate.scored} scored)")


def _win_rate(threshold: Threshold, measurements: Measurements) -> Measured:
    summary = measurements.pairwise
    rate = None if summary is None else summary.exact_win_rate
    if summary is None or rate is None:
        return Measured(None, f"there is no win rate, since {_why_uncompared(summary)}")
    counts = f"({summary.wins} won, {summary.ties} tied, {summary.losses} lost)"
    return Measured(rate, f"win rate {_beside(rate, threshold)} {counts}")


def _error_rate(threshold: Threshold, measurements: Measurements) -> Measured:
    if threshold.judge == PAIRWISE:
        summary = measurements.pairwise
        rate = None if summary is None else summary.exact_error_rate
        if summary is None or rate is None:
            return Measured(None, f"there is no error rate, since {_why_uncompared(summary)}")
        errors, reached = summary.errors, len(summary.pairs)
    else:
        aggregate = _of(threshold.judge, measurements.judges)
        rate = aggregate.exact_error_rate
        if rate is None:
            return Measured(None, f"there is no error rate, since {_why_none(aggregate)}")
        errors, reached = aggregate.errored, aggregate.scored + aggregate.errored
    return Measured(rate, f"error rate {_beside(rate, threshold)} ({errors} of {reached})")


def _drop(threshold: Threshold, measurements: Measurements) -> Measured:
    now = _of(threshold.judge, measurements.judges)
    before = _of(threshold.judge, measurements.baseline or {})
    if now.exact_mean is None:
        return Measured(None, f"there is nothing to compare, since {_why_none(now)}")
    if before.exact_mean is None:
        return Measured(None, f"in the baseline there is no value, since {_why_none(before)}")
    if (now.passed is None) != (before.passed is None):
        words = "one run has numbers and the other only pass and fail"
        return Measured(None, f"the runs cannot be compared: {words}")
    drop = max(before.exact_mean - now.exact_mean, Fraction())
    noun = "mean" if now.passed is None else "pass rate"
    was, became = shown(before.exact_mean), shown(now.exact_mean, beside=before.exact_mean)
    return Measured(drop, f"{noun} drop {_beside(drop, threshold)} (from {was} to {became})")


_MEASURES: Final[dict[ThresholdKey, Callable[[Threshold, Measurements], Measured]]] = {
    "min_pass_rate": _pass_rate,
    "min_mean": _mean,
    "min_win_rate": _win_rate,
    "max_error_rate": _error_rate,
    "max_drop": _drop,
}


def _of(judge: str, aggregates: Mapping[str, JudgeAggregate]) -> JudgeAggregate:
    return aggregates.get(judge) or JudgeAggregate(judge)


def _beside(number: Fraction, threshold: Threshold) -> str:
    return shown(number, beside=exact(threshold.limit))


def _why_none(aggregate: JudgeAggregate) -> str:
    if aggregate.total is not None:
        return "the values are numbers: use min_mean"
    if aggregate.scored:
        return "some values are numbers and some are pass or fail"
    counts = [
        f"{count} {word}"
        for count, word in ((aggregate.errored, "errored"), (aggregate.skipped, "skipped"))
        if count
    ]
    return f"no bundle has a value ({', '.join(counts)})" if counts else "it saw no bundle"


def _why_uncompared(summary: PairwiseSummary | None) -> str:
    if summary is None:
        return "the runs were not compared"
    return f"no bundle was compared ({summary.errors} errored)"
