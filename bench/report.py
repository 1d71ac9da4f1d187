"""Results as a table for people, as JSON for machines, and as Markdown for the documentation.

`python -m bench.report FILE` prints the Markdown of a kept result.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.figure import Figure
from bench.rounds import ROUNDS
from bench.running import Outcome
from bench.targets import TARGETS, Target, verdict

COLUMNS: Final = ("figure", "product", "floor", "ratio", "spread", "target", "", "note")
Row = tuple[str, ...]


def as_data(
    machine: Mapping[str, Any], outcomes: Iterable[Outcome], targets: Mapping[str, Target]
) -> dict[str, Any]:
    """Return everything that was found, ready for JSON."""
    return {
        "machine": dict(machine),
        "sections": [
            {
                "name": outcome.section,
                "state": outcome.state,
                "seconds": round(outcome.seconds, 1),
                "reason": outcome.reason,
                "detail": outcome.detail,
                "figures": [_figure(figure, targets) for figure in outcome.figures],
            }
            for outcome in outcomes
        ],
    }


def _figure(figure: Figure, targets: Mapping[str, Target]) -> dict[str, Any]:
    target = targets.get(figure.key)
    return {
        "key": figure.key,
        "unit": figure.unit,
        "product": figure.product,
        "floor": figure.floor,
        "against": figure.against,
        "ratio": figure.value if figure.floor else None,
        "spread": figure.spread,
        "target": target.words if target else None,
        "verdict": verdict(figure, targets),
        "note": _note(figure),
    }


def _note(figure: Figure) -> str:
    few = (
        len(figure.product) < ROUNDS
        and bool(figure.floor)
        and not figure.key.startswith("gate.flat")
    )
    rounds = f"{len(figure.product)} of {ROUNDS} rounds" if few else ""
    return "; ".join(part for part in (figure.note, rounds) if part)


def rows(data: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the cells of each figure, in the order of `COLUMNS`, and of what was not measured."""
    for section in data["sections"]:
        for figure in section["figures"]:
            yield _cells(figure)
        if section["state"] != "measured":
            said = f"{section['state']}: {section['reason']}"
            yield (f"{section['name']}.*", "", "", "", "", "", "", said)


def _cells(figure: Mapping[str, Any]) -> Row:
    low, high = figure["spread"]
    floor = _amount(figure["floor"], figure["unit"]) if figure["floor"] else ""
    spread = f"{_short(low)}–{_short(high)}" if len(figure["product"]) > 1 else ""
    against = f"beside {figure['against']}" if figure["against"] else ""
    note = "; ".join(part for part in (against, figure["note"]) if part)
    ratio = "" if figure["ratio"] is None else _short(figure["ratio"])
    product = _amount(figure["product"], figure["unit"])
    return (
        figure["key"], product, floor, ratio, spread, figure["target"] or "", figure["verdict"], note
    )  # fmt: skip


def _amount(values: Sequence[float], unit: str) -> str:
    value = median(values)
    return f"{_short(value * 1e3)} ms" if unit == "s" and value < 1 else f"{_short(value)} {unit}"


def _short(value: float) -> str:
    """Return a number with three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return (
        f"{value:.1f}"
        if abs(value) >= 10
        else f"{value:.2f}"
        if abs(value) >= 1
        else f"{value:.3g}"
    )


def as_text(data: Mapping[str, Any]) -> str:
    """Return the table with aligned columns."""
    table = [COLUMNS, *rows(data)]
    widths = [max(len(row[column]) for row in table) for column in range(len(COLUMNS))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
    return "\n".join(lines)


def as_markdown(data: Mapping[str, Any]) -> str:
    """Return the table for a document."""
    head = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
    return "\n".join([head, *(f"| {' | '.join(row)} |" for row in rows(data))])


def missed(data: Mapping[str, Any]) -> list[str]:
    """Return the figures that miss their target."""
    return [
        figure["key"]
        for section in data["sections"]
        for figure in section["figures"]
        if figure["verdict"] == "missed"
    ]


def absent(data: Mapping[str, Any]) -> list[str]:
    """Return the targets for which nothing was measured, of the sections that ran."""
    ran = {section["name"] for section in data["sections"]}
    found = {figure["key"] for section in data["sections"] for figure in section["figures"]}
    return [key for key in TARGETS if key.partition(".")[0] in ran and key not in found]


if __name__ == "__main__":
    print(as_markdown(json.loads(Path(sys.argv[1]).read_bytes())))
