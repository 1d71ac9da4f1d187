"""Processor time of the product for each bundle, beside that of the engine for each container life.

On an engine of its own, whose every process is counted: daemon, containerd, shims, runc. The product
counts with its worker processes, from the first bundle taken to the last verdict.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from bench.accounting import Account, account
from bench.context import Context, SkippedError
from bench.figure import Figure
from bench.material import write_agent_rule, write_bundles, write_script
from bench.model_server import MODEL, model_server
from bench.product import judge
from bench.raw_engine import RawEngine, engine
from bench.rounds import interleaved
from tests.support.private_engine import missing, private_engine

_COUNT: Final = 48
_AT_ONCE: Final = 4


def measure(context: Context) -> Iterator[Figure]:
    """Yield the scripted model in the process and the one behind HTTP."""
    if (problem := missing()) is not None:
        raise SkippedError(f"no engine of its own: {problem}")
    place = context.place
    bundles = write_bundles(place / "runs", _COUNT)
    rule = write_agent_rule(place / "rule.json")
    script = write_script(place / "script.json")
    with ExitStack() as stack:
        group = stack.enter_context(account("judge-bundles-bench"))
        with group.joined():
            own = stack.enter_context(private_engine({}))
        connected = stack.enter_context(engine(own.address))
        raw = stack.enter_context(RawEngine(connected, next(bundles.iterdir())))
        served = stack.enter_context(model_server()) | {"DOCKER_HOST": own.address}
        once = partial(_each_s, bundles, rule, place)
        times = interleaved(
            {
                "life": partial(_life_s, raw, group),
                "script": partial(once, f"script:{script}", {"DOCKER_HOST": own.address}),
                "http": partial(once, MODEL, served),
            },
            context.budget,
        )
    for name in ("script", "http"):
        yield Figure(
            f"cpu.orchestrator, {name}", "s", times[name], times["life"], "the engine's for a life"
        )


def _life_s(raw: RawEngine, group: Account) -> float:
    before = group.cpu_s
    raw.rate(_COUNT, _AT_ONCE)
    return (group.cpu_s - before) / _COUNT


def _each_s(bundles: Path, rule: Path, place: Path, model: str, env: dict[str, str]) -> float:
    options = ("--model", model, "-c", str(_AT_ONCE), "--fresh")
    return judge(bundles, rule, place, *options, count=_COUNT, env=env).judging_cpu_s / _COUNT
