import xml.etree.ElementTree as ET
from collections.abc import Sequence

from junitparser import Error, Failure, JUnitXml, TestCase

from judge_bundles.reports.junit import Unjudged, as_junit
from judge_bundles.reports.scores import Scores
from judge_bundles.verdict import Verdict
from tests.support.reports import HOSTILE, error, verdict


def document_of(
    verdicts: Sequence[Verdict], unjudged: Sequence[Unjudged] = (), run_id: str = "run"
) -> bytes:
    return as_junit(verdicts, unjudged, Scores(run_id, {}))


def cases(document: bytes) -> list[TestCase]:
    return [case for suite in JUnitXml.fromstring(document) for case in suite]


def test_there_is_one_suite_for_a_rule_and_one_case_for_a_bundle() -> None:
    document = document_of(
        [verdict("a"), verdict("a", rule="other"), verdict("b", status="fail", reason="because")]
    )
    whole = JUnitXml.fromstring(document)
    assert (whole.name, whole.tests, whole.failures, whole.errors) == ("judge-bundles run", 3, 1, 0)
    assert [
        (suite.name, suite.tests, suite.failures, suite.errors, suite.time) for suite in whole
    ] == [
        ("rule", 2, 1, 0, 3.0),
        ("other", 1, 0, 0, 1.5),
    ]
    failed = cases(document)[1]
    assert (failed.classname, failed.name, failed.time) == ("rule", "b", 1.5)
    (failure,) = failed.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message, failure.text) == (
        "precheck failed",
        "because",
        "because",
    )


def test_an_error_is_no_failure() -> None:
    (case,) = cases(document_of([error("a", reason="spent")]))
    (result,) = case.result
    assert isinstance(result, Error)
    assert (result.type, result.message) == ("budget", "spent")


def test_what_nobody_judged_is_an_error_and_never_left_out() -> None:
    document = document_of([verdict("a")], [("rule", "b"), ("untouched", "a")])
    whole = JUnitXml.fromstring(document)
    assert (whole.tests, whole.failures, whole.errors) == (3, 0, 2)
    assert [(case.classname, case.name) for case in cases(document)] == [
        ("rule", "a"),
        ("rule", "b"),
        ("untouched", "a"),
    ]
    for case in cases(document)[1:]:
        (result,) = case.result
        assert isinstance(result, Error)
        assert result.type == "unjudged"


def test_a_run_without_verdicts_is_a_document() -> None:
    root = ET.fromstring(document_of([]))
    assert root.attrib == {
        "name": "judge-bundles run",
        "tests": "0",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
        "time": "0.000",
    }


def test_hostile_text_survives_as_text() -> None:
    hostile = f"{HOSTILE}]]></failure>\x00\ufffe\udcff&"
    failed = verdict(hostile, status="fail", reason=hostile, rule=hostile)
    document = document_of([failed], [("r", hostile)], run_id=hostile)
    root = ET.fromstring(document)
    (failure,) = root.iter("failure")
    assert failure.text is not None
    assert "\\u001b[2J::error::x" in failure.text
    assert "]]></failure>\\u0000\\ufffe\\udcff&" in failure.text
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert names == [failure.text, failure.text]
