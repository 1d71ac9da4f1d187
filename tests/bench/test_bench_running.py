"""Sections are on their own: one that breaks or cannot run costs no other."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bench import report
from bench.budget import Budget
from bench.context import Context, SkippedError
from bench.figure import Figure
from bench.running import Outcome, run
from bench.sections import Section
from bench.targets import Target


def well(context: Context) -> Iterator[Figure]:
    (context.place / "file").write_text("x")
    yield Figure("well.a", "s", (1.0, 1.0, 1.0), (2.0, 2.0, 2.0), "floor")


def broken(_: Context) -> Iterator[Figure]:
    yield Figure("broken.a", "s", (1.0,))
    raise RuntimeError("half way")


def elsewhere(_: Context) -> Iterator[Figure]:
    yield from ()
    raise SkippedError("no engine here")


@pytest.fixture
def outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """What four sections came to, the first of which cannot be imported."""
    for measure in (well, broken, elsewhere):
        module = ModuleType(measure.__name__)
        module.__dict__["measure"] = measure
        monkeypatch.setitem(sys.modules, f"bench.sections.{measure.__name__}", module)
    names = ("absent", "broken", "elsewhere", "well")
    sections = [Section(name, 60, engine=False) for name in names]
    outcomes = run(sections, Budget(60), tmp_path, quick=True, say=lambda _: None)
    assert list(tmp_path.iterdir()) == []
    return outcomes


def test_what_goes_wrong_in_a_section_costs_no_other(outcomes: list[Outcome]) -> None:
    assert [(one.section, one.state, len(one.figures)) for one in outcomes] == [
        ("absent", "broken", 0),
        ("broken", "broken", 1),
        ("elsewhere", "skipped", 0),
        ("well", "measured", 1),
    ]
    assert outcomes[1].reason == "RuntimeError: half way"
    assert "half way" in outcomes[1].detail
    assert outcomes[2].reason == "no engine here"


def test_a_section_without_time_is_skipped_with_that_reason(tmp_path: Path) -> None:
    (outcome,) = run(
        [Section("gate", 60, engine=False)], Budget(0), tmp_path, quick=True, say=lambda _: None
    )

    assert (outcome.state, outcome.reason) == ("skipped", "no time was left for it")


def test_the_table_has_every_figure_and_every_reason(outcomes: list[Outcome]) -> None:
    data = report.as_data({"cores": 2}, outcomes, {"well.a": Target(0.4)})

    assert report.missed(data) == ["well.a"]
    rows = {row[0]: row for row in report.rows(data)}
    assert rows["well.a"][1:7] == ("1.00 s", "2.00 s", "0.5", "0.5–0.5", "≤ 0.4", "missed")
    assert rows["elsewhere.*"][-1] == "skipped: no engine here"
    text, markdown = report.as_text(data), report.as_markdown(data)
    assert all(key in text and f"| {key} |" in markdown for key in rows)


def test_few_rounds_are_said() -> None:
    figure = Figure("a.b", "s", (1.0, 1.0), (1.0, 1.0), "floor")
    data = report.as_data({}, [Outcome("a", "measured", (figure,), 1.0)], {})

    assert data["sections"][0]["figures"][0]["note"] == "2 of 3 rounds"


def test_a_target_that_was_not_measured_is_known() -> None:
    data = report.as_data({}, [Outcome("ready", "skipped", (), 0.0, "no engine")], {})

    assert report.absent(data) == ["ready.first answer"]
