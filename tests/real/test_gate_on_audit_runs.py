"""The gate on six real output folders of a penetration-testing agent, real faults included."""

import os
from pathlib import Path
from typing import Any, Final

import pytest

from judge_prechecks import Gate, Outcome

RUNS: Final = Path(__file__).parents[3] / "shared" / "data" / "audit-runs"
ABSENT: Final = f"the real audit runs are not at {RUNS}"
PREFIX: Final = "benchmark-"
NAMES: Final = (
    "XBEN-001-24-mhdq2e1h",
    "XBEN-004-24-mhm9gmmb",
    "XBEN-012-24-mhey9ffq",
    "XBEN-019-24-mht8ykib",
    "XBEN-064-24-mhp3igeg",
    "XBEN-075-24-mhp4u83c",
)
BROKEN: Final = "subagents/pentest-4-benchmark-XBEN-075-24-mhp4u83c/messages.json"
TOTAL: Final = {"file": "comparison-results.json", "field": "totalActual"}


@pytest.fixture
def runs() -> Path:
    if not RUNS.is_dir():
        print(f"skipped: {ABSENT}")
        pytest.skip(ABSENT)
    found = tuple(sorted(path.name.removeprefix(PREFIX) for path in RUNS.iterdir()))
    if found != NAMES and os.environ.get("CI") != "true":
        pytest.skip(f"other runs than these six are at {RUNS}")
    assert found == NAMES
    return RUNS


def on(runs: Path, spec: dict[str, Any]) -> dict[str, Outcome]:
    """Return the outcome of one precheck for each run, by the run's number."""
    gate = Gate.parse([spec])
    return {name[5:8]: gate.run(runs / (PREFIX + name))[0] for name in NAMES}


def failed(outcomes: dict[str, Outcome]) -> list[str]:
    return [number for number, outcome in outcomes.items() if not outcome.held]


def test_only_the_run_without_a_report_has_no_complete_one(runs: Path) -> None:
    outcomes = on(runs, {"type": "file_complete", "path": "pentest-report.md"})
    assert failed(outcomes) == ["001"]
    assert outcomes["001"].message == "pentest-report.md was not found"


def test_the_one_broken_json_file_is_named_with_line_and_column(runs: Path) -> None:
    outcomes = on(runs, {"type": "json_valid", "path": "**/*.json"})
    assert failed(outcomes) == ["075"]
    assert outcomes["075"].file == BROKEN
    assert f"1 of 28 files is not valid JSON: {BROKEN}: line 562 column 2: " in (
        outcomes["075"].message
    )
    assert outcomes["001"].details == ("0 files matched",)


def test_the_number_of_findings_in_the_session_never_agrees(runs: Path) -> None:
    left = {"file": "session.json", "field": "totalFindings"}
    outcomes = on(runs, {"type": "count_equals", "left": left, "right": TOTAL})
    assert failed(outcomes) == list(outcomes)
    for number, stated in (("004", 6), ("012", 9), ("019", 8)):
        assert outcomes[number].message == (
            "left is 0 (session.json: totalFindings), "
            f"right is {stated} (comparison-results.json: totalActual)"
        )
    assert outcomes["064"].message == (
        "left: session.json was not found; right: 3 (comparison-results.json: totalActual)"
    )
    assert outcomes["075"].message == (
        "left: 0 (session.json: totalFindings); right: comparison-results.json was not found"
    )
    assert outcomes["001"].message == (
        "left: session.json was not found; right: comparison-results.json was not found"
    )


def test_a_null_among_the_results_is_named_by_its_index(runs: Path) -> None:
    spec = {
        "type": "field_any_non_empty",
        "file": "benchmark_results.json",
        "array": "actualResults",
        "fields": ["title", "location"],
    }
    outcomes = on(runs, spec)
    assert failed(outcomes) == ["001", "004", "019"]
    for number in ("004", "019"):
        assert outcomes[number].details == ("item 0 is null",)
        assert outcomes[number].observed == [0]
    assert outcomes["001"].message == "benchmark_results.json was not found"
    assert outcomes["075"].details == ("0 items checked",)


def test_findings_on_disk_are_as_many_as_stated_except_once(runs: Path) -> None:
    left = {"files": "findings/*.json"}
    outcomes = on(runs, {"type": "count_equals", "left": left, "right": TOTAL})
    assert failed(outcomes) == ["001", "004", "075"]
    assert outcomes["004"].message == (
        "left is 7 (7 files matching findings/*.json), "
        "right is 6 (comparison-results.json: totalActual)"
    )
    for number in ("001", "075"):
        assert "right: comparison-results.json was not found" in outcomes[number].message
