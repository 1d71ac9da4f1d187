"""Write the verdict of one bundle under one rule, from whatever the pipeline got to."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from judge_bundles import judges
from judge_bundles.agent.injection import Scan
from judge_bundles.errors import JudgementError
from judge_bundles.intake.intake import Taken
from judge_bundles.rules.model import Rule
from judge_bundles.verdict import (
    JudgeResult,
    PrecheckResult,
    Stage,
    Status,
    Usage,
    Verdict,
    VerdictError,
)
from judge_prechecks import Outcome

SCAN_CUT: Final = (
    "not all text was searched for text that addresses the evaluator: there is too much"
)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Draft:
    """Holds what every verdict of the bundle shares; each method finishes one kind of verdict."""

    run_id: str
    entry_id: str
    rule: Rule
    taken: Taken | None = None
    started_at: str = field(default_factory=_now)
    started: float = field(default_factory=time.monotonic)

    def not_taken(self, error: JudgementError) -> Verdict:
        """The bundle was refused at intake."""
        return self._failed("intake", error)

    def error(self, error: JudgementError) -> Verdict:
        """Something broke while the bundle was judged."""
        return self._failed("judge", error)

    def gate_failed(self, outcomes: Sequence[Outcome]) -> Verdict:
        """At least one precheck failed; the reason leads with the first and carries all."""
        failures = [
            f"prechecks[{outcome.index}] {outcome.type}: {outcome.message}"
            for outcome in outcomes
            if not outcome.held
        ]
        return self._verdict(
            "fail", "; ".join(failures), "precheck", prechecks=_prechecks(outcomes)
        )

    def gate_held(self, outcomes: Sequence[Outcome]) -> Verdict:
        """Every precheck held and no judge was to run; a rule without prechecks judged nothing."""
        if not outcomes:
            return self._failed(
                "precheck",
                JudgementError("not_judged", f"rule {self.rule.name} has no precheck to run"),
            )
        count = f"all {len(outcomes)} prechecks held" if len(outcomes) > 1 else "the precheck held"
        note = "; the judges were not asked" if self.rule.judges else ""
        return self._verdict("pass", count + note, "precheck", prechecks=_prechecks(outcomes))

    def judged(
        self,
        outcomes: Sequence[Outcome],
        judged: Sequence[judges.Judged],
        scan: Scan,
        changed: JudgementError | None = None,
    ) -> Verdict:
        """Every judge has spoken: an error outweighs a no, a no outweighs a yes.

        `changed` says that the judges may not all have seen the same bytes; then nothing counts.
        """
        results = tuple(one.result for one in judged)
        errored = next((result for result in results if result.status == "error"), None)
        error = _failure(changed) if changed else errored.error if errored else None
        failed = next((result for result in results if result.status == "fail"), None)
        decisive = errored or failed or results[0]
        agent = next((one for one in judged if one.coverage is not None), None)
        model = next((one.model for one in judged if one.model is not None), None)
        return self._verdict(
            "error" if error else "fail" if failed else "pass",
            changed.message if changed else _reason(decisive, named=len(results) > 1),
            "judge",
            prechecks=_prechecks(outcomes),
            judges=results,
            inspected=agent.result.inspected if agent else (),
            coverage=agent.coverage if agent else None,
            injection_suspected=scan.flags,
            more_warnings=(SCAN_CUT,) if scan.cut else (),
            usage=sum((one.usage for one in judged), Usage()),
            cost_usd=_total_cost(results),
            model=model.name if model else None,
            model_scripted=model.scripted if model else False,
            image_id=agent.image_id if agent else None,
            error=error,
        )

    def reused(self, earlier: Verdict) -> Verdict:
        """The same content was judged by the same rule, model and sandbox before; nothing was spent."""
        return replace(
            earlier,
            run_id=self.run_id,
            entry_id=self.entry_id,
            rule=self.rule.name,
            judges=tuple(replace(result, cost_usd=0.0) for result in earlier.judges),
            usage=Usage(),
            cost_usd=0.0,
            reused_from=earlier.reused_from or earlier.run_id,
            **self._times(),
        )

    def _failed(self, stage: Stage, error: JudgementError) -> Verdict:
        return self._verdict("error", error.message, stage, error=_failure(error))

    def _verdict(
        self,
        status: Status,
        reason: str,
        stage: Stage,
        *,
        more_warnings: tuple[str, ...] = (),
        **parts: Any,
    ) -> Verdict:
        taken = self.taken
        return Verdict(
            run_id=self.run_id,
            entry_id=self.entry_id,
            bundle_digest=taken.digest if taken else None,
            rule=self.rule.name,
            rule_digest=self.rule.digest,
            status=status,
            reason=reason,
            stage=stage,
            skipped_members=taken.skipped if taken else (),
            warnings=(*(taken.warnings if taken else ()), *more_warnings),
            **parts,
            **self._times(),
        )

    def _times(self) -> dict[str, Any]:
        return {
            "latency_ms": round((time.monotonic() - self.started) * 1000),
            "started_at": self.started_at,
            "finished_at": _now(),
        }


def _failure(error: JudgementError) -> VerdictError:
    return VerdictError(error.kind, error.message, error.retryable)


def _prechecks(outcomes: Sequence[Outcome]) -> tuple[PrecheckResult, ...]:
    return tuple(PrecheckResult(**asdict(outcome)) for outcome in outcomes)


def _reason(result: JudgeResult, *, named: bool) -> str:
    text = result.error.message if result.error else result.rationale
    return f"{result.name}: {text}" if named else text


def _total_cost(results: Sequence[JudgeResult]) -> float | None:
    costs = [result.cost_usd for result in results]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
