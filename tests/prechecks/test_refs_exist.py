import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_prechecks import Gate, Outcome, Tree
from judge_prechecks.limits import MAX_LISTED
from judge_prechecks.references import Targets

Check = Callable[..., Outcome]
SPEC: dict[str, Any] = {
    "type": "refs_exist",
    "file": "findings.json",
    "array": "findings",
    "field": "file",
    "in": "bundle",
}
SOURCES = {"src/app.py": "x", "lib/util/io.py": "x"}


def on(check: Check, findings: Any, **changes: Any) -> Outcome:
    return check({**SPEC, **changes}, {**SOURCES, "findings.json": {"findings": findings}})


@pytest.mark.parametrize(
    "reference", ["src/app.py", "app.py", "./src/app.py", "src//app.py", "util/io.py", "io.py"]
)
def test_a_reference_is_matched_like_a_literal_name(check: Check, reference: str) -> None:
    outcome = on(check, [{"file": reference}])
    assert outcome.held, outcome.message
    assert outcome.details == ("1 reference of 1 item checked",)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("src/other.py", '"src/other.py" is not there'),
        ("pp.py", '"pp.py" is not there'),
        ("*.py", '"*.py" is not there'),
        ("src", '"src" is not there'),
        ("/src/app.py", '"/src/app.py" is not there (an absolute path)'),
        ("../src/app.py", "\"../src/app.py\" has '..' in it"),
        ("", '"" is blank'),
        (" \u200b", r'" \u200b" is blank'),
        (
            "src/app.py:12",
            '"src/app.py:12" is not there ("src/app.py" is: line numbers are no part of a path)',
        ),
        (
            "app.py:12-20",
            '"app.py:12-20" is not there ("app.py" is: line numbers are no part of a path)',
        ),
        (None, "the reference is null"),
        (3, "3 is no reference"),
        (["src/app.py"], "an array of 1 item is no reference"),
    ],
)
def test_a_reference_that_leads_nowhere_is_named_with_its_index(
    check: Check, value: Any, reason: str
) -> None:
    outcome = on(check, [{"file": "app.py"}, {"file": value}])
    assert not outcome.held
    assert outcome.details == (f"item 1: {reason}",)
    assert (outcome.file, outcome.path) == ("findings.json", "findings")


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (None, "is null"),
        ({}, "file is missing"),
        ("src/app.py", "file is missing"),
    ],
)
def test_an_item_without_a_reference_is_an_offender(check: Check, item: Any, reason: str) -> None:
    assert on(check, [item]).details == (f"item 0: {reason}",)


def test_every_offender_is_listed_up_to_the_limit(check: Check) -> None:
    outcome = on(check, [{"file": f"{number}.py"} for number in range(MAX_LISTED + 7)])
    assert outcome.details[-1] == "and 7 more"
    assert outcome.details[41] == 'item 41: "41.py" is not there'
    assert outcome.message.startswith(
        "findings.json: findings: 107 references not found in the bundle: item 0:"
    )


def test_items_may_be_the_references_themselves(check: Check) -> None:
    assert on(check, ["src/app.py", "io.py"], field="$").held
    assert on(check, ["src/app.py", "gone.py"], field="").details == (
        'item 1: "gone.py" is not there',
    )


def test_an_item_may_have_a_list_of_references(check: Check) -> None:
    outcome = on(check, [{"files": ["app.py", "gone.py"]}, {"files": []}], field="files[*]")
    assert outcome.details == ('item 0: "gone.py" is not there',)
    assert on(check, [{"files": None}], field="files[*]").details == (
        "item 0: files[*] is missing",
    )
    assert on(check, [{}], field="files[*]").details == ("item 0: files[*] is missing",)


def test_a_reference_to_a_link_is_an_offender(tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_text('{"findings": [{"file": "app.py"}, {"file": "b/x"}]}')
    (tmp_path / "app.py").symlink_to("/etc/passwd")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "app.py").write_text("x")
    (tmp_path / "out" / "b").mkdir()
    (tmp_path / "out" / "b" / "x").symlink_to("y")
    (outcome,) = Gate.parse([SPEC]).run(tmp_path)
    assert outcome.details == (
        'item 0: "app.py" is a symlink, not a file',
        'item 1: "b/x" is a symlink, not a file',
    )


def test_a_name_that_is_not_utf8_can_be_referred_to_by_its_printable_form(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("x")
    (tmp_path / "findings.json").write_text(r'{"findings": [{"file": "caf\\xe9.py"}]}')
    (outcome,) = Gate.parse([SPEC]).run(Tree.scan(tmp_path))
    assert outcome.held, outcome.message


LISTED: dict[str, Any] = {"in": {"file": "state.json", "path": "scanned"}}


def listed(check: Check, scanned: Any, *references: str, **changes: Any) -> Outcome:
    return check(
        {**SPEC, **LISTED, **changes},
        {
            "findings.json": {"findings": [{"file": reference} for reference in references]},
            "state.json": {"scanned": scanned},
        },
    )


def test_references_may_have_to_stand_on_a_list(check: Check) -> None:
    assert listed(check, ["src/app.py", "/abs/lib/io.py"], "app.py", "lib/io.py").held
    assert listed(check, ["/abs/lib/io.py"], "/abs/lib/io.py").held
    outcome = listed(check, ["src/app.py"], "src/never_scanned.py")
    assert not outcome.held
    assert outcome.message == (
        "findings.json: findings: 1 reference not found in state.json: scanned: "
        'item 0: "src/never_scanned.py" is not there'
    )


def test_the_list_may_be_the_keys_of_an_object_or_what_a_path_selects(check: Check) -> None:
    assert listed(check, {"src/app.py": {"lines": 3}}, "app.py").held
    path = {"in": {"file": "state.json", "path": "scanned[*].path"}}
    assert listed(check, [{"path": "src/app.py"}], "app.py", **path).held


@pytest.mark.parametrize(
    ("scanned", "message"),
    [
        (None, "state.json: scanned is null; an array is needed"),
        ("app.py", 'state.json: scanned is the text "app.py", not an array'),
        (["app.py", None], "state.json: scanned: entry 1 is null, not text"),
    ],
)
def test_a_list_that_is_none_fails_for_itself(check: Check, scanned: Any, message: str) -> None:
    assert listed(check, scanned, "app.py").message == message


def test_fewer_items_than_asked_for_fail(check: Check) -> None:
    assert on(check, [{"file": "app.py"}], min_items=1).held
    assert not on(check, [{"file": "app.py"}], min_items=2).held
    assert on(check, []).held


def test_hostile_references_cost_a_search_each_and_not_a_walk() -> None:
    targets = Targets([f"{number}/" + "a/" * 30 + "x" for number in range(20_000)], {})
    started = time.process_time()
    for number in range(20_000):
        assert targets.why_not(f"b{number}/" + "a/" * 30 + "x")
    assert time.process_time() - started < 5
