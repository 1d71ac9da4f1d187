"""The sandboxed agent as a judge of a rule: each sample has its own container and conversation."""

from dataclasses import replace

from judge_bundles.agent import judge as agent
from judge_bundles.agent.budget import Spending
from judge_bundles.agent.judgement import Assignment, Judgement
from judge_bundles.agent.judgement import Means as AgentMeans
from judge_bundles.judges.base import Judged, Means
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.samples import draw
from judge_bundles.rules.model import AgentJudgeSpec


async def run(spec: AgentJudgeSpec, bundle: Bundle, means: Means) -> Judged:
    """Judge until the samples have decided."""
    assert spec.model is not None, "a plan without its models is refused"
    model = means.models[spec.model]
    spending = Spending(model.price, spec.limits.max_tokens_total, spec.limits.max_cost_usd)
    agent_means = AgentMeans(
        model=model,
        new_sandbox=lambda: means.new_sandbox(bundle.tree, bundle.entry_id, spec.sandbox),
        run_budget=means.run_budget,
        spending=spending,
    )

    async def judge(sample: int) -> Judgement:
        assignment = Assignment(
            bundle.entry_id, bundle.rule, spec, bundle.tree, bundle.digest, sample
        )
        return await agent.judge(assignment, agent_means)

    drawn = await draw(judge, spec.samples)
    cost = spending.cost
    return Judged(
        result=replace(drawn.result, cost_usd=None if cost is None else float(cost)),
        traces=tuple(one.trace for one in drawn.samples),
        usage=spending.usage,
        coverage=drawn.chosen.coverage,
        image_id=drawn.chosen.image_id,
        model=model,
    )
