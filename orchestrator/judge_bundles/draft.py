"""Write the verdict of one bundle under one rule, from whatever the pipeline got to."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from judge_bundles import judges
from judge_bundles.agent.injection import Scan
from judge_bundles.decision import Decision, decide
from judge_bundles.errors import JudgementError
from judge_bundles.intake.intake import Taken
from judge_bundles.judges.base import failure
from judge_bundles.limits import MAX_NOTE_CHARACTERS, MAX_VERDICT_NOTES
from judge_bundles.reward import with_reward
from judge_bundles.rules.model import Rule
from judge_bundles.verdict import JudgeResult, PrecheckResult, Stage, Status, Usage, Verdict
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
        verdict = self._verdict(
            "fail", "; ".join(failures), "precheck", prechecks=_prechecks(outcomes)
        )
        return with_reward(verdict, self.rule)

    def gate_held(self, outcomes: Sequence[Outcome]) -> Verdict:
        """Every precheck held and no judge was to run; a rule without prechecks judged nothing."""
        if not outcomes:
            return self._failed(
                "precheck",
                JudgementError("not_judged", f"rule {self.rule.name} has no precheck to run"),
            )
        count = f"all {len(outcomes)} prechecks held" if len(outcomes) > 1 else "the precheck held"
        note = "; the judges were not asked" if self.rule.judges or self.rule.pairwise else ""
        return self._verdict("pass", count + note, "precheck", prechecks=_prechecks(outcomes))

    def judged(
        self,
        outcomes: Sequence[Outcome],
        judged: Sequence[judges.Judged],
        scan: Scan,
        changed: JudgementError | None = None,
    ) -> Verdict:
        """Every judge has spoken; none needs to have been asked.

        `changed` says that they may not all have seen the same bytes; then nothing counts.
        """
        results = tuple(one.result for one in judged)
        decision = decide(results, prechecks=len(outcomes))
        if changed is not None:
            decision = Decision("error", changed.message, error=failure(changed))
        agent = next((one for one in judged if one.coverage is not None), None)
        models = {one.model.name: one.model for one in judged if one.model is not None}
        verdict = self._verdict(
            decision.status,
            decision.reason,
            decision.stage,
            prechecks=_prechecks(outcomes),
            judges=results,
            inspected=agent.result.inspected if agent else (),
            coverage=agent.coverage if agent else None,
            injection_suspected=scan.flags,
            more_warnings=(*_notes(judged), *((SCAN_CUT,) if scan.cut else ())),
            usage=sum((one.usage for one in judged), Usage()),
            cost_usd=_total_cost(results),
            model=", ".join(models) or None,
            model_scripted=any(model.scripted for model in models.values()),
            image_id=agent.image_id if agent else None,
            error=decision.error,
        )
        return with_reward(verdict, self.rule)

    def reused(self, earlier: Verdict) -> Verdict:
        """The same content was judged by the same rule, model and sandbox before; nothing was spent."""
        verdict = replace(
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
        return with_reward(verdict, self.rule)

    def _failed(self, stage: Stage, error: JudgementError) -> Verdict:
        return self._verdict("error", error.message, stage, error=failure(error))

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


def _prechecks(outcomes: Sequence[Outcome]) -> tuple[PrecheckResult, ...]:
    return tuple(PrecheckResult(**asdict(outcome)) for outcome in outcomes)


def _notes(judged: Sequence[judges.Judged]) -> tuple[str, ...]:
    """Return what the judges noticed, each thing once with the names of those who did."""
    noticed: dict[str, list[str]] = {}
    for one in judged:
        for note in one.notes:
            noticed.setdefault(note, []).append(one.result.name)
    lines = [_cut(f"{', '.join(names)}: {note}") for note, names in noticed.items()]
    more = len(lines) - MAX_VERDICT_NOTES
    return (
        *lines[:MAX_VERDICT_NOTES],
        *([f"and {more:,} more notes of the judges"] if more > 0 else ()),
    )


def _cut(note: str) -> str:
    return note if len(note) <= MAX_NOTE_CHARACTERS else note[: MAX_NOTE_CHARACTERS - 1] + "…"


def _total_cost(results: Sequence[JudgeResult]) -> float | None:
    costs = [result.cost_usd for result in results]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
