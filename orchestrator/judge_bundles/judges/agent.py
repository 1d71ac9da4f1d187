"""The sandboxed agent as a judge of a rule: as many independent judgements as the rule asks for."""

from dataclasses import replace
from typing import Final

from judge_bundles.agent import judge as agent
from judge_bundles.agent.budget import Spending
from judge_bundles.agent.judgement import Assignment, Judgement
from judge_bundles.agent.judgement import Means as AgentMeans
from judge_bundles.judges.base import Bundle, Judged, JudgeSpec, Means, judge_type
from judge_bundles.judges.sampling import Outcome, as_outcome, decided, stability
from judge_bundles.verdict import JudgeResult

POINTLESS_TO_REPEAT: Final = frozenset({"budget", "model_auth"})
"""What ended one sample would end the next one in the same way."""


@judge_type("agent")
async def run(spec: JudgeSpec, bundle: Bundle, means: Means) -> Judged:
    """Judge until the samples have decided; each has its own container and conversation."""
    assert spec.model is not None, "the runner refuses a rule without a model before it starts"
    model = means.models[spec.model]
    spending = Spending(model.price, spec.limits.max_tokens_total, spec.limits.max_cost_usd)
    agent_means = AgentMeans(
        model=model,
        new_sandbox=lambda: means.new_sandbox(bundle.tree, bundle.entry_id, spec.sandbox),
        run_budget=means.run_budget,
        spending=spending,
    )
    judgements: list[Judgement] = []
    outcomes: list[Outcome] = []
    while (status := decided(outcomes, spec.samples)) is None:
        assignment = Assignment(
            bundle.entry_id,
            bundle.rule,
            spec,
            bundle.tree,
            bundle.digest,
            sample=len(judgements) + 1,
        )
        judgements.append(await agent.judge(assignment, agent_means))
        outcomes.append(as_outcome(judgements[-1].result.status))
        failure = judgements[-1].result.error
        if failure and failure.kind in POINTLESS_TO_REPEAT:
            status = "error"
            break
    chosen = next(
        (one for one, outcome in zip(judgements, outcomes, strict=True) if outcome == status),
        judgements[-1],
    )
    cost = spending.cost
    result = replace(chosen.result, cost_usd=None if cost is None else float(cost))
    if spec.samples > 1:
        result = _sampled(result, status, outcomes, spec.samples)
    return Judged(
        result=result,
        traces=tuple(one.trace for one in judgements),
        usage=spending.usage,
        coverage=chosen.coverage,
        image_id=chosen.image_id,
        model=model,
    )


def _sampled(
    result: JudgeResult, status: Outcome, outcomes: list[Outcome], requested: int
) -> JudgeResult:
    """Say how the samples were spread; `result` is that of a sample which has the status."""
    spread = stability(outcomes, requested)
    counts = f"{spread.passes} pass, {spread.fails} fail, {spread.errors} error of {requested}"
    tie = status == "fail" and spread.passes == spread.fails
    note = "a tie of the samples is a fail" if tie else "samples"
    error = result.error
    if error is not None:
        error = replace(error, message=f"no majority among the samples ({counts}): {error.message}")
    return replace(
        result,
        rationale=f"{result.rationale} ({note}: {counts})".strip(),
        stability=spread,
        error=error,
    )
