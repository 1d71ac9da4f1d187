import json
from pathlib import Path

from judge_bundles import judges
from judge_bundles.agent.injection import Scan
from judge_bundles.draft import SCAN_CUT, Draft
from judge_bundles.rules.load import load_rule
from judge_bundles.verdict import JudgeResult, JudgeStatus, VerdictError


def draft(folder: Path) -> Draft:
    (folder / "rule.json").write_text(json.dumps({"rubric": "x", "model": "m"}))
    return Draft("run", "entry", load_rule(folder / "rule.json"))


def said(status: JudgeStatus, name: str) -> judges.Judged:
    error = VerdictError("timeout", "too late", retryable=True) if status == "error" else None
    return judges.Judged(JudgeResult(name, "agent", status, rationale=f"{name} says", error=error))


def test_an_error_outweighs_a_no_and_a_no_outweighs_a_yes(tmp_path: Path) -> None:
    written = draft(tmp_path)
    for statuses, status, reason in (
        (("pass",), "pass", "a says"),
        (("pass", "pass"), "pass", "a: a says"),
        (("pass", "fail"), "fail", "b: b says"),
        (("fail", "error", "pass"), "error", "b: too late"),
    ):
        spoken = [said(one, name) for one, name in zip(statuses, "abc", strict=False)]  # type: ignore[arg-type]  # a table
        verdict = written.judged((), spoken, Scan((), cut=False))
        assert (verdict.status, verdict.reason) == (status, reason)
        assert (verdict.error is not None) is (status == "error")


def test_a_scan_that_was_cut_is_said(tmp_path: Path) -> None:
    for cut in (False, True):
        verdict = draft(tmp_path).judged((), [said("pass", "a")], Scan((), cut=cut))
        assert (SCAN_CUT in verdict.warnings) is cut
