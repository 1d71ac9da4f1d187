import json
from typing import Any

import pytest

from judge_bundles.agent.submission import MAX_LINE, Submission, parse, spec
from judge_bundles.limits import MAX_QUOTE_CHARACTERS


def verdict(**changes: Any) -> dict[str, Any]:
    criterion = {
        "id": "a",
        "explanation": "because",
        "evidence": [{"file": "r.md", "line_start": 1, "line_end": 1, "quote": "text"}],
        "met": True,
    }
    return {"criteria": [criterion], "reason": "so", "passed": True} | changes


def with_evidence(**item: Any) -> dict[str, Any]:
    whole = verdict()
    whole["criteria"][0]["evidence"] = [item]
    return whole


def test_a_well_formed_verdict_is_taken_as_it_is() -> None:
    submission = parse(verdict())
    assert isinstance(submission, Submission)
    assert submission.passed is True
    assert submission.criteria[0].evidence[0].quote == "text"


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (verdict(passed="false"), "passed"),
        (verdict(passed=0), "passed"),
        (verdict(passed=None), "passed"),
        (verdict(score=1.0), "score"),
        (verdict(criteria=[]), "criteria"),
        (verdict(reason=""), "reason"),
        ({"passed": True}, "criteria"),
        ("pass", "the input"),
        (None, "the input"),
        ([verdict()], "the input"),
        (with_evidence(file="r.md", line_start="1", line_end=1, quote="x"), "line_start"),
        (with_evidence(file="r.md", line_start=1, line_end=1), "quote"),
        (with_evidence(file="r.md"), "quote"),
        (with_evidence(file="r.md", line_start=2, line_end=1, quote="x"), "line_end"),
        (with_evidence(file="r.md", line_start=1, line_end=1, quote=" \n "), "blank"),
        (with_evidence(file="r.md", page=1, quote="x"), "either"),
        (with_evidence(file="r.md", page=0), "page"),
        (with_evidence(file="", page=1), "file"),
        (with_evidence(file="r.md", line_start=MAX_LINE + 1, line_end=1, quote="x"), "line_start"),
        (with_evidence(file="r.md", line_start=1, line_end=MAX_LINE + 1, quote="x"), "line_end"),
        (with_evidence(file="r.md", line_start=1, line_end=10**400, quote="x"), "line_end"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(value: Any, named: str) -> None:
    problem = parse(value)
    assert isinstance(problem, str)
    assert named in problem


def test_the_highest_line_is_taken() -> None:
    value = with_evidence(file="r.md", line_start=MAX_LINE, line_end=MAX_LINE, quote="x")
    assert isinstance(parse(value), Submission)


@pytest.mark.parametrize("key", ["k" * 100_000, "\ud800\x1b[2J\n" * 1000])
def test_what_is_told_about_unknown_keys_is_short_and_printable(key: str) -> None:
    many = verdict(**{f"{number}{key}": 1 for number in range(50)})
    problem = parse(many)
    assert isinstance(problem, str)
    assert len(problem) < 10 * 150
    assert problem.isprintable()


@pytest.mark.parametrize(
    ("length", "fits"), [(MAX_QUOTE_CHARACTERS, True), (MAX_QUOTE_CHARACTERS + 1, False)]
)
def test_a_quote_has_a_longest_length(length: int, fits: bool) -> None:
    value = with_evidence(file="r.md", line_start=1, line_end=1, quote="x" * length)
    assert isinstance(parse(value), Submission) is fits


def test_the_schema_is_strict_and_asks_for_the_explanation_before_the_decision() -> None:
    schema = spec(["one", "two"]).input_schema
    criterion = schema["properties"]["criteria"]["items"]
    assert list(criterion["properties"]) == ["id", "explanation", "evidence", "met"]
    assert list(schema["properties"]) == ["criteria", "reason", "passed"]
    assert criterion["properties"]["id"]["enum"] == ["one", "two"]
    assert '"additionalProperties": false' in json.dumps(schema)
    assert criterion["required"] == list(criterion["properties"])
    assert spec([]).strict
