"""Four checks on one file of 10 MB with 100,000 findings, beside `json.loads` of it."""

import gc
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.context import Context
from bench.figure import Figure
from bench.material import finding
from judge_prechecks import Gate

_FINDINGS: Final = 100_000
_FILES: Final = 20
_CHECKS: Final[list[dict[str, Any]]] = [
    {"type": "json_valid", "path": "findings.json"},
    {
        "type": "count_equals",
        "left": {"file": "findings.json", "len": "findings[*].id"},
        "right": {"file": "findings.json", "field": "total"},
    },
    {
        "type": "field_any_non_empty",
        "file": "findings.json",
        "array": "findings",
        "fields": ["mitigation", "fix"],
    },
    {
        "type": "refs_exist",
        "file": "findings.json",
        "array": "findings",
        "field": "file",
        "in": "bundle",
    },
]


def measure(context: Context) -> Iterator[Figure]:
    """Yield the four together, and each alone."""
    path = _write(context.place, _FINDINGS // 10 if context.quick else _FINDINGS)
    megabytes = path.stat().st_size / 1e6
    for name, items in [("four checks", _CHECKS), *((one["type"], [one]) for one in _CHECKS)]:
        yield context.compare(
            f"findings.{name}",
            unit="s",
            against="json.loads",
            product=partial(_timed, partial(_run, Gate.parse(items), context.place)),
            floor=partial(_timed, lambda: json.loads(path.read_bytes())),
            note=f"{megabytes:.1f} MB",
        )


def _run(gate: Gate, bundle: Path) -> None:
    wrong = [outcome.message for outcome in gate.run(bundle) if not outcome.held]
    if wrong:
        raise AssertionError(f"the gate should hold: {wrong}")


def _timed(work: Callable[[], Any]) -> float:
    gc.collect()  # what the other contestant left is not this one's to clean up
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _write(place: Path, count: int) -> Path:
    names = [f"src/part{number}.py" for number in range(_FILES)]
    (place / "src").mkdir()
    for name in names:
        (place / name).write_text("pass\n")
    findings = [finding(number, names[number % _FILES]) for number in range(count)]
    path = place / "findings.json"
    path.write_text(json.dumps({"total": count, "findings": findings}))
    return path
