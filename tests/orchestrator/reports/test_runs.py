import io

import pytest

from judge_bundles.reports.runs import NARROW_COLUMNS, print_runs
from judge_bundles.reports.style import console
from judge_bundles.store.records import RuleName, RunCounts, RunRecord
from tests.support.reports import HOSTILE, Terminal, ci_commands


def run(**changes: object) -> RunRecord:
    values: dict[str, object] = {
        "run_id": "20261130-233912-bur5",
        "name": None,
        "status": "completed",
        "created_at": "",
        "finished_at": None,
        "sources": ("/audits/runs",),
        "rules": (RuleName("storefront", "sha256:0"),),
        "options": {},
        "counts": RunCounts(5, passed=1, failed=2, errored=1, cost_usd=0.5),
        "tool_version": "0",
    }
    return RunRecord(**values | changes)  # type: ignore[arg-type]  # a table of changes


def shown(*runs: RunRecord, width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    print_runs(console(stream, color=False), runs)
    return stream.getvalue()


@pytest.mark.parametrize("width", [60, 80, NARROW_COLUMNS - 1, NARROW_COLUMNS, 200])
def test_a_run_is_recognised_and_whole_at_every_width(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shown(run(), width=width, monkeypatch=monkeypatch)
    for expected in ("20261130-233912-bur5", "completed", "$0.5000", "storefront", "/audits/runs"):
        assert expected in text
    assert max(len(line) for line in text.split("\n")) <= width


def test_the_columns_are_named_after_what_they_hold() -> None:
    stream = io.StringIO()
    print_runs(console(stream), [run()])
    heading, _, row, *_ = stream.getvalue().split("\n")
    assert heading.split() == [
        "run", "status", "passed", "failed", "errors", "pending", "cost", "rules", "sources",
    ]  # fmt: skip
    assert row.split()[2:6] == ["1", "2", "1", "1"]


@pytest.mark.parametrize("width", [80, 200])
def test_hostile_names_are_harmless(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = run(sources=(HOSTILE, "x" * 70 + " ::error::y"), rules=(RuleName(HOSTILE, "d"),))
    text = shown(hostile, width=width, monkeypatch=monkeypatch)
    assert "\x1b" not in text
    assert not ci_commands(text)
