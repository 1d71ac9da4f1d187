"""From a bundle on disk to the first answer of a tool about it, beside the same with raw calls.

What a warm slot would give is measured too: a container that runs already and shows an empty folder,
into which the host copies the bundle.
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

from bench.context import Context
from bench.figure import Figure
from bench.material import write_bundles
from bench.raw_engine import RawEngine, engine
from bench.rounds import interleaved
from judge_bundles.sandbox.engine import Engine

_TIMES = 5
_ASKED = ("read_file", {"path": "report.md"})


def measure(context: Context) -> Iterator[Figure]:
    """Yield the product and the warm slot, both beside raw create, attach, start, first answer."""
    bundle = next(write_bundles(context.place / "runs", 1).iterdir())
    slot = context.place / "slot"
    slot.mkdir()
    with (
        engine() as connected,
        RawEngine(connected, bundle) as raw,
        RawEngine(connected, slot) as empty,
    ):
        times = interleaved(
            {
                "raw": partial(_median, partial(_raw_s, raw)),
                "first answer": lambda: asyncio.run(_product_s(connected, bundle)),
                "warm slot": partial(_median, partial(_warm_s, empty, slot, bundle)),
            },
            context.budget,
        )
    for name in ("first answer", "warm slot"):
        note = "not built" if name == "warm slot" else ""
        yield Figure(f"ready.{name}", "s", times[name], times["raw"], "raw", note)


def _median(once: Callable[[], float]) -> float:
    return median(once() for _ in range(_TIMES))


def _raw_s(raw: RawEngine) -> float:
    begun = time.perf_counter()
    with raw.container() as container:
        container.start()
        container.ask(*_ASKED)
        return time.perf_counter() - begun


async def _product_s(connected: Engine, bundle: Path) -> float:
    async def once() -> float:
        begun = time.perf_counter()
        async with connected.sandbox(bundle, run_id="bench", entry_id="bench") as sandbox:
            await sandbox.call(*_ASKED)
            return time.perf_counter() - begun

    return median([await once() for _ in range(_TIMES)])


def _warm_s(empty: RawEngine, slot: Path, bundle: Path) -> float:
    with empty.container() as container:
        container.start()
        begun = time.perf_counter()
        shutil.copytree(bundle, slot, dirs_exist_ok=True)
        container.ask(*_ASKED)
        took = time.perf_counter() - begun
    for path in slot.iterdir():
        path.unlink()
    return took
