"""What goes into one agent judgement, and what comes out of it."""

from collections.abc import Callable
from dataclasses import dataclass

from judge_bundles.agent.budget import RunBudget, Spending
from judge_bundles.models.base import Model
from judge_bundles.rules.model import AgentJudgeSpec
from judge_bundles.sandbox.protocol import Sandbox
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import Coverage, JudgeResult
from judge_prechecks.tree import Tree


@dataclass(frozen=True, slots=True)
class Assignment:
    """One bundle to be judged by one agent judge: `tree` is the snapshot, `digest` its digest."""

    entry_id: str
    rule: str
    spec: AgentJudgeSpec
    tree: Tree
    digest: str
    sample: int = 1


@dataclass(frozen=True, slots=True)
class Means:
    """What a judgement works with: the model, a way to a fresh sandbox, and the money."""

    model: Model
    new_sandbox: Callable[[], Sandbox]
    run_budget: RunBudget
    spending: Spending

    def require(self) -> None:
        """Raise the `budget` error when there is nothing left to spend."""
        self.run_budget.require()
        self.spending.require()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judge's result and everything recorded on the way to it."""

    result: JudgeResult
    trace: JudgeTrace
    coverage: Coverage
    image_id: str | None
