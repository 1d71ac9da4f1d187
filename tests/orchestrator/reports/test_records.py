import json

import pytest

from judge_bundles.reports.records import as_json, as_jsonl, record
from judge_bundles.verdict import PrecheckResult, Verdict, to_record
from tests.support.reports import HOSTILE, ci_commands, error, judged, verdict

VERDICTS = [verdict("a"), judged("b", status="fail"), error("c")]


def test_json_is_one_array_and_jsonl_one_object_a_line() -> None:
    expected = [to_record(one) for one in VERDICTS]
    assert json.loads(as_json(VERDICTS)) == expected
    lines = as_jsonl(VERDICTS).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == expected
    assert [(one["status"], one["passed"], one["score"]) for one in expected] == [
        ("pass", True, 1.0),
        ("fail", False, 0.0),
        ("error", None, None),
    ]


def test_no_verdicts_are_an_empty_array_and_no_line() -> None:
    assert json.loads(as_json([])) == []
    assert as_jsonl([]) == ""


@pytest.mark.parametrize("name", [HOSTILE, "bad\udcff", "\x00\x7f\u2028", "##vso[x]\n::error::"])
def test_hostile_text_reads_back_and_no_line_is_a_ci_command(name: str) -> None:
    hostile = verdict(name, reason=name)
    for text in (as_json([hostile]), as_jsonl([hostile])):
        assert text.isascii()
        assert "\x1b" not in text
        assert not ci_commands(text)
        (read,) = json.loads(text) if text.startswith("[") else [json.loads(text)]
        assert read == record(hostile)
    assert record(verdict(name))["entry_id"] == name.replace("\udcff", "\\udcff")


def test_numbers_that_json_does_not_have_are_named() -> None:
    check = PrecheckResult(0, "count_equals", held=False, message="x", observed=float("inf"))
    hostile: Verdict = verdict(prechecks=(check,))
    (read,) = json.loads(as_json([hostile]), parse_constant=pytest.fail)
    assert read["prechecks"][0]["observed"] == "inf"
