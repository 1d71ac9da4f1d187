"""Judges of a module and files dropped in as builtins, imported in real worker processes."""

from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from judge_bundles.judges.code.runner import CodeAnswer, CodeRunner
from judge_bundles.rules.judge_specs import PythonJudgeSpec
from tests.support.judge_code import (
    RULE,
    all_evaluated,
    bundle,
    check,
    code,
    evaluated,
    refusal_of,
    rule,
    with_runner,
)

CHECKER: Final = '''
"""Checks of reports."""

import os
from pathlib import Path

from checks.words import count

calls = 0


def check_quality(outputs, *, threshold=0.5, words=()):
    words.append("changed")
    return count(outputs["main_content"]) >= threshold, f"{threshold} {words}"


def keyword_only(*, outputs):
    return True, Path("wanted.txt").read_text()


def counts_calls(outputs):
    global calls
    calls += 1
    return calls


def fails(outputs):
    return count(None)


async def late(outputs):
    return True


not_callable = 3
'''
WORDS: Final = "def count(text):\n    return len(text.split())\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a module of judges."""
    folder = tmp_path / "project"
    (folder / "checks").mkdir(parents=True)
    (folder / "checks" / "reports.py").write_text(CHECKER)
    (folder / "checks" / "words.py").write_text(WORDS)
    (folder / "checks" / "broken.py").write_text("import nowhere_to_be_found\n")
    (folder / "checks" / "talks.py").write_text("print('hello')\ndef judge(outputs): return True\n")
    (folder / "checks" / "leaves.py").write_text("import sys\nsys.exit(1)\n")
    (folder / "wanted.txt").write_text("read from the project root")
    return folder


def builtin(source: str, name: str = "c", **more: object) -> PythonJudgeSpec:
    fields = {"builtin": "process/mine", "file": "/judges/process/mine.py", **more}
    return PythonJudgeSpec(name, "builtin", dedent(source), **fields)  # type: ignore[arg-type] # as given


def test_a_function_of_a_module_gets_the_record_and_its_arguments(
    tmp_path: Path, root: Path
) -> None:
    given = {"threshold": 2, "words": ["a"]}
    judge = code("checks.reports", "check_quality", root, arguments=given)
    for _ in range(2):  # the arguments are its own each time
        answer = evaluated(judge, bundle(tmp_path / "b", {"a.md": "two words"}), root=root)
        assert answer == CodeAnswer(True, "2 ['a', 'changed']", ())
    assert given == {"threshold": 2, "words": ["a"]}


def test_code_runs_in_the_project_root(tmp_path: Path, root: Path) -> None:
    judges = [
        code("checks.reports", "keyword_only", root, name="module"),
        check("from checks.words import count\nreturn count('a b') == 2, 'x'", "check"),
        check("return open('wanted.txt').read() == 'read from the project root'", "file"),
    ]
    found = all_evaluated(judges, bundle(tmp_path / "b"), root=root)
    assert found["module"] == CodeAnswer(True, "read from the project root", ())
    assert found["check"] == CodeAnswer(True, "x", ())
    file = found["file"]
    assert isinstance(file, CodeAnswer)
    assert file.value is True


