"""What must hold, as numbers, in one table. A figure without an entry is information.

The keys are those of figures, the numbers those that issue and documentation promise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bench.figure import Figure

Verdict = Literal["met", "missed", ""]


@dataclass(frozen=True, slots=True)
class Target:
    """At most `limit`, or at least where `at_least`; `goal` is what would be better still."""

    limit: float
    at_least: bool = False
    goal: float | None = None

    @property
    def words(self) -> str:
        """The target in a few characters."""
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {self.limit:g}" + (f" (goal {self.goal:g})" if self.goal else "")

    def met_by(self, value: float) -> bool:
        """Tell whether a value is on the right side; exactly the limit is."""
        return value >= self.limit if self.at_least else value <= self.limit


_RATE: Final = Target(0.75, at_least=True, goal=0.85)
_LOOK: Final = Target(1 / 50)
_FLAT: Final = Target(1.25)
_RSS_16: Final = Target(150.0)
_RSS_64: Final = Target(250.0)

TARGETS: Final[Mapping[str, Target]] = {
    "startup.help": Target(1.6),
    "startup.gate-one, known store": Target(4.0),
    "startup.gate-one, new store": Target(4.0),
    "gate.full, 10,000 bundles": Target(6.0),
    "gate.library": Target(2.0),
    "gate.flat, 10,000 beside 1,000": _FLAT,
    "findings.four checks": Target(1.8),
    "throughput.script, c=4": _RATE,
    "throughput.script, c=16": _RATE,
    "cpu.orchestrator, script": Target(0.25),
    "memory_agents.c=16, orchestrator": _RSS_16,
    "memory_agents.c=16, with workers": _RSS_16,
    "memory_agents.c=64, orchestrator": _RSS_64,
    "memory_agents.c=64, with workers": _RSS_64,
    "memory_gate.growth a bundle": Target(5.0),  # KiB: 5 MiB over 1,000 bundles
    "memory_gate.open files a bundle": Target(0.01),
    "overhead.1 s a turn, c=1": Target(0.4),
    "overhead.1 s a turn, c=8": Target(0.4),
    "ready.first answer": Target(1.2),
    "tools.read 1 KB": _LOOK,
    "tools.read 1 MB, its end": _LOOK,
    "tools.list 10 files": _LOOK,
    "tools.list 10,000 files": _LOOK,
    "tools.search 1 MB": Target(1 / 10),
    "peer_inspect.c=4": Target(10.0, at_least=True),
    "peer_inspect.c=16": Target(10.0, at_least=True),
}


def verdict(figure: Figure, targets: Mapping[str, Target]) -> Verdict:
    """Return whether a figure meets its target; empty when it has none."""
    target = targets.get(figure.key)
    if target is None:
        return ""
    return "met" if target.met_by(figure.value) else "missed"
