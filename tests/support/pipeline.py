"""One bundle through the whole pipeline on this machine: real store, script model, plain process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from judge_bundles import judges, pipeline
from judge_bundles.agent.budget import RunBudget
from judge_bundles.baseline import StoredBaseline
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.workspace import Workspace
from judge_bundles.intake.intake import Intake
from judge_bundles.judges.code.runner import LIMITS, CodeRunner
from judge_bundles.limits import IntakeLimits
from judge_bundles.models.base import Model
from judge_bundles.models.resolve import resolve
from judge_bundles.rules.judge_specs import PythonJudgeSpec
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import Rule, SandboxLimits
from judge_bundles.sandbox.process import ProcessSandbox
from judge_bundles.sandbox.protocol import Sandbox
from judge_bundles.store.records import EntryRef, Judged, RuleRef
from judge_bundles.store.store import Store
from judge_bundles.workers.limits import WorkerLimits
from judge_prechecks.tree import Tree
from tests.support.judging import PRICES

MODEL = "script:any"
"""Stands in a rule for the script of the bench."""


class Bench:
    """A folder to work in; `judge` judges one bundle by one rule and saves the verdict.

    `turns` are played for whatever none of `conversations` matches.
    """

    def __init__(
        self,
        folder: Path,
        *turns: Mapping[str, Any],
        rule: Mapping[str, Any],
        conversations: Sequence[Mapping[str, Any]] = (),
        code_limits: WorkerLimits = LIMITS,
    ) -> None:
        self.folder = folder
        self.sandboxes = 0
        self.code_limits = code_limits
        played = [*conversations, *([{"turns": list(turns)}] if turns else [])]
        script = {"prices": PRICES, "conversations": played or [{"turns": [{"say": "nothing"}]}]}
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

    async def judging(
        self,
        bundle: Path,
        *,
        budget: RunBudget | None = None,
        baseline: str | None = None,
        new_sandbox: judges.NewSandbox | None = None,
        **options: Any,
    ) -> Judged:
        """Judge one bundle; `baseline` is the id of a run to compare with."""
        entry = Entry(bundle.name, str(bundle), "folder")
        run_id = self.store.begin_run(
            sources=["r"],
            rules=[RuleRef(self.rule.name, self.rule.digest, self.rule.resolved)],
            entries=[EntryRef(entry.entry_id, entry.source, entry.kind)],
            options={"prechecks_only": options.get("prechecks_only", False)},
        )
        model = resolve(f"script:{self.folder}/script.json", concurrency=4)
        only, compared = options.get("prechecks_only", False), baseline is not None
        async with (
            _intake(self.folder, self.rule, only=only, compared=compared) as (workspace, intake),
            CodeRunner(
                [self.rule], project_root=self.folder, size=1, limits=self.code_limits
            ) as code,
        ):
            services = pipeline.Services(
                run_id=run_id,
                store=self.store,
                intake=intake,
                means=judges.Means(
                    models=_models(self.rule, model),
                    new_sandbox=new_sandbox or self.new_sandbox,
                    run_budget=budget or RunBudget(),
                    code=code,
                    baseline=StoredBaseline.read(self.store, baseline, intake)
                    if baseline
                    else None,
                ),
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


def _models(rule: Rule, model: Model) -> dict[str, Model]:
    asked = rule.asked(compared=True)
    names = {judge.model for judge in asked if not isinstance(judge, PythonJudgeSpec)}
    return {name: model for name in names if name}


@asynccontextmanager
async def _intake(
    folder: Path, rule: Rule, *, only: bool, compared: bool
) -> AsyncIterator[tuple[Path, Intake]]:
    with Workspace.create(folder) as workspace:
        async with Intake(
            [rule], workspace.path, IntakeLimits(), prechecks_only=only, compared=compared
        ) as intake:
            yield workspace.path, intake
