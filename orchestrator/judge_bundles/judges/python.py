"""A judge in Python, run where it can do no harm: a check, a builtin or a function of a module."""

from judge_bundles.judges.base import Judged, Means, answered
from judge_bundles.judges.bundle import Bundle
from judge_bundles.rules.judge_specs import PythonJudgeSpec


async def run(spec: PythonJudgeSpec, bundle: Bundle, means: Means) -> Judged:
    """Return what it says; raises `JudgementError` when it fails to say anything that counts."""
    answer = await means.code.evaluate(bundle.rule, spec.name, bundle)
    result = answered(spec.name, spec.type, answer.value, answer.rationale)
    return Judged(result, notes=answer.notes)