def test_a_module_is_imported_once_for_all_bundles_and_judges(tmp_path: Path, root: Path) -> None:
    used = rule(*(code("checks.reports", "counts_calls", root, name=name) for name in "ab"))

    async def work(runner: CodeRunner) -> list[float]:
        bundles = [bundle(tmp_path / name) for name in ("one", "two")]
        return [
            (await runner.evaluate(RULE, name, on)).value for on in bundles for name in ("a", "b")
        ]

    assert with_runner(used, work, root=root) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("module", "function", "arguments", "said"),
    [
        ("checks.nowhere", "judge", {}, "ModuleNotFoundError: No module named 'checks.nowhere'"),
        ("checks.broken", "judge", {}, "'nowhere_to_be_found' (line 1 of checks.broken)"),
        (
            "checks.talks",
            "judge",
            {},
            'it wrote to standard output, where it has to return: "hello',
        ),
        ("checks.leaves", "judge", {}, "SystemExit: 1 (line 2 of checks.leaves)"),
        ("checks.reports", "nothing", {}, "checks.reports has no function `nothing`"),
        ("checks.reports", "not_callable", {}, "checks.reports has no function `not_callable`"),
        ("checks.reports", "late", {}, "it is asynchronous: write it with `def`"),
        ("checks.reports", "fails", {}, "(line 2 of checks/words.py)"),
        ("checks.reports", "counts_calls", {"x": 1}, "unexpected keyword argument 'x'"),
    ],
)
def test_what_cannot_be_called_is_an_error_of_every_judge_that_names_it(
    tmp_path: Path,
    root: Path,
    module: str,
    function: str,
    arguments: dict[str, object],
    said: str,
) -> None:
    judges = [code(module, function, root, name=name, arguments=arguments) for name in "ab"]
    found = all_evaluated(judges, bundle(tmp_path / "b"), root=root)
    messages = {refusal_of(answer) for answer in found.values()}
    assert len(messages) == 1
    assert said in messages.pop()


def test_modules_of_a_project_do_not_stand_in_for_those_we_need(tmp_path: Path, root: Path) -> None:
    (root / "yaml.py").write_text("raise RuntimeError('not ours')")
    judges = [
        check("import checks.words\nreturn True", "first"),
        check("return outputs['annotations'] == {'a': 1}", "second"),
    ]
    found = all_evaluated(judges, bundle(tmp_path / "b", {"annotations.yaml": "a: 1"}), root=root)
    assert list(found.values()) == [CodeAnswer(True, "", ())] * 2


def test_a_project_root_that_is_gone_is_the_judges_error(tmp_path: Path) -> None:
    found = all_evaluated([check("return True")], bundle(tmp_path / "b"), root=tmp_path / "gone")
    assert "cannot be entered: [Errno 2]" in refusal_of(found["c"])


def test_the_token_budget_of_the_documentation_works_as_a_dropped_in_file(tmp_path: Path) -> None:
    source = '''
        """Checks total tokens stay under a limit.

        Required fields: total_tokens
        Failure means: The execution used more tokens than allowed.
        """


        def judge(outputs, **kwargs):
            tokens = outputs.get("total_tokens")
            if tokens is None:
                return (False, "No token data available")
            max_tokens = kwargs.get("max_tokens", 100_000)
            if tokens <= max_tokens:
                return (True, f"{tokens} tokens within budget {max_tokens}")
            return (False, f"{tokens} tokens exceeds budget {max_tokens}")
        '''
    used = bundle(tmp_path, {"run_result.json": {"total_tokens": 60_000}})
    judges = [builtin(source, "default"), builtin(source, "low", arguments={"max_tokens": 50_000})]
    found = all_evaluated(judges, used)
    assert found["default"] == CodeAnswer(True, "60000 tokens within budget 100000", ())
    assert found["low"] == CodeAnswer(False, "60000 tokens exceeds budget 50000", ())


def test_a_dropped_in_file_is_a_module_of_its_own(tmp_path: Path) -> None:
    source = """
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Found:
            count: int

        def judge(outputs, *, least: int = 1):
            found = Found(len(outputs["files"]))
            return found.count >= least, __file__
        """
    answer = evaluated(builtin(source), bundle(tmp_path))
    assert answer == CodeAnswer(True, "/judges/process/mine.py", ())


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def judge(outputs):\n    return outputs['x']", "KeyError: 'x' (line 2 of process/mine)"),
        ("def other(outputs): return True", "process/mine has no function `judge`"),
        ("x = (", "SyntaxError: '(' was never closed (line 1 of process/mine)"),
        ("raise ValueError('no')", "ValueError: no (line 1 of process/mine)"),
        ("def judge(outputs, *, a): return True", "missing 1 required keyword-only argument: 'a'"),
    ],
)
def test_a_dropped_in_file_that_fails_is_named(tmp_path: Path, source: str, said: str) -> None:
    found = all_evaluated([builtin(source)], bundle(tmp_path))
    assert said in refusal_of(found["c"])
