from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_prechecks import Gate, Outcome

Check = Callable[..., Outcome]


def compare(check: Check, left: Any, right: Any, files: dict[str, Any]) -> Outcome:
    return check({"type": "count_equals", "left": left, "right": right}, files)


def fields(check: Check, left: Any, right: Any) -> Outcome:
    """Compare two stated values."""
    return compare(
        check,
        {"file": "l.json", "field": "v"},
        {"file": "r.json", "field": "v"},
        {"l.json": {"v": left}, "r.json": {"v": right}},
    )


@pytest.mark.parametrize(
    ("left", "right", "held"),
    [
        (3, 3, True),
        (3, 3.0, True),
        (0, 0, True),
        (3, 4, False),
        ("x", "x", True),
        ("x", "X", False),
        ("3", 3, False),
        ("3", "3.0", False),
        (2**60, float(2**60), True),
        (2**60 + 1, float(2**60), False),
        (10**3_000, 10**3_000, True),
    ],
)
def test_numbers_equal_numbers_and_text_equals_text(
    check: Check, left: Any, right: Any, *, held: bool
) -> None:
    assert fields(check, left, right).held is held


def test_both_values_and_their_places_are_named(check: Check) -> None:
    outcome = fields(check, 0, 6)
    assert outcome.message == "left is 0 (l.json: v), right is 6 (r.json: v)"
    assert (outcome.file, outcome.path, outcome.observed, outcome.expected) == ("l.json", "v", 0, 6)


def test_text_beside_a_number_is_hinted_at(check: Check) -> None:
    outcome = fields(check, "3", 3)
    assert outcome.message == (
        'left is "3" (l.json: v), right is 3 (r.json: v); text never equals a number'
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "left: l.json: v is null; a number or text is needed"),
        (True, "left: l.json: v is true, not a number or text"),
        ([1, 2], "left: l.json: v is an array of 2 items, not a number or text (len counts it)"),
        ({}, "left: l.json: v is an object with 0 keys, not a number or text (len counts it)"),
    ],
)
def test_what_cannot_be_compared_has_a_sentence_of_its_own(
    check: Check, value: Any, message: str
) -> None:
    outcome = fields(check, value, value)
    assert not outcome.held
    assert outcome.message == f"{message}; right{message.removeprefix('left').replace('l.', 'r.')}"


def test_several_values_at_a_field_fail(check: Check) -> None:
    side = {"file": "a.json", "field": "v[*]"}
    outcome = compare(check, side, side, {"a.json": {"v": [1, 1]}})
    assert "left: a.json: v[*] selects 2 values where one is needed" in outcome.message


def test_a_missing_side_is_named_with_the_value_of_the_other(check: Check) -> None:
    outcome = compare(
        check,
        {"file": "session.json", "field": "n"},
        {"file": "r.json", "field": "n"},
        {"r.json": {"n": 3}},
    )
    assert outcome.message == "left: session.json was not found; right: 3 (r.json: n)"
    assert outcome.file == "session.json"


def test_two_missing_sides_do_not_equal_and_both_are_named(check: Check) -> None:
    side = {"file": "a.json", "field": "n"}
    outcome = compare(check, side, {**side, "field": "m"}, {"a.json": {"x": 1}})
    assert not outcome.held
    assert outcome.message == "left: a.json: n is missing; right: a.json: m is missing"
    assert outcome.details == (
        'left: $ is an object with 1 key, among them "x"',
        'right: $ is an object with 1 key, among them "x"',
    )


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("items", 3),
        ("object", 2),
        ("items[*]", 3),
        ("items[*].tags[*]", 3),
        ("items[?(@.kind == 'x')]", 1),
        ("items[?(@.kind == 'none')]", 0),
        ("empty", 0),
        ("empty[*]", 0),
        ("items[0].tags", 2),
        ("$", 5),
        ("..kind", 2),
    ],
)
def test_len_counts_items_keys_and_matches(check: Check, path: str, number: int) -> None:
    document = {
        "items": [{"kind": "x", "tags": [1, 2]}, {"kind": "y", "tags": [3]}, {}],
        "object": {"a": 1, "b": 2},
        "empty": [],
        "number": number,
        "null": None,
    }
    path = "$..kind" if path == "..kind" else path
    outcome = compare(
        check,
        {"file": "a.json", "len": path},
        {"file": "a.json", "field": "number"},
        {"a.json": document},
    )
    assert outcome.held, outcome.message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("number", "a.json: number is 5, not an array or object"),
        ("text", 'a.json: text is the text "abc", not an array or object'),
        ("null", "a.json: null is null; an array or object is needed"),
        ("missing", "a.json: missing is missing"),
        ("missing[*]", "a.json: missing[*] selects nothing: missing is missing"),
        (
            "number[*]",
            "a.json: number[*] selects nothing: number is 5, not an array or object",
        ),
        (
            "missing[?(@.x)]",
            "a.json: missing[?(@.x)] selects nothing: missing is missing",
        ),
    ],
)
def test_what_has_no_length_has_a_sentence_of_its_own(
    check: Check, path: str, message: str
) -> None:
    outcome = compare(
        check,
        {"file": "a.json", "len": path},
        {"file": "a.json", "field": "zero"},
        {"a.json": {"number": 5, "text": "abc", "null": None, "zero": 0}},
    )
    assert not outcome.held
    assert outcome.message == f"left: {message}; right: 0 (a.json: zero)"


def test_files_counts_matching_files_and_none_is_a_number(check: Check) -> None:
    side = {"file": "n.json", "field": "n"}
    glob = {"files": "findings/*.json"}
    outcome = compare(check, glob, side, {"n.json": {"n": 0}})
    assert outcome.held
    assert outcome.message == "both are 0: 0 files matching findings/*.json and n.json: n"
    files = {"findings/a.json": "x", "findings/b.json": "", "n.json": {"n": 1}}
    outcome = compare(check, glob, side, files)
    assert outcome.message == "left is 2 (2 files matching findings/*.json), right is 1 (n.json: n)"


def test_a_link_among_the_counted_files_fails_that_side(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("/dev/zero")
    sides = {"left": {"files": "*.json"}, "right": {"files": "*.md"}}
    (outcome,) = Gate.parse([{"type": "count_equals", **sides}]).run(tmp_path)
    assert not outcome.held
    assert "left: *.json matches what is never opened: a.json is a symlink" in outcome.message


def test_a_literal_key_with_dots_is_counted(check: Check) -> None:
    outcome = compare(
        check,
        {"file": "a.json", "field": "summary.count"},
        {"file": "a.json", "len": "items"},
        {"a.json": {"summary.count": 1, "summary": {"count": 7}, "items": [0]}},
    )
    assert outcome.held


def test_a_jsonpath_that_does_not_fit_the_document_fails(check: Check) -> None:
    side = {"file": "a.json", "field": "x.`sub(/a/, b)`"}
    outcome = compare(check, side, side, {"a.json": {"x": 1}})
    assert "cannot be evaluated on this document (TypeError" in outcome.message


def test_a_path_through_many_values_that_ends_in_all_of_them_is_missing(check: Check) -> None:
    outcome = compare(
        check,
        {"file": "a.json", "field": "items[*].n"},
        {"file": "a.json", "field": "n"},
        {"a.json": {"items": [{"x": 1}, {"x": 2}], "n": 1}},
    )
    assert "left: a.json: items[*].n is missing" in outcome.message
    assert outcome.details == ("left: none of 2 values at items[*] has what follows",)
