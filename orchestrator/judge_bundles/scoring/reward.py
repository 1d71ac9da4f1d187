"""Make one number of what the judges said about one bundle: its reward, or why it has none.

A reward is 0 after a failed gate and does not exist for a bundle that ended in error. Without a
`reward` block, and with one judge or weights, it is from 0 to 1; a formula gives what it gives.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from judge_bundles.scoring.exact import exact
from judge_bundles.scoring.formula_value import formula_value
from judge_bundles.scoring.outcomes import BundleOutcome
from judge_bundles.scoring.reward_spec import RewardSpec, Weights
from judge_bundles.scoring.unit_values import NoRewardError, unit_value
from judge_bundles.scoring.values import JudgeScale

_MAX_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Reward:
    """The reward of one bundle, finite, or None; `reason` says how it came about or why not."""

    value: float | None
    reason: str


def reward_of(
    bundle: BundleOutcome, spec: RewardSpec | None, scales: Mapping[str, JudgeScale]
) -> Reward:
    """Return the reward of `bundle`. Never raises; `spec` is None for the default."""
    if bundle.status == "error" or any(one.status == "error" for one in bundle.all):
        return Reward(None, _why_error(bundle))
    if bundle.gate.status == "fail":
        return Reward(0.0, "the gate failed")
    failed = [outcome.judge for outcome in bundle.judges if outcome.status == "fail"]
    if failed and (spec is None or spec.gate):
        return Reward(0.0, f"{_listed(failed)} failed")
    try:
        return _composed(bundle, spec, scales)
    except NoRewardError as error:
        return Reward(None, str(error))


def _composed(
    bundle: BundleOutcome, spec: RewardSpec | None, scales: Mapping[str, JudgeScale]
) -> Reward:
    outcomes = {outcome.judge: outcome for outcome in bundle.judges}
    units: dict[str, Fraction | None] = {}
    for name in outcomes if spec is None else _named(spec):
        if name not in outcomes:
            raise NoRewardError(f"{name} did not run")
        units[name] = unit_value(outcomes[name], scales.get(name))
    if spec is None:
        return _default(bundle, units)
    if isinstance(spec.by, Weights):
        return _weighted(spec.by, units)
    return Reward(formula_value(spec.by, units), "the value of the formula")


def _named(spec: RewardSpec) -> list[str]:
    if isinstance(spec.by, Weights):
        return [name for name, _ in spec.by.shares]
    return sorted(spec.by.judges)


def _default(bundle: BundleOutcome, units: Mapping[str, Fraction | None]) -> Reward:
    """Return the mean of the numbers, or 1 when everything that judged was pass/fail and passed."""
    scored = [one.judge for one in bundle.judges if one.status == "scored"]
    numbers = [unit for name in scored if (unit := units[name]) is not None]
    if numbers:
        mean = sum(numbers, Fraction()) / len(numbers)
        scores = f"{len(numbers)} score{'' if len(numbers) == 1 else 's'}"
        return Reward(float(mean), f"the mean of {scores}, each over its range")
    if any(outcome.status == "pass" for outcome in bundle.all):
        return Reward(1.0, "everything that was asked passed")
    return Reward(None, "no judge gave a value")


def _weighted(weights: Weights, units: Mapping[str, Fraction | None]) -> Reward:
    """Return the weighted mean of those that were not skipped."""
    parts = [
        (exact(weight), unit)
        for name, weight in weights.shares
        if (unit := units[name]) is not None
    ]
    if not parts:
        return Reward(None, f"{_listed([name for name, _ in weights.shares])} skipped")
    total = sum((weight for weight, _ in parts), Fraction())
    value = float(sum((weight * unit for weight, unit in parts), Fraction()) / total)
    left_out = len(weights.shares) - len(parts)
    if len(weights.shares) == 1:
        return Reward(value, f"the value of {weights.shares[0][0]}")
    note = f", {left_out} of them skipped" if left_out else ""
    return Reward(value, f"the weighted mean of {len(weights.shares)} judges{note}")


def _why_error(bundle: BundleOutcome) -> str:
    errored = [outcome.judge for outcome in bundle.all if outcome.status == "error"]
    return f"{_listed(errored)} ended in error" if errored else "the bundle ended in error"


def _listed(names: list[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
