"""What one judge said about all bundles of a run: counts always, rates and means where they exist.

Sums are kept as fractions, so that no order of the bundles and no rounding changes a result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import median

from judge_bundles.scoring.exact import exact
from judge_bundles.scoring.outcomes import Outcome
from judge_bundles.verdict import JSON


@dataclass(frozen=True, slots=True)
class JudgeAggregate:
    """One judge, or the gate, over the bundles of a run.

    `scored` bundles have a value, `errored` ones should have one, `skipped` ones never came to the
    judge. `passed` is None unless all values are bools; `total` is None when bools and numbers are
    mixed or there is no value. `minimum`, `maximum` and `median` are of numbers only.
    """

    judge: str
    scored: int = 0
    errored: int = 0
    skipped: int = 0
    passed: int | None = None
    total: Fraction | None = None
    minimum: float | None = None
    maximum: float | None = None
    median: float | None = None

    @property
    def exact_pass_rate(self) -> Fraction | None:
        """The share of passes among the values, if all are bools."""
        return None if self.passed is None else Fraction(self.passed, self.scored)

    @property
    def exact_mean(self) -> Fraction | None:
        """The mean of the values; of bools it equals the pass rate."""
        return None if self.total is None else self.total / self.scored

    @property
    def exact_error_rate(self) -> Fraction | None:
        """The share of errors among the bundles that came to the judge, if any did."""
        reached = self.scored + self.errored
        return Fraction(self.errored, reached) if reached else None

    @property
    def pass_rate(self) -> float | None:
        """`exact_pass_rate`, rounded."""
        return _rounded(self.exact_pass_rate)

    @property
    def mean(self) -> float | None:
        """`exact_mean`, rounded; never outside of minimum and maximum."""
        return _rounded(self.exact_mean)

    @property
    def error_rate(self) -> float | None:
        """`exact_error_rate`, rounded."""
        return _rounded(self.exact_error_rate)

    def record(self) -> dict[str, JSON]:
        """Return the aggregate as a JSON object."""
        return {
            "judge": self.judge,
            "scored": self.scored,
            "errored": self.errored,
            "skipped": self.skipped,
            "pass_rate": self.pass_rate,
            "mean": self.mean,
            "error_rate": self.error_rate,
            "min": self.minimum,
            "max": self.maximum,
            "median": self.median,
        }


def aggregate(outcomes: Iterable[Outcome], judges: Iterable[str]) -> dict[str, JudgeAggregate]:
    """Return one aggregate for each of `judges`, in their order, also where there is no outcome.

    Outcomes of other judges are not counted.
    """
    by_judge: dict[str, list[Outcome]] = {judge: [] for judge in judges}
    for outcome in outcomes:
        if outcome.judge in by_judge:
            by_judge[outcome.judge].append(outcome)
    return {judge: _aggregate(judge, group) for judge, group in by_judge.items()}


def _aggregate(judge: str, outcomes: Sequence[Outcome]) -> JudgeAggregate:
    values = [outcome.value for outcome in outcomes if outcome.value is not None]
    counts = JudgeAggregate(
        judge,
        scored=len(values),
        errored=sum(outcome.status == "error" for outcome in outcomes),
        skipped=sum(outcome.status == "skipped" for outcome in outcomes),
    )
    numbers = [exact(value) for value in values if not isinstance(value, bool)]
    if values and not numbers:
        passed = sum(value is True for value in values)
        return replace(counts, passed=passed, total=Fraction(passed))
    if not numbers or len(numbers) < len(values):
        return counts
    return replace(
        counts,
        total=sum(numbers, Fraction()),
        minimum=float(min(numbers)),
        maximum=float(max(numbers)),
        median=float(median(numbers)),
    )


def _rounded(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
