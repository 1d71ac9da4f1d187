"""A judge that asks a model once for each sample: a rendered prompt, answered by a typed tool."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from judge_bundles import resources, scoring
from judge_bundles.agent.budget import Spending
from judge_bundles.agent.calls import Calls
from judge_bundles.judges.base import Judged, Means, answered
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.question import Answer, Question, ask, read_fields, unfit
from judge_bundles.judges.samples import draw
from judge_bundles.models.base import CallContext, ToolSpec
from judge_bundles.rules.judge_specs import LlmJudgeSpec
from judge_bundles.scoring import ScoreRange, Value
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import JudgeResult

SUBMIT: Final = "submit_score"

_RATIONALE: Final = {
    "type": "string",
    "description": "What you found, and why it leads to your answer. Written before you decide.",
}
_PASSED: Final[Mapping[str, Any]] = {"type": "boolean", "description": "The decision."}


@dataclass(frozen=True, slots=True)
class Score:
    """What the model said: true or false, or a number within the judge's range."""

    value: Value
    rationale: str


@dataclass(frozen=True, slots=True)
class _Sample:
    result: JudgeResult
    trace: JudgeTrace


async def run(spec: LlmJudgeSpec, bundle: Bundle, means: Means) -> Judged:
    """Render the prompt once and ask until the samples have decided."""
    assert spec.model is not None, "a plan without its models is refused"
    model = means.models[spec.model]
    prompt = await means.code.prompt(bundle.rule, spec.name, bundle)
    spending = Spending(model.price)
    asked = question(spec, prompt.text)

    async def sample(number: int) -> _Sample:
        context = CallContext(bundle.entry_id, bundle.rule, spec.name, number)
        answer = await ask(asked, Calls(model, context, means.run_budget, spending))
        return _Sample(_result(spec, answer), answer.trace)

    drawn = await draw(sample, spec.samples)
    cost = spending.cost
    return Judged(
        result=replace(drawn.result, cost_usd=None if cost is None else float(cost)),
        traces=tuple(one.trace for one in drawn.samples),
        usage=spending.usage,
        model=model,
        notes=prompt.notes,
    )


def question(spec: LlmJudgeSpec, prompt: str) -> Question[Score]:
    """Return what the model is asked, with the range in the prompt and in the tool's schema."""
    scale = None if spec.pass_fail else ScoreRange(*spec.score_range)
    answer = (
        f"`score`: a number {scale}, both ends included" if scale else "`passed`: true or false"
    )
    description = f"What is judged: {spec.description.strip()}\n\n" if spec.description else ""
    return Question(
        system=resources.prompt("llm-judge-system").substitute(answer=answer),
        text=resources.prompt("llm-judge-task").substitute(
            description=description, prompt=prompt, answer=answer
        ),
        tool=score_tool(scale),
        max_tokens=spec.max_tokens,
        read=partial(read_score, scale),
        repeated=spec.samples > 1,
    )


def score_tool(scale: ScoreRange | None) -> ToolSpec:
    """Return the tool; `scale` is None for a judge that answers pass or fail.

    A server that enforces schemas refuses those with limits of numbers, so only the other kind asks
    it to; both are checked by `read_score`.
    """
    decision, value = "passed", _PASSED
    if scale is not None:
        decision = "score"
        value = {
            "type": "number",
            "minimum": scale.low,
            "maximum": scale.high,
            "description": f"A number {scale}, both ends included.",
        }
    return ToolSpec(
        name=SUBMIT,
        description="Submit the answer. This is the only way to answer.",
        input_schema={
            "type": "object",
            "properties": {"rationale": _RATIONALE, decision: value},
            "required": ["rationale", decision],
            "additionalProperties": False,
        },
        strict=scale is None,
    )


def read_score(scale: ScoreRange | None, given: Mapping[str, Any]) -> Score:
    """Return the answer in the tool's input; raises `JudgementError` for any other."""
    rationale, raw = read_fields(given, "rationale", "passed" if scale is None else "score")
    if scale is None:
        if not isinstance(raw, bool):
            raise unfit("`passed` is neither true nor false")
        return Score(raw, rationale)
    if refused := scoring.refusal(raw, scale):
        raise unfit(refused)
    return Score(float(raw), rationale)


def _result(spec: LlmJudgeSpec, answer: Answer[Score]) -> JudgeResult:
    if answer.value is None:
        return JudgeResult(spec.name, spec.type, "error", error=answer.error)
    return answered(spec.name, spec.type, answer.value.value, answer.value.rationale)
