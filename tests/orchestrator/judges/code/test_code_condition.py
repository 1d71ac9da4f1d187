"""The `if` of a judge, over real bundles in real worker processes."""

from pathlib import Path
from typing import Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeRunner
from tests.orchestrator.record.bundles import STREAM
from tests.support.judge_code import RULE, SHORT, Files, bundle, check, children, rule, with_runner

FILES: Final[Files] = {
    "annotations.yaml": "category: navigation\ntags: [a, b]\n",
    "events.jsonl": STREAM,
    "report.md": "# Report",
}

CONDITIONS: Final[dict[str, bool]] = {
    "annotations.get('category') == 'navigation'": True,
    "annotations.get('category') == 'writing'": False,
    "annotations['category'].startswith('nav') and 'a' in annotations['tags']": True,
    "annotations.get('missing')": False,
    "len(outputs['tool_calls']) > 3": True,
    "outputs.get('cost_usd', 0) > 1": False,
    "any(tag == 'b' for tag in annotations['tags'] if outputs)": True,
    "  annotations  ": True,
    "[]": False,
    "annotations.pop('category') == 'navigation'": True,
}

BROKEN: Final[dict[str, str]] = {
    "annotations['missing'] == 1": "KeyError: 'missing' (line 1 of the `if` of c)",
    "\nannotations['category'] +\\\n1": "TypeError: can only concatenate str",
    "print('x')": 'it wrote to standard output, where it has to return: "x',
    "exit()": "SystemExit: None (line 1 of the `if` of c)",
    "__import__('os')._exit(1)": "its process ended (exit code 1)",
    "1 < ": "SyntaxError: invalid syntax (line 1 of the `if` of c)",
    "10**10**9": "it used all the processor time it may",
    "'x' * 2**40": "it needs more than 1,024 MiB of memory",
    "(lambda f: f(f))(lambda f: f(f))": "RecursionError",
    "type('T', (), {'__bool__': lambda self: 1/0})()": "ZeroDivisionError",
}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool | JudgementError]:
    """Whether each condition above holds, one after the other in the same process."""
    on = bundle(tmp_path_factory.mktemp("conditions"), FILES)
    texts = [*CONDITIONS, *BROKEN]
    used = rule(
        *(check("return True", str(n), condition=text) for n, text in enumerate(texts)),
    )

    async def work(runner: CodeRunner) -> dict[str, bool | JudgementError]:
        found: dict[str, bool | JudgementError] = {}
        for number, text in enumerate(texts):
            try:
                found[text] = await runner.holds(RULE, str(number), on)
            except JudgementError as error:
                found[text] = error
        return found

    return with_runner(used, work, limits=SHORT)


@pytest.mark.parametrize("text", CONDITIONS)
def test_an_expression_over_annotations_and_outputs_decides(
    held: dict[str, bool | JudgementError], text: str
) -> None:
    assert held[text] is CONDITIONS[text]


@pytest.mark.parametrize("text", BROKEN)
def test_an_expression_that_fails_is_the_judges_error(
    held: dict[str, bool | JudgementError], text: str
) -> None:
    error = held[text]
    assert isinstance(error, JudgementError), error
    said = BROKEN[text].replace("of c)", f"of {list(held).index(text)})")
    assert error.kind == "judge_code"
    assert said in error.message


@pytest.mark.parametrize("value", [True, False])
def test_a_plain_condition_needs_no_process(tmp_path: Path, value: bool) -> None:
    used = rule(check("return True", condition=value))

    async def work(runner: CodeRunner) -> bool:
        before = children()
        answer = await runner.holds(RULE, "c", bundle(tmp_path))
        assert children() == before
        return answer

    assert with_runner(used, work) is value


def test_a_condition_of_a_bundle_without_annotations_sees_an_empty_mapping(tmp_path: Path) -> None:
    used = rule(check("return True", condition="annotations == {}"))
    assert with_runner(used, lambda runner: runner.holds(RULE, "c", bundle(tmp_path)))


def test_a_condition_that_is_a_coroutine_is_refused(tmp_path: Path) -> None:
    late = "type('T', (), {'f': __import__('types').coroutine(lambda: (yield))}).f()"
    used = rule(check("return True", condition=late))
    with pytest.raises(JudgementError) as caught:
        with_runner(used, lambda runner: runner.holds(RULE, "c", bundle(tmp_path)))
    assert "it yields, where it has to return" in caught.value.message
