"""What the pipeline hands to a judge, and what it gets back; one registered function per type."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from judge_bundles.agent.budget import RunBudget
from judge_bundles.models.base import Model
from judge_bundles.rules.model import AgentJudgeSpec, SandboxLimits
from judge_bundles.sandbox.protocol import Sandbox
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import Coverage, JudgeResult, Usage
from judge_prechecks.tree import Tree

JudgeSpec = AgentJudgeSpec

NewSandbox = Callable[[Tree, str, SandboxLimits], Sandbox]
"""Called with the snapshot, the entry id and the limits; one sandbox for one judgement."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """One bundle as a judge sees it: its snapshot, and where it belongs."""

    entry_id: str
    digest: str
    tree: Tree
    rule: str


@dataclass(frozen=True, slots=True)
class Means:
    """What judges work with. `models` holds every model that a rule of the run names."""

    models: Mapping[str, Model]
    new_sandbox: NewSandbox
    run_budget: RunBudget


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's result with everything recorded on the way."""

    result: JudgeResult
    traces: tuple[JudgeTrace, ...] = ()
    usage: Usage = field(default_factory=Usage)
    coverage: Coverage | None = None
    image_id: str | None = None
    model: Model | None = None


Runner = Callable[[JudgeSpec, Bundle, Means], Awaitable[Judged]]
_RUNNERS: Final[dict[str, Runner]] = {}


def judge_type(name: str) -> Callable[[Runner], Runner]:
    """Register the function that runs the judges of one type."""

    def register(runner: Runner) -> Runner:
        assert name not in _RUNNERS, name
        _RUNNERS[name] = runner
        return runner

    return register


async def run(spec: JudgeSpec, bundle: Bundle, means: Means) -> Judged:
    """Run one judge of a rule on one bundle."""
    return await _RUNNERS[spec.type](spec, bundle, means)
