"""What the real tools show and what the host takes as shown are the same, from end to end."""

from pathlib import Path
from typing import Any

import pytest

from judge_bundles.agent.judgement import Judgement
from judge_bundles.rules.model import MustRead
from tests.support.judging import look, quote, run_judge, spec, submit, write_bundle
from tests.support.tool_conformance import PAGES, PDF, PNG

REPORT = "The report is complete.\r\n\r\nSecond line.\r\nThird line.\r\n"
FILES: dict[str, str | bytes] = {
    "report.md": b"\xef\xbb\xbf" + REPORT.encode(),
    "data.json": '{"claim": "all good here", "items": [{"n": 3}, {"n": 4}]}\n',
    "broken.md": "vérifié et résumé ".encode() + b"\xff tail\n",
    "nul.log": b"a line of words\n" * 5 + b"before\0after\n",
    "wide.txt": "eins zwei\ndrei vier\n".encode("utf-16"),
    "p.png": PNG,
    "two.pdf": PAGES,
    "unknown.pdf": PDF,
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "b", FILES)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{tool: arguments}]}


def judged(bundle: Path, turn: dict[str, Any], *evidence: dict[str, Any], **rule: Any) -> Judgement:
    return run_judge(
        bundle, turn, submit(evidence=list(evidence)) | {"repeat": 9}, rule=spec(**rule)
    )


def outcome(judgement: Judgement) -> str:
    error = judgement.result.error
    return error.kind if error else judgement.result.status


@pytest.mark.parametrize(
    ("turn", "evidence", "expected"),
    [
        (look(path="broken.md"), quote("vérifié et résumé", 1, "broken.md"), "pass"),
        (look(path="broken.md"), quote("résumé \\xff tail", 1, "broken.md"), "pass"),
        (look(path="nul.log"), quote("before␀after", 6, "nul.log"), "pass"),
        (look(path="wide.txt"), quote("zwei drei", 1, "wide.txt"), "pass"),
        (
            call("search_files", pattern="line", glob="report.md"),
            quote("Second line.\nThird line.", 3),
            "pass",
        ),
        (
            call("search_files", pattern="Second", glob="report.md"),
            quote("Second line.\nThird line.", 3),
            "ungrounded",
        ),
        (
            call("json_query", path="data.json", query="claim"),
            quote('"all good here"', 1, "data.json"),
            "pass",
        ),
        (
            call("json_query", path="data.json", query='["all good here"]'),
            quote("all good here", 1, "data.json"),
            "uninspected",
        ),
        (
            call("json_query", path="data.json", query='items[*]["all good here"]'),
            quote("all good here", 1, "data.json"),
            "uninspected",
        ),
        (
            call("json_query", path="data.json", query="items[*].n"),
            quote("all good here", 1, "data.json"),
            "ungrounded",
        ),
        (
            call("search_files", pattern="The report is complete[^.]"),
            quote("The report is complete."),
            "uninspected",
        ),
        (call("list_files"), quote("The report is complete."), "uninspected"),
        (call("file_info", path="report.md"), quote("The report is complete."), "uninspected"),
        (call("view_media", path="p.png"), {"file": "p.png", "page": 1}, "pass"),
        (call("view_media", path="p.png"), {"file": "p.png", "page": 777}, "ungrounded"),
        (call("view_media", path="two.pdf"), {"file": "two.pdf", "page": 2}, "pass"),
        (call("view_media", path="two.pdf"), {"file": "two.pdf", "page": 3}, "ungrounded"),
        (call("view_media", path="unknown.pdf"), {"file": "unknown.pdf", "page": 1}, "pass"),
        (call("view_media", path="unknown.pdf"), {"file": "unknown.pdf", "page": 2}, "ungrounded"),
    ],
)
def test_only_what_a_tool_showed_grounds_a_pass(
    bundle: Path, turn: dict[str, Any], evidence: dict[str, Any], expected: str
) -> None:
    assert outcome(judged(bundle, turn, evidence)) == expected


def test_the_policy_flag_lets_no_pass_stand_on_nothing(bundle: Path) -> None:
    assert outcome(judged(bundle, look(), evidence="flag")) == "ungrounded"
    listing = judged(bundle, call("list_files"), quote("anything at all"), evidence="flag")
    assert outcome(listing) == "uninspected"


@pytest.mark.parametrize(("pattern", "expected"), [(".*", "pass"), (".+", "unread")])
def test_a_file_is_read_by_a_search_that_showed_all_of_it(
    bundle: Path, pattern: str, expected: str
) -> None:
    # An empty line does not match the second pattern, so it was not shown.
    search = call("search_files", pattern=pattern, glob="report.md")
    must = (MustRead("report.md"),)
    grounded = quote("The report is complete.")
    assert outcome(judged(bundle, search, grounded, must_read=must)) == expected
