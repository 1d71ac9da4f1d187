from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge_prechecks import Gate, JsonOptions, Outcome, Tree

Check = Callable[..., Outcome]
SPEC: dict[str, Any] = {"type": "json_valid", "path": "**/*.json"}


def test_every_matching_file_must_parse(check: Check) -> None:
    outcome = check(SPEC, {"a.json": "{}", "b/c.json": "[1]", "b/c.txt": "{"})
    assert outcome.held
    assert outcome.details == ("2 files matched",)


def test_no_matching_file_holds_and_says_so(check: Check) -> None:
    outcome = check(SPEC, {"a.md": "x"})
    assert outcome.held
    assert outcome.details == ("0 files matched",)


def test_too_few_matching_files_fail(check: Check) -> None:
    files = {"a.json": "{}", "b.json": "{}"}
    assert check({**SPEC, "min_matches": 2}, files).held
    outcome = check({**SPEC, "min_matches": 3}, files)
    assert outcome.message == "2 files matched **/*.json, fewer than 3"
    assert (outcome.observed, outcome.expected) == (2, 3)


def test_every_broken_file_is_named_with_line_and_column(check: Check) -> None:
    outcome = check(SPEC, {"a.json": "{}", "b.json": '{"x":\n oops}', "c.json": ""})
    assert not outcome.held
    assert outcome.file == "b.json"
    assert outcome.message.startswith("2 of 3 files are not valid JSON: b.json: line 2 column 2: ")
    assert outcome.details == (
        "3 files matched",
        "b.json: line 2 column 2: a value is expected, not 'o'",
        "c.json: line 1 column 1: the document is empty",
    )


def test_duplicate_keys_are_refused_unless_allowed(check: Check) -> None:
    files = {"a.json": '{"x": 1, "x": 2}'}
    assert 'the key "x" stands twice' in check(SPEC, files).message
    assert check(SPEC, files, JsonOptions(duplicate_keys="last")).held


def test_a_file_over_the_size_limit_fails(check: Check) -> None:
    options = JsonOptions(max_bytes=10)
    assert check(SPEC, {"a.json": '"12345678"'}, options).held
    assert "larger than 10 bytes" in check(SPEC, {"a.json": '"123456789"'}, options).message


def test_a_link_among_the_matches_fails(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("good.json")
    (outcome,) = Gate.parse([SPEC]).run(tmp_path)
    assert not outcome.held
    assert outcome.file == "link.json"


def test_a_file_that_is_gone_when_it_is_read_fails(
    bundle: Callable[..., Path],
) -> None:
    root = bundle({"a.json": "{}"})
    tree = Tree.scan(root)
    (root / "a.json").unlink()
    (outcome,) = Gate.parse([SPEC]).run(tree)
    assert outcome.message == (
        "1 of 1 file is not valid JSON: a.json: could not be read: No such file or directory"
    )


def test_a_file_that_is_gone_when_it_is_selected_from_fails(
    bundle: Callable[..., Path],
) -> None:
    root = bundle({"a.json": "{}"})
    tree = Tree.scan(root)
    (root / "a.json").unlink()
    sides = {"left": {"file": "a.json", "len": "$"}, "right": {"files": "*"}}
    (outcome,) = Gate.parse([{"type": "count_equals", **sides}]).run(tree)
    assert outcome.message == (
        "left: a.json could not be read: No such file or directory; right: 1 (1 file matching *)"
    )
