"""JUnit XML: one suite for a rule, one case for a bundle; failures and errors apart."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from judge_bundles.escape import xml
from judge_bundles.verdict import Verdict

Unjudged = tuple[str, str]
"""Rule and entry id of a verdict that the run owes and does not have."""


def as_junit(run_id: str, verdicts: Sequence[Verdict], unjudged: Sequence[Unjudged] = ()) -> bytes:
    """Return the document in UTF-8. What nobody judged is an error in it, never left out."""
    cases = [(verdict.rule, _case(verdict)) for verdict in verdicts]
    cases += [(rule, _unjudged_case(rule, entry_id)) for rule, entry_id in unjudged]
    root = ET.Element("testsuites", {"name": xml(f"judge-bundles {run_id}")})
    for rule in dict.fromkeys(rule for rule, _ in cases):
        suite = ET.SubElement(root, "testsuite", {"name": xml(rule)})
        suite.extend(case for of_rule, case in cases if of_rule == rule)
        suite.attrib.update(_counts(suite))
    root.attrib.update(_counts(root))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _case(verdict: Verdict) -> ET.Element:
    case = _empty_case(verdict.rule, verdict.entry_id, verdict.latency_ms / 1000)
    if verdict.status == "fail":
        _explain(case, "failure", f"{verdict.stage} failed", verdict.reason)
    elif verdict.status == "error":
        kind = verdict.error.kind if verdict.error else "internal"
        _explain(case, "error", kind, verdict.reason)
    return case


def _unjudged_case(rule: str, entry_id: str) -> ET.Element:
    case = _empty_case(rule, entry_id, 0.0)
    _explain(case, "error", "unjudged", "The run ended before this bundle was judged.")
    return case


def _empty_case(rule: str, entry_id: str, seconds: float) -> ET.Element:
    return ET.Element(
        "testcase", {"classname": xml(rule), "name": xml(entry_id), "time": f"{seconds:.3f}"}
    )


def _explain(case: ET.Element, tag: str, kind: str, reason: str) -> None:
    element = ET.SubElement(case, tag, {"type": xml(kind), "message": xml(reason)})
    element.text = xml(reason)


def _counts(element: ET.Element) -> dict[str, str]:
    cases = list(element.iter("testcase"))
    return {
        "tests": str(len(cases)),
        "failures": str(sum(1 for _ in element.iter("failure"))),
        "errors": str(sum(1 for _ in element.iter("error"))),
        "time": f"{sum(float(case.attrib['time']) for case in cases):.3f}",
    }
