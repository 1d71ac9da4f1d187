"""JUnit XML: one suite for a rule, one case for a bundle; failures and errors apart."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from judge_bundles.escape import xml
from judge_bundles.reports.scores import Scores
from judge_bundles.scoring import RunScore, ThresholdResult
from judge_bundles.verdict import Verdict

Unjudged = tuple[str, str]
"""Rule and entry id of a verdict that the run owes and does not have."""


def as_junit(verdicts: Sequence[Verdict], unjudged: Sequence[Unjudged], scores: Scores) -> bytes:
    """Return the document in UTF-8. What nobody judged is an error in it, never left out.

    What each judge amounts to stands in the properties of its rule's suite; each limit of the rule
    is a case of a suite of its own.
    """
    cases = [(verdict.rule, _case(verdict)) for verdict in verdicts]
    cases += [(rule, _unjudged_case(rule, entry_id)) for rule, entry_id in unjudged]
    root = ET.Element("testsuites", {"name": xml(f"judge-bundles {scores.run_id}")})
    for rule in dict.fromkeys(rule for rule, _ in cases):
        suite = ET.SubElement(root, "testsuite", {"name": xml(rule)})
        score = scores.by_rule.get(rule)
        if score is not None:
            suite.append(_properties(score))
        suite.extend(case for of_rule, case in cases if of_rule == rule)
        suite.attrib.update(_counts(suite))
        if score is not None and score.thresholds:
            limits = ET.SubElement(root, "testsuite", {"name": xml(f"{rule} thresholds")})
            limits.extend(_threshold_case(rule, score, result) for result in score.thresholds)
            limits.attrib.update(_counts(limits))
    root.attrib.update(_counts(root))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _properties(score: RunScore) -> ET.Element:
    properties = ET.Element("properties")
    for name, aggregate in score.aggregates.items():
        for key, value in aggregate.record().items():
            if key != "judge" and value is not None:
                named = {"name": xml(f"judge.{name}.{key}"), "value": xml(str(value))}
                ET.SubElement(properties, "property", named)
    return properties


def _threshold_case(rule: str, score: RunScore, result: ThresholdResult) -> ET.Element:
    case = _empty_case(f"{rule} thresholds", f"{result.judge} {result.key} {result.limit:g}", 0.0)
    if result in score.counting:
        _explain(case, "failure", "threshold missed", result.sentence)
    elif result.status == "not_evaluated":
        ET.SubElement(case, "skipped", {"message": xml(result.sentence)})
    return case


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
        "skipped": str(sum(1 for _ in element.iter("skipped"))),
        "time": f"{sum(float(case.attrib['time']) for case in cases):.3f}",
    }
