"""What fails in a run and did not fail in its baseline, bundle by bundle and judge by judge.

Bundles are paired by their entry ids. Only a judgement fails: an error, a skipped judge or a bundle
that is not there is no failure on either side.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judge_bundles.scoring.outcomes import BundleOutcome
from judge_bundles.scoring.threshold_check import ThresholdResult
from judge_bundles.verdict import JudgeStatus


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """A pass/fail judge, or the gate, that said no to a bundle."""

    entry_id: str
    judge: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside its baseline; every tuple is sorted.

    `new` fails now and did not before, `still` fails in both, `fixed` failed before and passes now.
    `not_judged` failed before, and now nobody said: an error, a judge that was skipped or is gone,
    or a bundle that is.
    """

    new: tuple[Failure, ...]
    still: tuple[Failure, ...]
    fixed: tuple[Failure, ...]
    not_judged: tuple[Failure, ...]
    only_candidate: tuple[str, ...]
    only_baseline: tuple[str, ...]

    @property
    def newly_failing(self) -> tuple[str, ...]:
        """Bundles with at least one new failure, whatever else they fail."""
        return _entries(self.new)

    @property
    def still_failing(self) -> tuple[str, ...]:
        """Bundles that fail only what they failed before."""
        return _without(_entries(self.still), self.newly_failing)

    @property
    def fixed_bundles(self) -> tuple[str, ...]:
        """Bundles that failed before and now pass all of it, and fail nothing else."""
        unfinished = _entries((*self.new, *self.still, *self.not_judged))
        return _without(_entries(self.fixed), unfinished)


def compare(candidate: Sequence[BundleOutcome], baseline: Sequence[BundleOutcome]) -> Comparison:
    """Compare two runs under the same rule."""
    failing, failed = _with_status(candidate, "fail"), _with_status(baseline, "fail")
    passing = _with_status(candidate, "pass")
    here, there = {one.entry_id for one in candidate}, {one.entry_id for one in baseline}
    return Comparison(
        new=tuple(sorted(failing - failed)),
        still=tuple(sorted(failing & failed)),
        fixed=tuple(sorted(failed & passing)),
        not_judged=tuple(sorted(failed - failing - passing)),
        only_candidate=tuple(sorted(here - there)),
        only_baseline=tuple(sorted(there - here)),
    )


def new_misses(
    now: Sequence[ThresholdResult], before: Sequence[ThresholdResult], comparison: Comparison
) -> tuple[ThresholdResult, ...]:
    """Return the limits missed now that the baseline does not excuse.

    The baseline excuses a limit which it missed in the same way, measured or not measurable, unless
    a bundle newly fails that judge. `before` holds the same limits against the baseline run itself;
    those that only a comparison can evaluate are never excused.
    """
    missed_before = {(one.judge, one.key, one.observed is None) for one in _missed(before)}
    newly_failed = {failure.judge for failure in comparison.new}
    return tuple(
        one
        for one in _missed(now)
        if (one.judge, one.key, one.observed is None) not in missed_before
        or one.judge in newly_failed
    )


def _missed(results: Iterable[ThresholdResult]) -> list[ThresholdResult]:
    return [one for one in results if one.status == "missed"]


def _with_status(bundles: Iterable[BundleOutcome], status: JudgeStatus) -> set[Failure]:
    return {
        Failure(bundle.entry_id, outcome.judge)
        for bundle in bundles
        for outcome in bundle.all
        if outcome.status == status
    }


def _entries(failures: Iterable[Failure]) -> tuple[str, ...]:
    return tuple(sorted({failure.entry_id for failure in failures}))


def _without(entries: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(entries) - set(others)))
