"""What the judges and the gate said about one bundle, as far as counting needs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judge_bundles.scoring.values import Value, is_number
from judge_bundles.verdict import JudgeResult, JudgeStatus, Status, Verdict

GATE: Final = "gate"
"""The reserved name under which the prechecks of a rule are counted as one."""
PAIRWISE: Final = "pairwise"
"""The reserved name of the comparison with a baseline run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One judge on one bundle. ValueError when value and status do not belong together.

    A pass has the value True, a fail False, a score a finite number; skipped and error have None.
    """

    judge: str
    status: JudgeStatus
    value: Value | None = None

    def __post_init__(self) -> None:
        fitting = {
            "pass": self.value is True,
            "fail": self.value is False,
            "scored": is_number(self.value),
        }
        if not fitting.get(self.status, self.value is None):
            raise ValueError(f"{self.judge}: {self.value!r} is no value of status {self.status}")


@dataclass(frozen=True, slots=True)
class BundleOutcome:
    """One bundle of a run under one rule. `entry_id` is unique in the run."""

    entry_id: str
    status: Status
    gate: Outcome
    judges: tuple[Outcome, ...]

    @property
    def all(self) -> tuple[Outcome, ...]:
        """The gate and then each judge."""
        return (self.gate, *self.judges)


def bundle_outcome(verdict: Verdict, judges: Sequence[str], *, has_gate: bool) -> BundleOutcome:
    """Return what `verdict` says for the gate and for each of `judges`, by name.

    After a failed gate every judge is skipped. A judge that a bundle in error never came to, or
    whose answer the error took back, counts as errored; one that was not asked as skipped.
    """
    gate = _gate(verdict, has_gate=has_gate)
    results = {result.name: result for result in verdict.judges}
    outcomes = tuple(_judge(name, results, verdict, gate) for name in judges)
    return BundleOutcome(verdict.entry_id, verdict.status, gate, outcomes)


def _gate(verdict: Verdict, *, has_gate: bool) -> Outcome:
    if not has_gate:
        return Outcome(GATE, "skipped")
    changed = verdict.error is not None and verdict.error.kind == "snapshot_changed"
    if verdict.prechecks and not changed:
        held = all(precheck.held for precheck in verdict.prechecks)
        return Outcome(GATE, "pass" if held else "fail", held)
    return Outcome(GATE, "error" if verdict.status == "error" else "skipped")


def _judge(
    name: str, results: Mapping[str, JudgeResult], verdict: Verdict, gate: Outcome
) -> Outcome:
    if gate.status == "fail":
        return Outcome(name, "skipped")
    result = results.get(name)
    if result is None:
        return Outcome(name, "error" if verdict.status == "error" else "skipped")
    if _taken_back(verdict) and result.status != "skipped":
        return Outcome(name, "error")
    return _as_outcome(result)


def _taken_back(verdict: Verdict) -> bool:
    """Whether the bundle ended in an error that is none of its judges': then no answer counts."""
    return verdict.error is not None and all(
        result.error != verdict.error for result in verdict.judges
    )


def _as_outcome(result: JudgeResult) -> Outcome:
    if result.status == "scored":
        if is_number(result.value):
            return Outcome(result.name, "scored", result.value)
        return Outcome(result.name, "error")
    values = {"pass": True, "fail": False}
    return Outcome(result.name, result.status, values.get(result.status))
