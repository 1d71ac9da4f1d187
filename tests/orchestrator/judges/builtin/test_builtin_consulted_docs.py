"""Which looks into files count as having consulted what was expected."""

from typing import Any, Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeAnswer
from tests.orchestrator.record.bundles import answers as tool_answers
from tests.orchestrator.record.bundles import calls, init
from tests.support.builtin_judges import answers
from tests.support.judge_code import Files

STREAM: Final = [
    init(),
    calls("Read", {"file_path": "/work/project/docs/setup.md"}, "1"),
    tool_answers("1", "# Setup"),
    calls("Task", {"subagent_type": "Explore", "prompt": "Look"}, "2"),
    calls("Read", {"file_path": "/work/project/docs/guide.md"}, "3", "2"),
    tool_answers("3", "# Guide", parent="2"),
    tool_answers("2", "found"),
    calls("Grep", {"pattern": "x", "path": "/work/project/src/a.py"}, "4"),
    tool_answers("4", "src/a.py:1:x"),
    calls("Read", {"file_path": "C:\\work\\docs\\windows.md"}, "5"),
    tool_answers("5", "# Windows"),
    calls("Bash", {"command": "cd docs && cat shell.md"}, "6"),
    tool_answers("6", "# Shell"),
    calls("Read", {"file_path": "/work/project/final-report.md"}, "7"),
    tool_answers("7", "# Final"),
    calls("Read", {"file_path": "/work/project/docs/missing.md"}, "8"),
    tool_answers("8", "no such file", is_error=True),
    calls("Grep", {"pattern": "x", "path": "/work/project/docs/searched.md"}, "9", "2"),
    tool_answers("9", "x", parent="2"),
]


def expecting(*paths: Any, stream: list[Any] | None = None) -> Files:
    events: Files = {"events.jsonl": STREAM if stream is None else stream}
    return {**events, "annotations.json": {"expected_files": list(paths)}}


