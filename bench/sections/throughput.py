"""Bundles per second with six tool calls each and a model that answers at once.

Beside container lives per second at the same concurrency: the engine alone, without any judging. The
product counts from the first bundle taken to the last verdict stored; start-up has its own section.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from bench.budget import Budget
from bench.context import Context, SkippedError
from bench.figure import Figure
from bench.material import write_agent_rule, write_bundles, write_script
from bench.model_server import MODEL, model_server
from bench.product import judge
from bench.raw_engine import RawEngine, engine
from bench.rounds import interleaved

_FLOOR: Final = "lives"
_COUNTS: Final = {4: 48, 16: 64, 1: 16, 64: 128}
"""How many bundles for each concurrency; first those that a target is about."""
_LEAST_S: Final = {4: 0.0, 16: 10.0, 1: 8.0, 64: 30.0}
"""One round of each takes about so long on two cores."""
_MOST: Final = max(_COUNTS.values())


def measure(context: Context) -> Iterator[Figure]:
    """Yield for each concurrency the scripted model in the process, and one behind HTTP."""
    place = context.place
    bundles = write_bundles(place / "runs", _MOST)
    rule = write_agent_rule(place / "rule.json")
    script = write_script(place / "script.json")
    with ExitStack() as stack:
        connected = stack.enter_context(engine())
        raw = stack.enter_context(RawEngine(connected, next(bundles.iterdir())))
        served = stack.enter_context(model_server())
        for concurrency, count in _COUNTS.items():
            if context.budget.left < _LEAST_S[concurrency]:
                raise SkippedError(f"no time was left for c={concurrency}")
            once = partial(_rate, bundles, rule, place, concurrency, count)
            contestants: dict[str, Callable[[], float]] = {
                _FLOOR: partial(raw.rate, count, concurrency),
                "script": partial(once, f"script:{script}", {}),
                "http": partial(once, MODEL, served),
            }
            rates = interleaved(contestants, _share(context, concurrency))
            for name in ("script", "http"):
                yield Figure(
                    f"throughput.{name}, c={concurrency}",
                    "bundles/s",
                    rates[name],
                    rates[_FLOOR],
                    "container lives",
                    f"{count} bundles",
                )


def _share(context: Context, concurrency: int) -> Budget:
    """Return the part of the time left that this concurrency may have."""
    left = list(_COUNTS)[list(_COUNTS).index(concurrency) :]
    share = _COUNTS[concurrency] / sum(_COUNTS[one] for one in left)
    return context.budget.part(context.budget.left * share)


def _rate(
    bundles: Path,
    rule: Path,
    place: Path,
    concurrency: int,
    count: int,
    model: str,
    env: dict[str, str],
) -> float:
    options = ("--model", model, "-c", str(concurrency), "--fresh")
    return count / judge(bundles, rule, place, *options, count=count, env=env).judging_s
