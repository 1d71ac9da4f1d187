from pathlib import Path
from typing import Any

import pytest

from judge_bundles.limits import MAX_PROMPT_FILE_BYTES
from judge_bundles.rules import load_rule
from tests.support.rule_files import agent_judge, load, refusal, write


def test_a_rubric_file_is_looked_for_in_the_project_root_and_then_beside_the_rule(
    tmp_path: Path,
) -> None:
    rule = write(tmp_path, "rules/audit.json", {"rubric_file": "rubrics/audit.md"})
    write(tmp_path, "rules/rubrics/audit.md", "beside\n")
    assert agent_judge(load_rule(rule, project_root=tmp_path)).rubric == "beside"
    write(tmp_path, "rubrics/audit.md", "root\n")
    assert agent_judge(load_rule(rule, project_root=tmp_path)).rubric == "root"


def test_the_project_root_is_the_current_folder_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = write(tmp_path, "rules/audit.json", {"rubric_file": "audit.md"})
    write(tmp_path, "here/audit.md", "here")
    monkeypatch.chdir(tmp_path / "here")
    assert agent_judge(load_rule(rule)).rubric == "here"


def test_a_rubric_file_may_be_named_absolutely(tmp_path: Path) -> None:
    text = write(tmp_path, "elsewhere/rubric.md", "absolute")
    assert agent_judge(load(tmp_path, {"rubric_file": str(text)})).rubric == "absolute"


def test_a_missing_rubric_file_is_refused_with_both_places_tried(tmp_path: Path) -> None:
    rule = {"rubric_file": "audit.md"}
    assert refusal(tmp_path, rule, "rules/rule.json") == [
        "rules/rule.json:1: rubric_file: no such file: neither audit.md nor rules/audit.md"
    ]
    assert refusal(tmp_path, rule) == ["rule.json:1: rubric_file: no such file: audit.md"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b" \n\t", "rubric.md is blank: write the text into it"),
        (b"\xff", "rubric.md: not UTF-8 (byte 0xff): save it as UTF-8"),
        (b"x" * (MAX_PROMPT_FILE_BYTES + 1), "rubric.md: larger than 1048576 bytes: make it shorter"),
    ],
)  # fmt: skip
def test_a_rubric_file_that_cannot_be_used_is_refused(
    tmp_path: Path, content: Any, message: str
) -> None:
    write(tmp_path, "rubric.md", content)
    rule = {"rubric_file": "rubric.md"}
    assert refusal(tmp_path, rule) == [f"rule.json:1: rubric_file: {message}"]


def test_a_rubric_file_is_taken_up_to_its_size(tmp_path: Path) -> None:
    write(tmp_path, "rubric.md", b"x" * MAX_PROMPT_FILE_BYTES)
    assert (
        len(agent_judge(load(tmp_path, {"rubric_file": "rubric.md"})).rubric)
        == MAX_PROMPT_FILE_BYTES
    )


@pytest.mark.parametrize("name", [".", "a\0b", "n" * 300])
def test_a_rubric_file_that_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    (line,) = refusal(tmp_path, {"rubric_file": name})
    assert line.startswith("rule.json:1: rubric_file: ")


def test_a_rubric_and_a_rubric_file_together_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "rubric.md", "text")
    assert refusal(tmp_path, '{"rubric": "text",\n"rubric_file": "rubric.md"}') == [
        "rule.json:2: rubric_file: stands beside `rubric`: keep one of the two"
    ]


def test_blank_space_around_a_rubric_and_the_kind_of_line_ends_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "rubric.md", b"\r\n one\r\ntwo\rthree \r\n\r\n")
    assert agent_judge(load(tmp_path, {"rubric_file": "rubric.md"})).rubric == "one\ntwo\nthree"
