"""Run sections one after the other; what goes wrong in one is said, and costs only that one."""

import importlib
import shutil
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.budget import Budget
from bench.context import Context, Measuring, SkippedError
from bench.figure import Figure
from bench.sections import Section

State = Literal["measured", "skipped", "broken"]
_LEAST_SECONDS = 3.0
"""A section with less time than this would not measure anything."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one section came to; figures measured before it broke are kept."""

    section: str
    state: State
    figures: tuple[Figure, ...]
    seconds: float
    reason: str = ""
    detail: str = ""
    """The traceback of what broke."""


def run(
    sections: Iterable[Section],
    total: Budget,
    place: Path,
    *,
    quick: bool,
    say: Callable[[str], None],
) -> list[Outcome]:
    """Run each section in a folder below `place`, which is removed after it."""
    outcomes = []
    for section in sections:
        say(f"{total.spent:5.0f} s  {section.name}")
        outcome = _run_one(section, total, place / section.name, quick=quick)
        if outcome.reason:
            say(f"         {outcome.state}: {outcome.reason}")
        outcomes.append(outcome)
    return outcomes


def _run_one(section: Section, total: Budget, place: Path, *, quick: bool) -> Outcome:
    budget = total.part(section.seconds)
    figures: list[Figure] = []
    if budget.left < _LEAST_SECONDS:
        return Outcome(section.name, "skipped", (), 0.0, "no time was left for it")
    place.mkdir(parents=True)
    try:
        measure: Measuring = importlib.import_module(section.module).measure
        for figure in measure(Context(place, budget, quick)):
            figures.append(figure)  # noqa: PERF402 - one by one: those before a fault count
    except SkippedError as skipped:
        return Outcome(section.name, "skipped", tuple(figures), budget.spent, str(skipped))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other sections can do without it
        reason = f"{type(error).__name__}: {error}"
        detail = traceback.format_exc()
        return Outcome(section.name, "broken", tuple(figures), budget.spent, reason, detail)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return Outcome(section.name, "measured", tuple(figures), budget.spent)
