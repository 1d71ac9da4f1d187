"""One agent judgement over real parts: script model, tool server as a plain process, real bundle."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from judge_bundles.agent.budget import RunBudget, Spending
from judge_bundles.agent.judge import judge
from judge_bundles.agent.judgement import Assignment, Judgement, Means
from judge_bundles.models.retry import RetryPolicy
from judge_bundles.models.script.load import parse
from judge_bundles.models.script.model import ScriptModel
from judge_bundles.rules.model import AgentJudgeSpec, Criterion
from judge_bundles.sandbox.process import ProcessSandbox
from judge_bundles.sandbox.protocol import Sandbox
from judge_prechecks.tree import Tree

PRICES = {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}
QUICK = RetryPolicy(backoff_first_s=0.001, backoff_max_s=0.01)


def script_model(
    *turns: Mapping[str, Any], prices: Mapping[str, float] | None = PRICES
) -> ScriptModel:
    content: dict[str, Any] = {"conversations": [{"turns": list(turns)}]}
    if prices is not None:
        content["prices"] = dict(prices)
    script = parse(json.dumps(content).encode(), file_name="test.yaml")
    return ScriptModel(script, concurrency=4, policy=QUICK)


def write_bundle(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def spec(**changes: Any) -> AgentJudgeSpec:
    values: dict[str, Any] = {
        "name": "rubric",
        "rubric": "The report is good.",
        "criteria": (Criterion("good", "The report is good."),),
        "model": "script:test.yaml",
    }
    return AgentJudgeSpec(**values | changes)


def run_judge(
    root: Path,
    *turns: Mapping[str, Any],
    rule: AgentJudgeSpec | None = None,
    run_budget: RunBudget | None = None,
    prices: Mapping[str, float] | None = PRICES,
    sandbox: Callable[[Path], Sandbox] = ProcessSandbox,
) -> Judgement:
    judge_spec = rule or spec()

    async def run() -> Judgement:
        model = script_model(*turns, prices=prices)
        limits = judge_spec.limits
        means = Means(
            model,
            lambda: sandbox(root),
            run_budget or RunBudget(),
            Spending(model.price, limits.max_tokens_total, limits.max_cost_usd),
        )
        assignment = Assignment("entry", "rule", judge_spec, Tree.scan(root), "sha256:0")
        try:
            return await judge(assignment, means)
        finally:
            await model.close()

    return asyncio.run(run())


def look(**arguments: Any) -> dict[str, Any]:
    """A turn that reads a file."""
    return {"calls": [{"read_file": {"path": "report.md"} | arguments}]}


def quote(text: str, line: int = 1, file: str = "report.md") -> dict[str, Any]:
    return {"file": file, "line_start": line, "line_end": line, "quote": text}


def submit(
    *,
    passed: Any = True,
    met: Any = None,
    evidence: list[dict[str, Any]] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A turn that submits a verdict with one criterion called `good`."""
    criterion = {
        "id": "good",
        "explanation": "because",
        "evidence": [quote("The report is complete.")] if evidence is None else evidence,
        "met": passed if met is None else met,
    }
    return {"submit": {"criteria": [criterion], "reason": "so", "passed": passed} | changes}
