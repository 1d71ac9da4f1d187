"""Put a whole run together: what each judge amounts to, which limits it met, how the command ends.

An error or an unjudged bundle ends in 3, whatever the limits say. Else, with limits, a missed one
ends in 1; without, a failed bundle does. With `fail_on_new`, only what the baseline does not excuse
counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judge_bundles.errors import EXIT_ERROR, EXIT_FAILED, EXIT_OK
from judge_bundles.scoring.aggregates import JudgeAggregate, aggregate
from judge_bundles.scoring.comparison import Comparison, compare, new_misses
from judge_bundles.scoring.measurements import Measurements
from judge_bundles.scoring.outcomes import GATE, BundleOutcome
from judge_bundles.scoring.pairwise import PairwiseSummary
from judge_bundles.scoring.threshold_check import ThresholdResult, evaluate
from judge_bundles.scoring.threshold_spec import Threshold


@dataclass(frozen=True, slots=True)
class RunScore:
    """One run under one rule.

    `aggregates` has the gate first and then each judge; `counting` are the missed limits that
    decide the exit code, with `reasons` in words why it is not 0. The parts of a baseline are None
    without one.
    """

    aggregates: Mapping[str, JudgeAggregate]
    baseline_aggregates: Mapping[str, JudgeAggregate] | None
    thresholds: tuple[ThresholdResult, ...]
    counting: tuple[ThresholdResult, ...]
    comparison: Comparison | None
    pairwise: PairwiseSummary | None
    exit_code: int
    reasons: tuple[str, ...]


def score_run(
    bundles: Sequence[BundleOutcome],
    judges: Sequence[str],
    *,
    thresholds: Sequence[Threshold] = (),
    baseline: Sequence[BundleOutcome] | None = None,
    pairwise: PairwiseSummary | None = None,
    unjudged: int = 0,
    fail_on_new: bool = False,
    gate_only: bool = False,
) -> RunScore:
    """Score a run. `judges` names those of the rule without `pairwise`, in order.

    `thresholds` is empty when the rule has none. `unjudged` counts bundles without any verdict.
    Without a `baseline` every failure is new.
    """
    aggregates = _aggregates(bundles, judges)
    before = None if baseline is None else _aggregates(baseline, judges)
    measurements = Measurements(aggregates, before, pairwise, gate_only)
    results = evaluate(thresholds, measurements)
    comparison = compare(bundles, baseline or ())
    if fail_on_new:
        past = evaluate(thresholds, Measurements(before or {}, gate_only=gate_only))
        counting = new_misses(results, past if before is not None else (), comparison)
        failing = comparison.newly_failing
    else:
        counting = tuple(one for one in results if one.status == "missed")
        failing = tuple(sorted(one.entry_id for one in bundles if one.status == "fail"))
    errors = tuple(_error_reasons(bundles, pairwise, unjudged))
    failures = tuple(_failure_reasons(thresholds, counting, failing, new=fail_on_new))
    return RunScore(
        aggregates=aggregates,
        baseline_aggregates=before,
        thresholds=results,
        counting=counting,
        comparison=None if baseline is None else comparison,
        pairwise=pairwise,
        exit_code=EXIT_ERROR if errors else EXIT_FAILED if failures else EXIT_OK,
        reasons=(*errors, *failures),
    )


def _aggregates(
    bundles: Sequence[BundleOutcome], judges: Sequence[str]
) -> dict[str, JudgeAggregate]:
    outcomes = (outcome for bundle in bundles for outcome in bundle.all)
    return aggregate(outcomes, (GATE, *judges))


def _error_reasons(
    bundles: Sequence[BundleOutcome], pairwise: PairwiseSummary | None, unjudged: int
) -> Iterator[str]:
    errored = sum(bundle.status == "error" for bundle in bundles)
    if errored:
        yield f"{_count(errored, 'bundle')} ended in error"
    if unjudged:
        yield f"{_count(unjudged, 'bundle')} left unjudged"
    if pairwise and pairwise.errors:
        yield f"{_count(pairwise.errors, 'comparison')} with the baseline ended in error"


def _failure_reasons(
    thresholds: Sequence[Threshold],
    counting: Sequence[ThresholdResult],
    failing: Sequence[str],
    *,
    new: bool,
) -> Iterator[str]:
    if thresholds:
        yield from (one.sentence for one in counting)
    elif failing:
        yield f"{_count(len(failing), 'bundle')} {'newly failed' if new else 'failed'}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
