from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_prechecks import Gate, Outcome, Tree

Check = Callable[..., Outcome]


def spec(path: str) -> dict[str, Any]:
    return {"type": "file_present", "path": path}


@pytest.mark.parametrize("path", ["report.md", "*.md", "**/*.md", "out/report.md"])
def test_a_file_that_matches_is_enough(check: Check, path: str) -> None:
    outcome = check(spec(path), {"out/report.md": "x"})
    assert outcome.held
    assert outcome.message == "out/report.md is present"
    assert outcome.file == "out/report.md"


def test_an_empty_file_is_present(check: Check) -> None:
    assert check(spec("report.md"), {"report.md": ""}).held


def test_several_files_are_counted(check: Check) -> None:
    outcome = check(spec("*.md"), {"a.md": "", "b.md": ""})
    assert (outcome.message, outcome.observed) == ("2 files match *.md", 2)


def test_a_match_by_name_is_told_in_the_details(check: Check) -> None:
    outcome = check(spec("report.md"), {"out/report.md": "x"})
    assert outcome.details == ("report.md was matched by its name: out/report.md",)


def test_a_missing_file_fails(check: Check) -> None:
    outcome = check(spec("report.md"), {"notes.md": "x"})
    assert not outcome.held
    assert (outcome.message, outcome.file) == ("report.md was not found", "report.md")


def test_a_pattern_without_a_match_fails(check: Check) -> None:
    assert check(spec("*.md"), {"a.txt": "x"}).message == "no file matches *.md"


def test_a_folder_is_no_file(check: Check) -> None:
    outcome = check(spec("report"), {"report/x.md": "x"})
    assert not outcome.held
    assert outcome.details == ("report is a folder, not a file",)


def test_a_name_in_other_case_is_pointed_out(check: Check) -> None:
    outcome = check(spec("report.md"), {"out/Report.md": "x"})
    assert not outcome.held
    assert outcome.details == ("out/Report.md is there: names are case-sensitive",)


@pytest.mark.parametrize("path", ["report.md", "*.md"])
def test_a_link_fails_with_that_reason(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "report.md").symlink_to("secret.txt")
    (outcome,) = Gate.parse([spec(path)]).run(tmp_path)
    assert not outcome.held
    assert "report.md is a symlink" in outcome.message
    assert (outcome.file, outcome.observed) == ("report.md", "symlink")


def test_what_lies_below_a_link_was_not_entered(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    (outcome,) = Gate.parse([spec("out/passwd")]).run(tmp_path)
    assert outcome.message == "out/passwd was not found"
    assert outcome.details == ("out is a symlink and was not entered",)


def test_a_hostile_name_is_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / "\x1b[31m\n.md").write_text("x")
    (outcome,) = Gate.parse([spec("*.md")]).run(Tree.scan(tmp_path))
    assert outcome.file == r"\u001b[31m\n.md"
    assert outcome.message == r"\u001b[31m\n.md is present"
