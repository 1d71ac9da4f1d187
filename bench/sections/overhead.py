"""What a bundle takes beyond the time its model takes, in container lives.

Two turns: six looks, then the verdict. What is said of a bundle is the median of those of a run, each
from when it was taken to its verdict. "Whole run" has everything: with `c` bundles at once, the run
divided by the rounds of `c` that it has. A container life is one at a time, measured beside it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from bench.context import Context
from bench.figure import Figure
from bench.material import CALLS, write_agent_rule, write_bundles, write_script
from bench.product import judge
from bench.raw_engine import RawEngine, engine
from bench.rounds import interleaved

_TURNS: Final = 2
_LIVES: Final = 5
_FLOOR: Final = "life"
_CASES: Final = ((1.0, 1, 3), (1.0, 8, 24), (0.2, 1, 6), (0.2, 8, 24))
"""Seconds a turn, bundles at once, bundles in all."""


def measure(context: Context) -> Iterator[Figure]:
    """Yield the overhead of each case; all cases are measured in each round."""
    place = context.place
    bundles = write_bundles(place / "runs", max(count for *_, count in _CASES))
    rule = write_agent_rule(place / "rule.json")
    whole: dict[str, list[float]] = defaultdict(list)

    def case(name: str, script: Path, delay_s: float, concurrency: int, count: int) -> float:
        options = ("--model", f"script:{script}", "-c", str(concurrency), "--fresh")
        run = judge(bundles, rule, place, *options, count=count)
        whole[name].append(run.judging_s * concurrency / count - _TURNS * delay_s)
        return median(run.latencies_s) - _TURNS * delay_s

    with engine() as connected, RawEngine(connected, next(bundles.iterdir())) as raw:
        contestants: dict[str, Callable[[], float]] = {
            _FLOOR: lambda: median(raw.life_s() for _ in range(_LIVES))
        }
        for delay_s, concurrency, count in _CASES:
            name = f"{delay_s:g} s a turn, c={concurrency}"
            path = place / f"script-{delay_s:g}.json"
            script = write_script(path, calls_a_turn=len(CALLS), delay_s=delay_s)
            contestants[name] = partial(case, name, script, delay_s, concurrency, count)
        times = interleaved(contestants, context.budget)
    lives = times.pop(_FLOOR)
    for name, seconds in times.items():
        yield Figure(f"overhead.{name}", "s", seconds, lives, "a container life")
        yield Figure(f"overhead.{name}, whole run", "s", tuple(whole[name]), lives)
