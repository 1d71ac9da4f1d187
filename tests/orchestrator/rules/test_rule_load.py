from pathlib import Path

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_BYTES, MAX_RULE_DEPTH
from judge_bundles.rules import load_rule
from tests.support.rule_files import agent_judge, load, refusal, write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rule.json", b'\xef\xbb\xbf{"rubric": "good"}'),
        ("rule", b'\n {"rubric": "good"}'),
        ("rule.yaml", b"rubric: good\n"),
        ("rule.conf", b"rubric: good\n"),
    ],
)
def test_a_rule_is_read_as_json_or_yaml(tmp_path: Path, name: str, content: bytes) -> None:
    assert agent_judge(load(tmp_path, content, name)).rubric == "good"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"rubric: good\n", "rule.json:1: not valid JSON: `rubric` is not a value of JSON (column 1)"),
        (b"", "rule.json: the file is empty"),
        (b'{\n"rubric": "\xe9"}', "rule.json:2: not UTF-8 (byte 0xe9): save it as UTF-8"),
        (
            b'{"criteria": [\n{"id": "a", "id": "b"}]}',
            "rule.json:2: criteria[0]: key `id` is given twice (first on line 2)",
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_no_document_is_refused_with_its_place(
    tmp_path: Path, content: bytes, line: str
) -> None:
    assert refusal(tmp_path, content) == [line]


def test_a_rule_is_taken_up_to_its_size_and_not_past_it(tmp_path: Path) -> None:
    text = '{"rubric": "good"}'
    load(tmp_path, text + " " * (MAX_RULE_BYTES - len(text)))
    assert refusal(tmp_path, text + " " * (MAX_RULE_BYTES - len(text) + 1)) == [
        "rule.json: larger than 1048576 bytes: make it shorter"
    ]


@pytest.mark.parametrize("name", ["rule.json", "rule.yaml"])
def test_a_rule_is_read_up_to_its_depth_and_not_past_it(tmp_path: Path, name: str) -> None:
    at_limit = refusal(tmp_path, "[" * MAX_RULE_DEPTH + "]" * MAX_RULE_DEPTH, name)
    past = refusal(tmp_path, "[" * (MAX_RULE_DEPTH + 1) + "]" * (MAX_RULE_DEPTH + 1), name)
    assert "nested" not in at_limit[0]  # it was read, and is no list of prechecks
    assert past[0].endswith("]: nested more than 64 levels deep")


def test_a_rule_reached_through_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path, "real.json", {"rubric": "good"})
    (tmp_path / "link.json").symlink_to("real.json")
    assert load_rule(tmp_path / "link.json").name == "link"


def test_a_file_that_is_not_there_is_refused_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(RuleError) as caught:
        load_rule(f"{tmp_path}/a\0b")
    assert str(caught.value) == f"{tmp_path}/a\\u0000b: its name holds a NUL: check the path"
    with pytest.raises(RuleError) as caught:
        load_rule(tmp_path)
    assert str(caught.value) == f"{tmp_path}: it is a folder: name the file itself"


def test_the_name_of_a_file_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[31m\nred\udcff.json"
    with pytest.raises(RuleError) as caught:
        load_rule(tmp_path / name)
    assert (
        str(caught.value) == f"{tmp_path}/\\u001b[31m\\nred\\xff.json: no such file: check the path"
    )
