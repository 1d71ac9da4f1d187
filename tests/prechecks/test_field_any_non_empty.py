from collections.abc import Callable
from typing import Any

import pytest

from judge_prechecks import Outcome
from judge_prechecks.limits import MAX_LISTED

Check = Callable[..., Outcome]
SPEC: dict[str, Any] = {
    "type": "field_any_non_empty",
    "file": "findings.json",
    "array": "findings",
    "fields": ["file", "code"],
}


def on(check: Check, findings: Any, **changes: Any) -> Outcome:
    return check({**SPEC, **changes}, {"findings.json": {"findings": findings}})


@pytest.mark.parametrize(
    ("item", "held"),
    [
        ({"file": "a.py"}, True),
        ({"code": "x"}, True),
        ({"file": "", "code": "x"}, True),
        ({"file": 0}, True),
        ({"file": False}, True),
        ({"file": [None]}, True),
        ({"file": {"a": None}}, True),
        ({"file": "日"}, True),
        ({}, False),
        ({"other": "x"}, False),
        ({"file": None, "code": None}, False),
        ({"file": "", "code": " \t\n"}, False),
        ({"file": "\u200b\u2800", "code": "\u3164"}, False),
        ({"file": [], "code": {}}, False),
    ],
)
def test_an_item_needs_one_filled_field(check: Check, item: Any, *, held: bool) -> None:
    assert on(check, [{"file": "x"}, item]).held is held


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (None, "item 1 is null"),
        ("a.py", 'item 1 is the text "a.py", not an object'),
        ([], "item 1 is an array of 0 items, not an object"),
        (3, "item 1 is 3, not an object"),
        ({}, "item 1 has nothing in them"),
    ],
)
def test_every_offender_is_named_with_its_index(check: Check, item: Any, message: str) -> None:
    outcome = on(check, [{"file": "x"}, item])
    assert not outcome.held
    assert outcome.message == (
        f"findings.json: findings: 1 of 2 items has none of file, code filled: {message}"
    )
    assert outcome.details == (message,)
    assert (outcome.file, outcome.path) == ("findings.json", "findings")
    assert (outcome.observed, outcome.expected) == ([1], ["file", "code"])


def test_offenders_past_the_limit_are_counted(check: Check) -> None:
    outcome = on(check, [None] * (MAX_LISTED + 2))
    assert len(outcome.details) == MAX_LISTED + 1
    assert outcome.details[-1] == "and 2 more"


def test_an_empty_array_holds_and_says_that_nothing_was_checked(check: Check) -> None:
    outcome = on(check, [])
    assert outcome.held
    assert outcome.details == ("0 items checked",)


def test_fewer_items_than_asked_for_fail(check: Check) -> None:
    assert on(check, [{"file": "x"}], min_items=1).held
    outcome = on(check, [{"file": "x"}], min_items=2)
    assert outcome.message == "findings.json: findings has 1 item, fewer than 2"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "findings.json: findings is missing"),
        ({"findings": None}, "findings.json: findings is null; an array is needed"),
        ({"findings": {"a": 1}}, "findings.json: findings is an object with 1 key, not an array"),
        ({"findings": "x"}, 'findings.json: findings is the text "x", not an array'),
    ],
)
def test_missing_null_and_wrong_types_are_different_sentences(
    check: Check, document: Any, message: str
) -> None:
    outcome = check(SPEC, {"findings.json": document})
    assert not outcome.held
    assert outcome.message == message


@pytest.mark.parametrize(
    ("field", "item", "held"),
    [
        ("place.file", {"place": {"file": "x"}}, True),
        ("place.file", {"place": {"file": ""}}, False),
        ("place.file", {"place": None}, False),
        ("place.file", {"place.file": "x", "place": {"file": ""}}, True),
        ("evidence[*].quote", {"evidence": [{"quote": ""}, {"quote": "x"}]}, True),
        ("evidence[*].quote", {"evidence": [{"quote": ""}]}, False),
        ("evidence[?(@.ok)].quote", {"evidence": [{"ok": 1, "quote": "x"}]}, True),
        ("quote.`sub(/a/, b)`", {"quote": 3}, False),
    ],
)
def test_a_field_may_be_a_path_inside_the_item(
    check: Check, field: str, item: Any, *, held: bool
) -> None:
    assert on(check, [item], fields=[field]).held is held


def test_a_path_that_selects_many_values_makes_them_the_items(check: Check) -> None:
    document = {"runs": [{"findings": [{"file": "x"}]}, {"findings": [{"file": ""}]}]}
    outcome = check({**SPEC, "array": "runs[*].findings[*]"}, {"findings.json": document})
    assert not outcome.held
    assert outcome.observed == [1]


def test_the_document_itself_can_be_the_array(check: Check) -> None:
    assert check({**SPEC, "array": "$"}, {"findings.json": [{"file": "x"}]}).held
