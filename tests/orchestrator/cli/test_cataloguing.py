"""The builtin judges as a list, and folders of one's own on every line that reads rules."""

import json
from pathlib import Path

import pytest

from judge_bundles.cli.app import run
from tests.support.reports import ci_commands
from tests.support.rule_files import write

JUDGE = '''\
"""Short enough.

Required fields: main_content
Failure means: It is long.
"""


def judge(outputs, *, words: int = 5, **other):  # ::error::no
    return True
'''


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["judges", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_every_builtin_judge_is_listed_with_what_it_needs_and_takes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = listed(capsys, "--no-color")
    assert shown.startswith(
        "judge     efficiency/cost_budget (python)\n"
        "checks    The run cost at most a budget.\n"
        "needs     cost_usd\n"
    )
    assert "\nargument  max_cost_usd: float = 1.0  the most the run may cost" in shown
    assert "\nargument  none\n" in shown
    assert [line for line in shown.splitlines() if line.startswith("judge ")] == [
        "judge     efficiency/cost_budget (python)",
        "judge     process/consulted_docs (python)",
        "judge     process/tool_call_validation (python)",
        "judge     quality/output_completeness (LLM)",
        "judge     safety/no_harmful_content (LLM)",
    ]


def test_judges_of_a_folder_of_ones_own_are_in_the_list(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, "own/style/short.py", JUDGE)
    write(place, "own/nice.md", "<!-- ::error::Nice -->\nIs it nice?")
    shown = listed(capsys, "--judges-dir", "own")
    assert (
        "judge     style/short (python)\n"
        "checks    Short enough.\n"
        "needs     main_content\n"
        "fails     It is long.\n"
        "argument  words: int = 5  ::error::no\n"
        "argument  others as well\n"
    ) in shown
    assert "judge     local/nice (LLM)\n" in shown
    assert ci_commands(shown) == []


def test_machines_get_the_same_as_json(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, "own/style/short.py", JUDGE)
    found = json.loads(listed(capsys, "--judges-dir", "own", "--format", "json"))
    assert [judge["name"] for judge in found][:2] == ["cost_budget", "consulted_docs"]
    assert found[-1] == {
        "name": "short",
        "category": "style",
        "kind": "python",
        "checks": "Short enough.",
        "required_fields": "main_content",
        "fails_when": "It is long.",
        "arguments": [
            {"name": "words", "type": "int", "required": False, "default": 5, "help": "::error::no"}
        ],
        "other_arguments": True,
        "file": "own/style/short.py",
    }
    assert [judge["kind"] for judge in found].count("llm") == 2


def test_a_file_that_cannot_be_a_judge_ends_every_line_with_code_2(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, "own/style/short.py", "x = 1")
    (place / "runs" / "one").mkdir(parents=True)
    for line in (["judges"], ["check-rule", "gate.json"], ["runs", "--rule", "gate.json"]):
        assert run([*line, "--judges-dir", "own"]) == 2
        error = capsys.readouterr().err
        assert error == "judge-bundles: own/style/short.py: defines no function `judge`\n"


def test_a_rule_is_checked_with_the_judges_of_a_folder(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, "own/style/short.py", JUDGE)
    write(place, "eval.yaml", "judges: [{name: a, builtin: short, arguments: {words: 9}}]\n")
    assert run(["check-rule", "eval.yaml", "--judges-dir", "own"]) == 0
    assert (
        "judge     a: builtin style/short, Python\narguments words=9\n" in capsys.readouterr().out
    )
    assert run(["check-rule", "eval.yaml"]) == 2
    assert "there is no builtin judge `short`" in capsys.readouterr().err


def test_a_judging_line_knows_the_judges_of_a_folder(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, "own/style/short.py", JUDGE)
    write(place, "runs/one/report.md", "x")
    write(place, "eval.yaml", "judges: [{name: a, builtin: short}]\n")
    line = ["runs", "--rule", "eval.yaml", "--dry-run", "-q"]
    assert run([*line, "--judges-dir", "own"]) == 0
    assert run(line) == 2
    assert "there is no builtin judge `short`" in capsys.readouterr().err
