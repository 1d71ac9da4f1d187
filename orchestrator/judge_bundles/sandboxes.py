"""Where the judges of one run get their containers from; nothing at all when none will run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from judge_bundles.judges import NewSandbox
from judge_bundles.plan import Plan
from judge_bundles.rules.model import AgentJudgeSpec, SandboxLimits
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.protocol import Sandbox
from judge_prechecks.tree import Tree

if TYPE_CHECKING:
    from judge_bundles.sandbox.engine import Engine
    from judge_bundles.sandbox.image import Image


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """An engine with the image prepared."""

    engine: "Engine"
    image: "Image"

    @property
    def key(self) -> str:
        """What verdicts owe to the sandbox: its sources and the content of its base."""
        return self.image.cache_key

    def of_run(self, run_id: str) -> NewSandbox:
        """Return the function that makes the sandboxes of one run."""

        def new(tree: Tree, entry_id: str, limits: SandboxLimits) -> Sandbox:
            options = SandboxOptions(**asdict(limits))
            return self.engine.sandbox(tree.root, run_id=run_id, entry_id=entry_id, options=options)

        return new


@asynccontextmanager
async def sandboxes_for(plan: Plan) -> AsyncIterator[Sandboxes | None]:
    """Connect, sweep away what dead runs left, have the image; None where no judge needs one.

    Raises `EngineSetupError` before anything is judged.
    """
    agents = [judge for judge in plan.judges if isinstance(judge, AgentJudgeSpec)]
    if not agents:
        yield None
        return
    # The engine's client is slow to import, and a gate-only run has no use for it.
    from judge_bundles.sandbox.engine import Engine  # noqa: PLC0415

    engine = await Engine.connect()
    try:
        await engine.sweep()
        runtimes = {judge.sandbox.runtime for judge in agents}
        await engine.require_runtimes(sorted(name for name in runtimes if name))
        yield Sandboxes(engine, await engine.prepare_image(plan.base_image))
    finally:
        await engine.close()


def none_needed(_tree: Tree, entry_id: str, _limits: SandboxLimits) -> Sandbox:
    """Stand where sandboxes come from in a run whose judges need none."""
    raise AssertionError(f"no judge of this run needs a sandbox, yet {entry_id} asked for one")
