"""Rules made of judge specs, bundles on disk, and one call of a real `CodeRunner`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from judge_bundles.errors import JudgementError
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.code.runner import LIMITS, CodeAnswer, CodeRunner, Prompt
from judge_bundles.record import RecordPaths
from judge_bundles.rules.judge_specs import (
    LlmJudgeSpec,
    PairwiseSpec,
    PythonJudgeSpec,
    TextFile,
)
from judge_bundles.rules.model import JudgeSpec, Rule
from judge_prechecks import Gate, JsonOptions
from judge_prechecks.tree import Tree
from tests.orchestrator.record.bundles import write

RULE: Final = "rule"
SHORT: Final = replace(LIMITS, cpu_s=1, wall_s=20)
"""Enough for honest code, and soon over for code that never ends."""
Files = Mapping[str, str | bytes | list[Any] | dict[str, Any]]
Result = TypeVar("Result")


def check(source: str, name: str = "c", **more: Any) -> PythonJudgeSpec:
    return PythonJudgeSpec(name, "check", source, **more)


def code(module: str, function: str, root: Path, name: str = "c", **more: Any) -> PythonJudgeSpec:
    file = root / Path(*module.split(".")).with_suffix(".py")
    text = file.read_text() if file.exists() else ""
    return PythonJudgeSpec(
        name,
        "code",
        text,
        file=str(file),
        module=module,
        function=function,
        project_root=str(root),
        **more,
    )


def prompt(
    template: str, name: str = "p", context: Mapping[str, str] | None = None, **more: Any
) -> LlmJudgeSpec:
    files = tuple(TextFile(file, text) for file, text in (context or {}).items())
    return LlmJudgeSpec(name, "llm", template, context=files, **more)


def rule(
    *judges: JudgeSpec, pairwise: PairwiseSpec | None = None, record: RecordPaths | None = None
) -> Rule:
    return Rule(
        name=RULE,
        description="",
        gate=Gate.parse([], JsonOptions()),
        json_options=JsonOptions(),
        judges=judges,
        model=None,
        model_source=None,
        digest="",
        resolved={},
        source=Path("rule.yaml"),
        pairwise=pairwise,
        record=record or RecordPaths(),
    )


def bundle(folder: Path, files: Files | None = None) -> Bundle:
    """Write the files and return the bundle they are."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = write(folder, files if files is not None else {"report.md": "# Report"})
    return Bundle(folder.name, "sha256:0", tree, RULE)


def seen(folder: Path) -> Bundle:
    """Return a folder that is there already as a bundle."""
    return Bundle(folder.name, "sha256:0", Tree.scan(folder), RULE)


def children() -> list[str]:
    """Return the processes that this thread has started and that still run, by their ids."""
    return Path("/proc/thread-self/children").read_text().split()


def with_runner(
    used: Rule,
    work: Callable[[CodeRunner], Awaitable[Result]],
    *,
    root: Path = Path("/"),
    size: int = 1,
    limits: Any = LIMITS,
) -> Result:
    async def run() -> Result:
        async with CodeRunner([used], project_root=root, size=size, limits=limits) as runner:
            return await work(runner)

    return asyncio.run(run())


def evaluated(judge: PythonJudgeSpec, on: Bundle, **options: Any) -> CodeAnswer:
    (answer,) = all_evaluated([judge], on, **options).values()
    if isinstance(answer, JudgementError):
        raise answer
    return answer


def rendered(judge: LlmJudgeSpec, on: Bundle, **options: Any) -> Prompt:
    (answer,) = all_rendered([judge], on, **options).values()
    if isinstance(answer, JudgementError):
        raise answer
    return answer


def all_evaluated(
    judges: Iterable[PythonJudgeSpec], on: Bundle, **options: Any
) -> dict[str, CodeAnswer | JudgementError]:
    """Return what each judge says of the bundle, one after the other in the same processes."""
    return _each(judges, lambda runner, name: runner.evaluate(RULE, name, on), options)


def all_rendered(
    judges: Iterable[LlmJudgeSpec], on: Bundle, **options: Any
) -> dict[str, Prompt | JudgementError]:
    """Return the prompt of each judge for the bundle."""
    return _each(judges, lambda runner, name: runner.prompt(RULE, name, on), options)


def refusal_of(answer: CodeAnswer | Prompt | JudgementError) -> str:
    """Return the message of an error of kind `judge_code`."""
    assert isinstance(answer, JudgementError), answer
    assert (answer.kind, answer.retryable) == ("judge_code", False), answer.message
    assert answer.message.isprintable()
    return answer.message


def _each(
    judges: Iterable[JudgeSpec],
    ask: Callable[[CodeRunner, str], Awaitable[Result]],
    options: dict[str, Any],
) -> dict[str, Result | JudgementError]:
    used = rule(*judges)

    async def work(runner: CodeRunner) -> dict[str, Result | JudgementError]:
        found: dict[str, Result | JudgementError] = {}
        for judge in used.judges:
            try:
                found[judge.name] = await ask(runner, judge.name)
            except JudgementError as error:
                found[judge.name] = error
        return found

    return with_runner(used, work, **options)
