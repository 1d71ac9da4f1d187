"""The rules on the pages about judges in Python load, and say what the pages say they do."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from judge_bundles import limits
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.code.runner import CodeRunner
from judge_bundles.rules import Rule, load_rule
from judge_bundles.rules.judge_specs import PythonJudgeSpec
from tests.orchestrator.record.bundles import answers, calls, init
from tests.support.judge_code import Files, bundle, with_runner

DOCS: Final = Path(__file__).parents[4] / "docs"
PAGES: Final = ("judge-check.md", "judge-code.md", "judge-builtin.md")
BUNDLES: Final[dict[str, Files]] = {
    "judge-check.md": {
        "report.md": "# Report of five words",
        "findings.json": {
            "findings": [{"id": "F1", "severity": "low"}, {"id": "F2", "severity": "urgent"}]
        },
    },
    "judge-code.md": {"report.md": "# Findings\n\n### F1\n\nBad.\n\n### F2\n\nWorse.\n"},
    "judge-builtin.md": {
        "run_result.json": {"cost_usd": 0.26},
        "annotations.yaml": "expected_files: [docs/setup.md, docs/guide.md]\n",
        "events.jsonl": [
            init(),
            calls("Read", {"file_path": "/work/project/docs/setup.md"}, "1"),
            answers("1", "# Setup"),
            calls("Bash", {"command": "make test"}, "2"),
            answers("2", "Exit code 2", is_error=True),
        ],
    },
}
"""What the pages say of the bundle they show the answers for."""


def block(page: str, mark: str) -> tuple[str, str]:
    """Return the name and the text of the one block of a page that is marked so."""
    text = (DOCS / page).read_text("utf-8")
    (found,) = re.findall(rf"<!-- {mark}: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL)
    name, content = found
    return name, content


def loaded(page: str, folder: Path) -> Rule:
    """Write the files of a page and load its rule as a user would."""
    text = (DOCS / page).read_text("utf-8")
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", text, re.DOTALL):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    name, content = block(page, "example")
    (folder / name).write_text(content)
    own = folder / "judges"
    return load_rule(folder / name, project_root=folder, judges_dirs=[own] if own.exists() else [])


async def said(runner: CodeRunner, rule: Rule, on: Bundle) -> list[str]:
    lines = []
    for judge in rule.judges:
        if not isinstance(judge, PythonJudgeSpec):
            assert (await runner.prompt(rule.name, judge.name, on)).text
        elif not await runner.holds(rule.name, judge.name, on):
            lines.append(f"{judge.name}: skipped")
        else:
            answer = await runner.evaluate(rule.name, judge.name, on)
            lines.append(f"{judge.name}: {_shown(answer.value)}, {answer.rationale}")
    return lines


def _shown(value: Any) -> str:
    return {True: "pass", False: "fail"}[value] if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("page", PAGES)
def test_the_rule_of_a_page_loads_and_answers_as_the_page_says(tmp_path: Path, page: str) -> None:
    rule = loaded(page, tmp_path)
    assert rule.warnings == ()
    on = bundle(tmp_path / "bundle", BUNDLES[page])
    lines = with_runner(rule, lambda runner: said(runner, rule, on), root=tmp_path)
    name, stated = block(page, "answers")
    assert name == block(page, "example")[0]
    assert "\n".join(lines) == stated.strip()


def test_the_limits_on_the_pages_are_those_of_the_code() -> None:
    check = (DOCS / "judge-check.md").read_text("utf-8")
    builtin = (DOCS / "judge-builtin.md").read_text("utf-8")
    memory = f"{limits.JUDGE_CODE_MEMORY_BYTES // limits.MIB:,} MiB of memory"
    seconds = f"{limits.JUDGE_CODE_TIME_S:g} s"
    assert check.count(memory) == 2
    assert check.count(seconds) == 2
    assert f"{limits.MAX_RATIONALE_CHARACTERS:,} characters" in check
    assert f"open files ({limits.JUDGE_CODE_OPEN_FILES})" in check
    assert f"({limits.JUDGE_CODE_FILE_BYTES // limits.MIB} MiB)" in check
    assert memory in builtin
    assert seconds in builtin
    assert f"{limits.MAX_PROMPT_CHARACTERS:,} characters" in builtin
