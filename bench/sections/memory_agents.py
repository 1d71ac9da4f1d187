"""Memory and open files of the product while it judges in containers, 16 and 64 bundles at once."""

from collections.abc import Iterator
from typing import Final

from bench.context import Context, SkippedError
from bench.figure import Figure
from bench.material import write_agent_rule, write_bundles, write_script
from bench.product import judge
from bench.raw_engine import engine
from bench.sampling import growth

_COUNTS: Final = {16: 64, 64: 128}
_EVERY_S: Final = 0.25


def measure(context: Context) -> Iterator[Figure]:
    """Yield the most that was used, and how it grows with each bundle."""
    place = context.place
    bundles = write_bundles(place / "runs", max(_COUNTS.values()))
    rule = write_agent_rule(place / "rule.json")
    model = f"script:{write_script(place / 'script.json')}"
    with engine():  # only to know that there is one
        for concurrency, count in _COUNTS.items():
            if context.budget.spent * 2 > context.budget.left:
                raise SkippedError(f"no time was left for {concurrency} at once")
            options = ("--model", model, "-c", str(concurrency), "--fresh")
            run = judge(bundles, rule, place, *options, count=count, sample_s=_EVERY_S)
            name, note = f"memory_agents.c={concurrency}", f"{count} bundles"
            resident = max(one.resident for one in run.samples) / 1e6
            yield Figure(f"{name}, orchestrator", "MB", (resident,), note=note)
            tree = max(one.tree for one in run.samples) / 1e6
            yield Figure(f"{name}, with workers", "MB", (tree,), note=note)
            grown = growth(run.samples, count, lambda one: one.resident / 1024)
            yield Figure(f"{name}, growth a bundle", "KiB", (grown,), note=note)
            files = growth(run.samples, count, lambda one: float(one.files))
            yield Figure(f"{name}, open files a bundle", "files", (files,), note=note)
