"""The shipped builtins as a rule has them: loaded by name, asked in real worker processes."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from judge_bundles.errors import JudgementError
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.code.runner import CodeAnswer, CodeRunner, Prompt
from tests.support.judge_code import Files, bundle, with_runner
from tests.support.rule_files import load

Cases = Mapping[str, tuple[dict[str, Any], Files]]
"""Arguments of the builtin, and the files of a bundle."""
Result = TypeVar("Result")


def answers(folder: Path, builtin: str, cases: Cases) -> dict[str, CodeAnswer | JudgementError]:
    """Return what a builtin in Python says in each case."""
    return _each(folder, builtin, cases, lambda runner, name, on: runner.evaluate("rule", name, on))


def prompts(folder: Path, builtin: str, cases: Cases) -> dict[str, Prompt | JudgementError]:
    """Return the prompt of a builtin in each case."""
    return _each(folder, builtin, cases, lambda runner, name, on: runner.prompt("rule", name, on))


def _each(
    folder: Path,
    builtin: str,
    cases: Cases,
    ask: Callable[[CodeRunner, str, Bundle], Awaitable[Result]],
) -> dict[str, Result | JudgementError]:
    judges = [
        {"name": name, "builtin": builtin, "arguments": arguments}
        for name, (arguments, _) in cases.items()
    ]
    rule = load(folder, {"name": "rule", "judges": judges}, model="m")
    bundles = {
        name: bundle(folder / f"bundle-{number}", files)
        for number, (name, (_, files)) in enumerate(cases.items())
    }

    async def work(runner: CodeRunner) -> dict[str, Result | JudgementError]:
        found: dict[str, Result | JudgementError] = {}
        for name, on in bundles.items():
            try:
                found[name] = await ask(runner, name, on)
            except JudgementError as error:
                found[name] = error
        return found

    return with_runner(rule, work, root=folder)
