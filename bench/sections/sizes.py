"""What one bundle costs by its size, gate-only, beside reading and hashing the same files.

From the first bundle taken to the last verdict: start-up is left out here, since it would hide what
a small bundle costs.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench import floors
from bench.context import Context
from bench.figure import Figure
from bench.material import write_bundles, write_gate_rule
from bench.product import judge

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_PART: Final = 50 * _MIB
"""The largest file; more is several files, since one file has its own limit."""
_SIZES: Final = (
    ("1 KB", 1 * _KIB, 100),
    ("1 MB", 1 * _MIB, 30),
    ("50 MB", 50 * _MIB, 2),
    ("250 MB", 250 * _MIB, 1),
)
"""What is added to a bundle, and how many such bundles are judged at once."""


def measure(context: Context) -> Iterator[Figure]:
    """Yield seconds for all bundles of one size."""
    rule = write_gate_rule(context.place / "rule.json")
    for name, size, count in _SIZES[:2] if context.quick else _SIZES:
        bundles = write_bundles(context.place / name.replace(" ", ""), count)
        for bundle in bundles.iterdir():
            _grow(bundle, size)
        yield context.compare(
            f"sizes.{name}",
            unit="s",
            against="read, hash, parse",
            product=partial(_judging_s, bundles, rule, context.place, count),
            floor=partial(floors.timed_loop, bundles),
            note=f"{count} at once" if count > 1 else "",
        )


def _grow(bundle: Path, size: int) -> None:
    line = b"A line of a log that nobody is going to read, 64 bytes of it. \n\n"
    for number in range(-(-size // _PART)):
        wanted = min(_PART, size - number * _PART)
        (bundle / f"log{number}.txt").write_bytes((line * (wanted // len(line) + 1))[:wanted])


def _judging_s(bundles: Path, rule: Path, place: Path, count: int) -> float:
    return judge(bundles, rule, place, "--prechecks-only", count=count).judging_s
