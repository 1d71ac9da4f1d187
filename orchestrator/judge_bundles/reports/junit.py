"""JUnit XML: one suite for a rule, one case for a bundle; failures and errors apart."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from judge_bundles.escape import xml
from judge_bundles.verdict import Verdict


def as_junit(run_id: str, verdicts: Sequence[Verdict]) -> bytes:
    """Return the document in UTF-8."""
    root = ET.Element("testsuites", _counts(verdicts) | {"name": xml(f"judge-bundles {run_id}")})
    for rule in dict.fromkeys(verdict.rule for verdict in verdicts):
        of_rule = [verdict for verdict in verdicts if verdict.rule == rule]
        suite = ET.SubElement(root, "testsuite", _counts(of_rule) | {"name": xml(rule)})
        for verdict in of_rule:
            suite.append(_case(verdict))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _case(verdict: Verdict) -> ET.Element:
    case = ET.Element(
        "testcase",
        {
            "classname": xml(verdict.rule),
            "name": xml(verdict.entry_id),
            "time": f"{verdict.latency_ms / 1000:.3f}",
        },
    )
    if verdict.status == "fail":
        _explain(case, "failure", f"{verdict.stage} failed", verdict.reason)
    elif verdict.status == "error":
        kind = verdict.error.kind if verdict.error else "internal"
        _explain(case, "error", kind, verdict.reason)
    return case


def _explain(case: ET.Element, tag: str, kind: str, reason: str) -> None:
    element = ET.SubElement(case, tag, {"type": xml(kind), "message": xml(reason)})
    element.text = xml(reason)


def _counts(verdicts: Sequence[Verdict]) -> dict[str, str]:
    return {
        "tests": str(len(verdicts)),
        "failures": str(sum(verdict.status == "fail" for verdict in verdicts)),
        "errors": str(sum(verdict.status == "error" for verdict in verdicts)),
        "time": f"{sum(verdict.latency_ms for verdict in verdicts) / 1000:.3f}",
    }
