"""One bundle through the whole pipeline on this machine: real store, script model, plain process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from judge_bundles import judges, pipeline
from judge_bundles.agent.budget import RunBudget
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.workspace import Workspace
from judge_bundles.intake.intake import Intake
from judge_bundles.limits import IntakeLimits
from judge_bundles.models.resolve import resolve
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import Rule, SandboxLimits
from judge_bundles.sandbox.process import ProcessSandbox
from judge_bundles.sandbox.protocol import Sandbox
from judge_bundles.store.records import EntryRef, Judged, RuleRef
from judge_bundles.store.store import Store
from judge_prechecks.tree import Tree
from tests.support.judging import PRICES


class Bench:
    """A folder to work in; `judge` judges one bundle by one rule and saves the verdict."""

    def __init__(self, folder: Path, *turns: Mapping[str, Any], rule: Mapping[str, Any]) -> None:
        self.folder = folder
        self.sandboxes = 0
        script = {"prices": PRICES, "conversations": [{"turns": list(turns)}]}
        (folder / "script.json").write_text(json.dumps(script))
        (folder / "rule.json").write_text(json.dumps({"name": "rule"} | dict(rule)))
        self.rule = load_rule(folder / "rule.json")
        self.store = Store.open(f"sqlite:///{folder}/store.db")

    def judge(self, bundle: Path, **options: Any) -> Judged:
        return asyncio.run(self.judging(bundle, **options))

    def new_sandbox(self, tree: Tree, _entry_id: str, _limits: SandboxLimits) -> Sandbox:
        self.sandboxes += 1
        return ProcessSandbox(tree.root)

    def close(self) -> None:
        self.store.close()

    async def judging(self, bundle: Path, **options: Any) -> Judged:
        model = resolve(f"script:{self.folder}/script.json", concurrency=1)
        names = {spec.model for spec in self.rule.judges}
        entry = Entry(bundle.name, str(bundle), "folder")
        budget = options.pop("budget", None) or RunBudget()
        new_sandbox = options.pop("new_sandbox", self.new_sandbox)
        run_id = self.store.begin_run(
            sources=["r"],
            rules=[RuleRef(self.rule.name, self.rule.digest, self.rule.resolved)],
            entries=[EntryRef(entry.entry_id, entry.source, entry.kind)],
            options={"prechecks_only": options.get("prechecks_only", False)},
        )
        async with _intake(self.folder, self.rule, options) as (workspace, intake):
            services = pipeline.Services(
                run_id=run_id,
                store=self.store,
                intake=intake,
                means=judges.Means({name: model for name in names if name}, new_sandbox, budget),
                sandbox_key="box",
                **options,
            )
            found: Sequence[Judged] = [
                judged async for judged in pipeline.judge(entry, [self.rule], services)
            ]
            assert list(workspace.iterdir()) == []
        await model.close()
        (judged,) = found
        self.store.save(judged)
        return judged


@asynccontextmanager
async def _intake(
    folder: Path, rule: Rule, options: Mapping[str, Any]
) -> AsyncIterator[tuple[Path, Intake]]:
    only = options.get("prechecks_only", False)
    with Workspace.create(folder) as workspace:
        async with Intake([rule], workspace.path, IntakeLimits(), prechecks_only=only) as intake:
            yield workspace.path, intake
