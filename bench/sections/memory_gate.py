"""Whether memory and open files stay flat while bundles are gated, one after another."""

from collections.abc import Iterator

from bench.context import Context
from bench.figure import Figure
from bench.material import write_bundles, write_gate_rule
from bench.product import judge
from bench.sampling import growth

_BUNDLES = 1_000
_EVERY_S = 0.02


def measure(context: Context) -> Iterator[Figure]:
    """Yield the growth with each bundle, and the most that was used."""
    count = _BUNDLES
    bundles = write_bundles(context.place / "runs", count)
    rule = write_gate_rule(context.place / "rule.json")
    run = judge(bundles, rule, context.place, "--prechecks-only", count=count, sample_s=_EVERY_S)
    note = f"{count:,} bundles"
    memory = growth(run.samples, count, lambda one: one.resident / 1024)
    yield Figure("memory_gate.growth a bundle", "KiB", (memory,), note=note)
    files = growth(run.samples, count, lambda one: float(one.files))
    yield Figure("memory_gate.open files a bundle", "files", (files,), note=note)
    yield Figure("memory_gate.orchestrator", "MB", (max(s.resident for s in run.samples) / 1e6,))
    yield Figure("memory_gate.with workers", "MB", (max(s.tree for s in run.samples) / 1e6,))
