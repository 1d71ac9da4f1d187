import os
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_BYTES
from judge_bundles.rules import load_rule
from tests.support.rule_files import load, refusal, write


@pytest.mark.parametrize("name", ["rule.json", "rule.JSON", "rule", "rule.txt", "rule.yaml"])
def test_json_is_read_under_any_name(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, '\n {"rubric": "good"}', name).judges[0].rubric == "good"


@pytest.mark.parametrize("name", ["rule.yaml", "rule.yml", "rule.YML", "rule", "rule.conf"])
def test_yaml_is_read_under_any_name_but_that_of_json(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, "rubric: good\n", name).judges[0].rubric == "good"


def test_yaml_under_the_name_of_json_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, "rubric: good\n") == [
        "rule.json:1: not valid JSON: `rubric` is not a value of JSON (column 1)"
    ]


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    assert load(tmp_path, b'\xef\xbb\xbf{"rubric": "good"}').judges[0].rubric == "good"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("{}".encode("utf-16"), "rule.json: not UTF-8 but UTF-16: save it as UTF-8"),
        (b'{\n"rubric": "\xe9"}', "rule.json:2: not UTF-8 (byte 0xe9): save it as UTF-8"),
        (b"", "rule.json: the file is empty"),
        (b'{"a"\0: 1}', "rule.json:1: not valid JSON: expected `:` after a key (column 5)"),
    ],
)
def test_other_encodings_are_refused(tmp_path: Path, content: Any, line: Any) -> None:
    assert refusal(tmp_path, content) == [line]


def test_a_rule_is_taken_up_to_its_size_and_not_past_it(tmp_path: Path) -> None:
    text = '{"rubric": "good"}'
    load(tmp_path, text + " " * (MAX_RULE_BYTES - len(text)))
    assert refusal(tmp_path, text + " " * (MAX_RULE_BYTES - len(text) + 1)) == [
        "rule.json: larger than 1048576 bytes: make it shorter"
    ]


def test_a_rule_reached_through_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path, "real.json", {"rubric": "good"})
    (tmp_path / "link.json").symlink_to("real.json")
    assert load_rule(tmp_path / "link.json").name == "link"


def test_what_is_no_file_is_refused_with_the_next_step(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.json")
    (tmp_path / "loop.json").symlink_to("loop.json")
    places: list[tuple[str | Path, str]] = [
        (tmp_path, "it is a folder: name the file itself"),
        (tmp_path / "none.json", "no such file: check the path"),
        (tmp_path / "fifo.json", "not a regular file: save it as one"),
        (tmp_path / "loop.json", "cannot be read (Too many levels of symbolic links): check the path"),
        (tmp_path / ("n" * 300), "cannot be read (File name too long): check the path"),
        (f"{tmp_path}/a\0b", "its name holds a NUL: check the path"),
    ]  # fmt: skip
    for path, message in places:
        with pytest.raises(RuleError) as caught:
            load_rule(path)
        assert str(caught.value).endswith(f": {message}")


def test_the_name_of_a_file_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[31m\nred\udcff.json"
    with pytest.raises(RuleError) as caught:
        load_rule(tmp_path / name)
    assert (
        str(caught.value) == f"{tmp_path}/\\u001b[31m\\nred\\xff.json: no such file: check the path"
    )
