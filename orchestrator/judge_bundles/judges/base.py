"""What the pipeline hands to a judge, and what it gets back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from judge_bundles.agent.budget import RunBudget
from judge_bundles.errors import JudgementError
from judge_bundles.judges.baseline import Baseline
from judge_bundles.judges.code.runner import CodeRunner
from judge_bundles.models.base import Model
from judge_bundles.rules.model import SandboxLimits
from judge_bundles.sandbox.protocol import Sandbox
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import Coverage, JudgeResult, Usage, VerdictError
from judge_prechecks.tree import Tree

NewSandbox = Callable[[Tree, str, SandboxLimits], Sandbox]
"""Called with the snapshot, the entry id and the limits; one sandbox for one judgement."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the judges of a run work with.

    `models` holds every model that a rule of the run names, `code` runs the rules' own Python and
    templates, `baseline` is the run to compare with, if there is one.
    """

    models: Mapping[str, Model]
    new_sandbox: NewSandbox
    run_budget: RunBudget
    code: CodeRunner
    baseline: Baseline | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's result with everything recorded on the way; `notes` are for the verdict."""

    result: JudgeResult
    traces: tuple[JudgeTrace, ...] = ()
    usage: Usage = field(default_factory=Usage)
    coverage: Coverage | None = None
    image_id: str | None = None
    model: Model | None = None
    """None when no model was asked."""
    notes: tuple[str, ...] = ()


def failure(error: JudgementError) -> VerdictError:
    """Return an error as verdicts carry it."""
    return VerdictError(error.kind, error.message, error.retryable)


def answered(name: str, kind: str, value: bool | float, rationale: str) -> JudgeResult:  # noqa: FBT001 - the value is a bool or a number
    """Return the result of a judge that answered: true, false or a number."""
    if isinstance(value, bool):
        return JudgeResult(name, kind, "pass" if value else "fail", value, rationale)
    return JudgeResult(name, kind, "scored", float(value), rationale)
