"""Gate-only over many small bundles, beside a plain loop that reads, hashes and parses the same.

The whole process counts: start-up, discovery, private copies, digests, checks, stored verdicts and
the printed records. From runs of 10, 100 and 1,000 follows whether a bundle costs the same in each.
"""

import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

import bench
from bench import floors
from bench.context import Context
from bench.figure import Figure
from bench.material import PRECHECKS, kept_bundles, write_gate_rule
from bench.product import quietly
from bench.rounds import interleaved
from judge_prechecks import Gate

_COUNTS = (10, 100, 1_000, 10_000)
_QUICK_COUNTS = (10, 100, 300)
_LIBRARY = 1_000
_KEPT = Path(bench.__file__).parent / ".material"


def measure(context: Context) -> Iterator[Figure]:
    """Yield the library first, which is short, then whole runs from few bundles to many."""
    counts = _QUICK_COUNTS if context.quick else _COUNTS
    bundles = kept_bundles(_KEPT, counts[-1])
    rule = write_gate_rule(context.place / "rule.json")
    few = [str(path) for path in sorted(bundles.iterdir())[:_LIBRARY]]
    floors.read_hash_parse(bundles)  # both sides find the files in memory
    yield context.compare(
        "gate.library",
        unit="s",
        against="walk, parse, check",
        product=partial(_library, few),
        floor=partial(_plain, few),
        note=f"{len(few):,} bundles",
    )
    yield from _whole_runs(context, bundles, rule, counts)


def _whole_runs(
    context: Context, bundles: Path, rule: Path, counts: tuple[int, ...]
) -> Iterator[Figure]:
    small = interleaved(
        {str(n): partial(quietly, bundles, rule, context.place, count=n) for n in counts[:-1]},
        context.budget,
        rounds=context.rounds,
    )
    most = counts[-1]
    whole = context.compare(
        f"gate.full, {most:,} bundles",
        unit="s",
        against="read, hash, parse",
        product=partial(quietly, bundles, rule, context.place, count=most),
        floor=partial(floors.timed_loop, bundles),
    )
    yield whole
    seconds = {int(count): median(times) for count, times in small.items()}
    yield from _marginal({**seconds, most: median(whole.product)})


def _marginal(seconds: dict[int, float]) -> Iterator[Figure]:
    """Yield what each further bundle costs between two sizes of a run, and how that changes."""
    costs = [
        (many, (seconds[many] - seconds[few]) / (many - few))
        for few, many in pairwise(sorted(seconds))
    ]
    for many, cost in costs:
        yield Figure(f"gate.each further, to {many:,}", "ms", (cost * 1e3,))
    (before, cheaper), (last, cost) = costs[-2:]
    yield Figure(
        f"gate.flat, {last:,} beside {before:,}",
        "ms",
        (cost * 1e3,),
        (cheaper * 1e3,),
        f"{before:,}",
    )


def _library(bundles: list[str]) -> float:
    gate = Gate.parse(PRECHECKS)
    begun = time.perf_counter()
    held = [all(outcome.held for outcome in gate.run(bundle)) for bundle in bundles]
    return _all_held(held, begun)


def _plain(bundles: list[str]) -> float:
    begun = time.perf_counter()
    held = [floors.check(bundle) for bundle in bundles]
    return _all_held(held, begun)


def _all_held(held: list[bool], begun: float) -> float:
    took = time.perf_counter() - begun
    if not all(held):
        raise AssertionError("every gate should hold")
    return took
