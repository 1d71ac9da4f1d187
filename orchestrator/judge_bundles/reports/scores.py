"""What a run amounts to under each of its rules: aggregates, limits, comparison, exit code."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge_bundles.errors import EXIT_ERROR, EXIT_FAILED, EXIT_OK
from judge_bundles.reports.summary import Summary
from judge_bundles.rules.model import Rule
from judge_bundles.scoring import (
    PAIRWISE,
    PairOutcome,
    PairwiseSummary,
    RunScore,
    bundle_outcome,
    score_run,
    summarise,
)
from judge_bundles.verdict import JudgeResult, Verdict

_WINNERS: Mapping[float, Any] = {1.0: "candidate", 0.5: "tie", 0.0: "baseline"}


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of each rule of a run, by its name in the order of the command line."""

    run_id: str
    by_rule: Mapping[str, RunScore]
    baseline: str | None = None
    """The id of the run that this one was compared with."""

    @property
    def exit_code(self) -> int:
        """3 outweighs 1: what nobody judged is worse than what was judged and failed."""
        codes = {score.exit_code for score in self.by_rule.values()}
        return next((code for code in (EXIT_ERROR, EXIT_FAILED) if code in codes), EXIT_OK)


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run to compare with, and what was said in it."""

    run_id: str
    verdicts: Sequence[Verdict]


def score(
    run_id: str,
    rules: Sequence[Rule],
    verdicts: Sequence[Verdict],
    *,
    unjudged: Sequence[tuple[str, str]] = (),
    baseline: Baseline | None = None,
    fail_on_new: bool = False,
    gate_only: bool = False,
) -> Scores:
    """Score a run. `unjudged` lists (rule, entry id) of the verdicts that it owes."""
    missing = Counter(rule for rule, _ in unjudged)
    by_rule = {
        rule.name: _score(
            rule,
            [verdict for verdict in verdicts if verdict.rule == rule.name],
            baseline,
            unjudged=missing[rule.name],
            fail_on_new=fail_on_new,
            gate_only=gate_only,
        )
        for rule in rules
    }
    return Scores(run_id, by_rule, baseline.run_id if baseline else None)


def as_record(scores: Scores, total: Summary) -> dict[str, Any]:
    """Return the summary of a run as a JSON object."""
    return {
        "run_id": scores.run_id,
        "baseline": scores.baseline,
        "exit_code": scores.exit_code,
        "passed": total.passed,
        "failed": total.failed,
        "errored": total.errored,
        "unjudged": total.unjudged,
        "reused": total.reused,
        "cost_usd": total.cost_usd,
        "model_scripted": total.scripted,
        "rules": {name: _record(score) for name, score in scores.by_rule.items()},
    }


def _score(
    rule: Rule,
    verdicts: Sequence[Verdict],
    baseline: Baseline | None,
    *,
    unjudged: int,
    fail_on_new: bool,
    gate_only: bool,
) -> RunScore:
    names = [judge.name for judge in rule.judges]
    has_gate = bool(rule.gate.checks)
    before = None
    if baseline is not None:
        before = [
            bundle_outcome(verdict, names, has_gate=has_gate)
            for verdict in baseline.verdicts
            if verdict.rule == rule.name
        ]
    return score_run(
        [bundle_outcome(verdict, names, has_gate=has_gate) for verdict in verdicts],
        names,
        thresholds=rule.thresholds,
        baseline=before,
        pairwise=_pairwise(rule, verdicts) if before is not None else None,
        unjudged=unjudged,
        fail_on_new=fail_on_new,
        gate_only=gate_only,
    )


def _pairwise(rule: Rule, verdicts: Sequence[Verdict]) -> PairwiseSummary | None:
    """Count the comparisons; a bundle that was not compared is not among them."""
    if rule.pairwise is None:
        return None
    pairs = [
        _pair(verdict.entry_id, result)
        for verdict in verdicts
        for result in verdict.judges
        if result.name == PAIRWISE and result.status in {"scored", "error"}
    ]
    return summarise(pairs)


def _pair(entry_id: str, result: JudgeResult) -> PairOutcome:
    winner = None if result.error or result.value is None else _WINNERS[result.value]
    return PairOutcome(entry_id, winner, (result.rationale,), error=result.error)


def _record(score: RunScore) -> dict[str, Any]:
    compared = score.comparison
    return {
        "exit_code": score.exit_code,
        "reasons": list(score.reasons),
        "judges": {name: one.record() for name, one in score.aggregates.items()},
        "thresholds": [result.record() for result in score.thresholds],
        "pairwise": score.pairwise.record() if score.pairwise else None,
        "comparison": None
        if compared is None
        else {
            "newly_failing": list(compared.newly_failing),
            "still_failing": list(compared.still_failing),
            "fixed": list(compared.fixed_bundles),
            "only_candidate": list(compared.only_candidate),
            "only_baseline": list(compared.only_baseline),
        },
    }