WHOLE: Final = {"min_coverage": 1.0}
CASES: Final[dict[str, tuple[dict[str, Any], Files, bool, str]]] = {
    "read by its whole path": (WHOLE, expecting("docs/setup.md"), True, "1 of 1 expected files consulted (100.0%, at least 100.0% wanted)"),
    "by a subagent": (WHOLE, expecting("docs/guide.md"), True, "1 of 1"),
    "by a subagent, not counted": ({**WHOLE, "include_subagents": False}, expecting("docs/guide.md"), False, "0 of 1 expected files consulted (0.0%, at least 100.0% wanted); not consulted: docs/guide.md"),
    "searched": (WHOLE, expecting("src/a.py"), True, "1 of 1"),
    "searched, not counted": ({**WHOLE, "include_grep": False}, expecting("src/a.py"), False, "not consulted: src/a.py"),
    "searched by a subagent": (WHOLE, expecting("docs/searched.md"), True, "1 of 1"),
    "searched by a subagent, not counted": ({**WHOLE, "include_grep": False}, expecting("docs/searched.md"), False, "0 of 1"),
    "read although searching does not count": ({**WHOLE, "include_grep": False}, expecting("docs/setup.md"), True, "1 of 1"),
    "on Windows": (WHOLE, expecting("docs/windows.md"), True, "1 of 1"),
    "expected as on Windows": (WHOLE, expecting("docs\\setup.md"), True, "1 of 1"),
    "by a shell": (WHOLE, expecting("docs/shell.md"), True, "1 of 1"),
    "not by part of a name": (WHOLE, expecting("report.md"), False, "not consulted: report.md"),
    "not by a failed call": (WHOLE, expecting("docs/missing.md"), False, "0 of 1"),
    "not by a longer path": (WHOLE, expecting("other/docs/setup.md"), False, "0 of 1"),
    "with a dot in front": (WHOLE, expecting("./docs/../docs/setup.md"), True, "1 of 1"),
    "preloaded": ({**WHOLE, "preloaded_files": ["CLAUDE.md"]}, expecting("CLAUDE.md", "docs/setup.md"), True, "2 of 2"),
    "preloaded below a folder": ({**WHOLE, "preloaded_files": ["/home/me/.claude/CLAUDE.md"]}, expecting("CLAUDE.md"), True, "1 of 1"),
    "preloaded elsewhere": ({**WHOLE, "preloaded_files": ["CLAUDE.md"]}, expecting("docs/CLAUDE.md"), False, "0 of 1"),
    "exactly": ({**WHOLE, "match": "exact"}, expecting("/work/project/docs/setup.md"), True, "1 of 1"),
    "not exactly": ({**WHOLE, "match": "exact"}, expecting("docs/setup.md"), False, "0 of 1"),
    "by name": ({**WHOLE, "match": "basename"}, expecting("elsewhere/setup.md"), True, "1 of 1"),
    "not by name": ({**WHOLE, "match": "basename"}, expecting("docs/report.md"), False, "0 of 1"),
    "duplicates count once": ({"min_coverage": 0.5}, expecting("docs/setup.md", "no.md", "no.md", "./no.md"), True, "1 of 2 expected files consulted (50.0%"),
    "at the edge": ({}, expecting("setup.md", "guide.md", "a.py", "shell.md", "no.md"), True, "4 of 5 expected files consulted (80.0%, at least 80.0% wanted); not consulted: no.md"),
    "below the edge": ({}, expecting("setup.md", "guide.md", "a.py", "no.md"), False, "3 of 4 expected files consulted (75.0%"),
    "nothing is wanted": ({"min_coverage": 0}, expecting("no.md"), True, "0 of 1"),
    "no expectations": ({}, {"events.jsonl": STREAM}, True, "Nothing to verify"),
    "an empty list": ({}, expecting(), True, "Nothing to verify"),
    "null": ({}, {"annotations.json": {"expected_files": None}}, True, "Nothing to verify"),
    "no trace": ({}, {"annotations.json": {"expected_files": ["a.md"]}}, False, "0 of 1 expected files consulted (0.0%, at least 80.0% wanted); not consulted: a.md; the bundle holds no trace"),
    "an unknown trace": ({}, expecting("a.md", stream=[{"what": "ever"}]), False, "the bundle holds no trace"),
    "names that could mislead": ({}, expecting("a\n2 of 2.md"), False, "not consulted: a\\n2 of 2.md"),
    "many missing": ({}, expecting(*(f"f{n:02}.md" for n in range(30))), False, "f19.md, and 10 more"),
}  # fmt: skip
WRONG: Final[dict[str, tuple[dict[str, Any], Files, str]]] = {
    "a text": ({}, {"annotations.json": {"expected_files": "docs/setup.md"}}, "TypeError: annotations.expected_files has to be a list, not a str"),
    "an object": ({}, {"annotations.json": {"expected_files": {"a": 1}}}, "has to be a list, not a dict"),
    "a number in it": ({}, expecting("docs/setup.md", 3), "ValueError: annotations.expected_files[1] is no path"),
    "a blank in it": ({}, expecting(" "), "annotations.expected_files[0] is no path"),
    "a share above one": ({"min_coverage": 80}, expecting("a"), "min_coverage has to be a number from 0 to 1, not 80"),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CodeAnswer | JudgementError]:
    cases = {name: (case[0], case[1]) for name, case in CASES.items()}
    cases |= {name: (case[0], case[1]) for name, case in WRONG.items()}
    return answers(tmp_path_factory.mktemp("docs"), "consulted_docs", cases)


@pytest.mark.parametrize("name", CASES)
def test_enough_of_the_expected_files_have_to_be_consulted(
    found: dict[str, CodeAnswer | JudgementError], name: str
) -> None:
    _, _, passed, said = CASES[name]
    answer = found[name]
    assert isinstance(answer, CodeAnswer), answer
    assert said in answer.rationale
    assert answer.value is passed


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_list_of_files_is_the_judges_error(
    found: dict[str, CodeAnswer | JudgementError], name: str
) -> None:
    error = found[name]
    assert isinstance(error, JudgementError), error
    assert error.kind == "judge_code"
    assert WRONG[name][2] in error.message
    assert "of process/consulted_docs)" in error.message
