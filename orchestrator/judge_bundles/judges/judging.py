"""Run one judge of a rule on one bundle, whatever its type: its `if` first, then the judge itself."""

from typing import Final, assert_never

from judge_bundles import escape, log
from judge_bundles.errors import JudgementError
from judge_bundles.judges import agent, llm, pairwise, python
from judge_bundles.judges.base import Judged, Means, failure
from judge_bundles.judges.bundle import Bundle
from judge_bundles.rules.judge_specs import (
    PAIRWISE_JUDGE,
    LlmJudgeSpec,
    PairwiseSpec,
    PythonJudgeSpec,
)
from judge_bundles.rules.model import AgentJudgeSpec, AskedJudge
from judge_bundles.verdict import JudgeResult

_SHOWN_CONDITION_CHARACTERS: Final = 200


async def run(spec: AskedJudge, bundle: Bundle, means: Means) -> Judged:
    """Return the judge's result; what goes wrong is its error. Only cancellation gets out."""
    try:
        if not await _applies(spec, bundle, means):
            name, kind = named(spec)
            return Judged(JudgeResult(name, kind, "skipped", rationale=_skipped(spec)))
        return await _run(spec, bundle, means)
    except JudgementError as error:
        return _failed(spec, error)
    except Exception as error:  # noqa: BLE001 - a fault of ours is this judge's error only
        name, _ = named(spec)
        log.get_logger().exception("judge_crashed", entry_id=bundle.entry_id, judge=name)
        return _failed(spec, JudgementError("internal", f"{type(error).__name__}: {error}"))


def named(spec: AskedJudge) -> tuple[str, str]:
    """Return the name and the type under which the judge's results are recorded."""
    if isinstance(spec, PairwiseSpec):
        return PAIRWISE_JUDGE, pairwise.TYPE
    return spec.name, spec.type


async def _applies(spec: AskedJudge, bundle: Bundle, means: Means) -> bool:
    if isinstance(spec, PairwiseSpec):
        return True
    if isinstance(spec.condition, bool):
        return spec.condition
    return await means.code.holds(bundle.rule, spec.name, bundle)


async def _run(spec: AskedJudge, bundle: Bundle, means: Means) -> Judged:
    match spec:
        case AgentJudgeSpec():
            return await agent.run(spec, bundle, means)
        case LlmJudgeSpec():
            return await llm.run(spec, bundle, means)
        case PythonJudgeSpec():
            return await python.run(spec, bundle, means)
        case PairwiseSpec():
            return await pairwise.run(spec, bundle, means)
        case _:
            assert_never(spec)


def _skipped(spec: AskedJudge) -> str:
    condition = True if isinstance(spec, PairwiseSpec) else spec.condition
    if isinstance(condition, bool):
        return "its `if` is false"
    return f"its `if` is false: {escape.line(condition, limit=_SHOWN_CONDITION_CHARACTERS)}"


def _failed(spec: AskedJudge, error: JudgementError) -> Judged:
    name, kind = named(spec)
    return Judged(JudgeResult(name, kind, "error", error=failure(error)))
