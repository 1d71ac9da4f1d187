"""The reserved judge `pairwise`: is a bundle better than the one it had in an earlier run?

Both orders are asked, since a judge that prefers what it reads first would else decide by position.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from judge_bundles import resources, scoring
from judge_bundles.agent.budget import Spending
from judge_bundles.agent.calls import Calls
from judge_bundles.judges.base import Judged, Means
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.code.runner import PairPrompts
from judge_bundles.judges.question import Question, ask, read_fields, unfit
from judge_bundles.models.base import CallContext, ToolSpec
from judge_bundles.rules.judge_specs import PAIRWISE_JUDGE, PairwiseSpec
from judge_bundles.scoring import OrderAnswer, PairOutcome
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import JudgeResult

SUBMIT: Final = "submit_comparison"
TYPE: Final = "pairwise"

VALUES: Final = {"candidate": 1.0, "tie": 0.5, "baseline": 0.0}
_WORDS: Final = {
    "candidate": "better than the baseline in both orders",
    "tie": "as good as the baseline in both orders",
    "baseline": "worse than the baseline in both orders",
}
_DISAGREED: Final = "a tie: the two orders disagree"
_ORDERS: Final = ("candidate first", "baseline first")
_WINNERS: Final = ("A", "B", "tie")

_TOOL: Final = ToolSpec(
    name=SUBMIT,
    description="Submit the comparison. This is the only way to answer.",
    input_schema={
        "type": "object",
        "properties": {
            "reasoning": {
                "type": "string",
                "description": "How the two outputs differ where it matters. Written before you decide.",
            },
            "winner": {
                "type": "string",
                "enum": list(_WINNERS),
                "description": "The better output, or tie when neither is better.",
            },
        },
        "required": ["reasoning", "winner"],
        "additionalProperties": False,
    },
    strict=True,
)


async def run(spec: PairwiseSpec, bundle: Bundle, means: Means) -> Judged:
    """Compare with the baseline's bundle, taken in again; raises `JudgementError` without one."""
    assert means.baseline is not None, "without a baseline nothing is compared"
    earlier = means.baseline.find(bundle.rule, bundle.entry_id)
    if earlier is None:
        missing = "the baseline run has no such entry under this rule"
        return Judged(JudgeResult(PAIRWISE_JUDGE, TYPE, "skipped", rationale=missing))
    async with means.baseline.take(earlier) as before:
        prompts = await means.code.pair(bundle.rule, bundle, before)
    if prompts.empty:
        outcome = scoring.without_output(bundle.entry_id, prompts.empty)
        return Judged(_result(outcome, ()), notes=prompts.notes)
    return await _compare(spec, bundle, means, prompts)


async def _compare(
    spec: PairwiseSpec, bundle: Bundle, means: Means, prompts: PairPrompts
) -> Judged:
    assert spec.model is not None, "a plan without its models is refused"
    model = means.models[spec.model]
    spending = Spending(model.price)

    async def order(number: int, prompt: str) -> tuple[OrderAnswer, JudgeTrace]:
        context = CallContext(bundle.entry_id, bundle.rule, PAIRWISE_JUDGE, number)
        answer = await ask(
            question(spec, prompt), Calls(model, context, means.run_budget, spending)
        )
        return answer.value or OrderAnswer(None, error=answer.error), answer.trace

    (first, first_trace), (second, second_trace) = await asyncio.gather(
        order(1, prompts.candidate_first), order(2, prompts.baseline_first)
    )
    outcome = scoring.judge_pair(bundle.entry_id, first, second)
    cost = spending.cost
    return Judged(
        _result(outcome, (first, second), None if cost is None else float(cost)),
        traces=(first_trace, second_trace),
        usage=spending.usage,
        model=model,
        notes=prompts.notes,
    )


def question(spec: PairwiseSpec, prompt: str) -> Question[OrderAnswer]:
    """Return what the model is asked in one order."""
    description = f"What is compared: {spec.description.strip()}\n\n" if spec.description else ""
    return Question(
        system=resources.prompt("pairwise-judge-system").substitute(),
        text=resources.prompt("pairwise-judge-task").substitute(
            description=description, prompt=prompt
        ),
        tool=_TOOL,
        max_tokens=spec.max_tokens,
        read=read_comparison,
    )


def read_comparison(given: Mapping[str, Any]) -> OrderAnswer:
    """Return the answer in the tool's input; raises `JudgementError` for any other."""
    reasoning, winner = read_fields(given, "reasoning", "winner")
    for known in _WINNERS:
        if winner == known:
            return OrderAnswer(known, reasoning)
    raise unfit("`winner` is none of A, B and tie")


def _result(
    outcome: PairOutcome, answers: tuple[OrderAnswer, ...], cost_usd: float | None = 0.0
) -> JudgeResult:
    said = [_said(order, answer) for order, answer in zip(_ORDERS, answers, strict=False)]
    if outcome.winner is None:
        return JudgeResult(
            PAIRWISE_JUDGE,
            TYPE,
            "error",
            rationale="; ".join(said),
            cost_usd=cost_usd,
            error=outcome.error,
        )
    words = _WORDS[outcome.winner] if outcome.consistent else _DISAGREED
    return JudgeResult(
        PAIRWISE_JUDGE,
        TYPE,
        "scored",
        VALUES[outcome.winner],
        "; ".join([words, *said]),
        cost_usd=cost_usd,
    )


def _said(order: str, answer: OrderAnswer) -> str:
    if answer.preferred is None:
        return f"{order}: no answer"
    return f"{order}: {answer.preferred} ({answer.reasoning})"
