from collections.abc import Callable
from typing import Any

import pytest

from judge_prechecks import Outcome
from judge_prechecks.limits import MAX_LISTED

Check = Callable[..., Outcome]
SPEC: dict[str, Any] = {
    "type": "map_values_in",
    "file": "state.json",
    "path": "phases",
    "allowed": ["completed", "skipped"],
}


def on(check: Check, phases: Any, **changes: Any) -> Outcome:
    return check({**SPEC, **changes}, {"state.json": {"phases": phases}})


def test_allowed_values_hold_and_are_counted(check: Check) -> None:
    outcome = on(check, {"scan": "completed", "triage": "skipped"})
    assert outcome.held
    assert outcome.details == ("2 values checked",)


def test_an_empty_object_holds_and_says_that_nothing_was_checked(check: Check) -> None:
    outcome = on(check, {})
    assert outcome.held
    assert outcome.details == ("0 values checked",)


def test_every_offending_key_is_listed(check: Check) -> None:
    outcome = on(check, {"scan": "running", "triage": "skipped", "x y": None})
    assert not outcome.held
    assert outcome.message == (
        'state.json: phases: 2 of 3 values are not allowed: "scan" is "running"; "x y" is null'
    )
    assert outcome.details == ('"scan" is "running"', '"x y" is null')
    assert (outcome.file, outcome.path) == ("state.json", "phases")
    assert outcome.observed == {"scan": "running", "x y": None}
    assert outcome.expected == ["completed", "skipped"]


def test_offenders_past_the_limit_are_counted(check: Check) -> None:
    outcome = on(check, {str(number): "bad" for number in range(MAX_LISTED + 5)})
    assert len(outcome.details) == MAX_LISTED + 1
    assert outcome.details[-1] == "and 5 more"
    assert "105 of 105 values" in outcome.message


@pytest.mark.parametrize(
    ("value", "allowed", "held"),
    [
        (1, [1], True),
        (1.0, [1], True),
        (1, [1.0], True),
        (True, [1], False),
        (1, [True], False),
        (True, [True], True),
        (False, [0], False),
        ("1", [1], False),
        (None, [None], True),
        (None, ["null"], False),
        ("Completed", ["completed"], False),
        ("completed ", ["completed"], False),
        ([], ["x"], False),
        ({}, ["x"], False),
    ],
)
def test_values_are_compared_with_their_type(
    check: Check, value: Any, allowed: list[Any], *, held: bool
) -> None:
    assert on(check, {"k": value}, allowed=allowed).held is held


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"phases": None}, "state.json: phases is null; an object is needed"),
        ({}, "state.json: phases is missing"),
        ({"phases": ["completed"]}, "state.json: phases is an array of 1 item, not an object"),
        ({"phases": "completed"}, 'state.json: phases is the text "completed", not an object'),
        ([1, 2], "state.json: phases is missing"),
    ],
)
def test_null_missing_and_wrong_types_are_different_sentences(
    check: Check, document: Any, message: str
) -> None:
    outcome = check(SPEC, {"state.json": document})
    assert not outcome.held
    assert outcome.message == message
    assert outcome.expected == "an object"


def test_a_missing_key_is_explained(check: Check) -> None:
    outcome = check(SPEC, {"state.json": {"phase": {}}})
    assert outcome.details == ('$ is an object with 1 key (did you mean "phase"?)',)


def test_several_values_at_the_path_fail(check: Check) -> None:
    outcome = on(check, {"a": {}, "b": {}}, path="phases[*]")
    assert outcome.message == "state.json: phases[*] selects 2 values where one is needed"


def test_fewer_keys_than_asked_for_fail(check: Check) -> None:
    assert on(check, {"a": "completed"}, min_items=1).held
    outcome = on(check, {"a": "completed"}, min_items=2)
    assert outcome.message == "state.json: phases has 1 key, fewer than 2"


def test_the_document_itself_can_be_the_object(check: Check) -> None:
    assert check({**SPEC, "path": "$"}, {"state.json": {"a": "completed"}}).held


def test_a_missing_file_an_ambiguous_one_and_a_broken_one_fail_differently(check: Check) -> None:
    assert check(SPEC, {"x": "x"}).message == "state.json was not found"
    assert check(SPEC, {"a/state.json": "{", "b/state.json": "{"}).message == (
        "state.json is ambiguous: 2 files match it (a/state.json; b/state.json)"
    )
    assert check(SPEC, {"state.json": "{"}).message == (
        "state.json is not valid JSON: line 1 column 2: "
        "a key in double quotes is expected, not the end of the document"
    )
