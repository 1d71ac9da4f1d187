"""What is measured. Each section is a module with a function `measure`, imported when its turn comes.

So a section that cannot even be imported costs its own figures only.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Section:
    """`seconds` is its share of the time; `engine` says that it needs a container engine."""

    name: str
    seconds: float
    engine: bool

    @property
    def module(self) -> str:
        """Where its `measure` is."""
        return f"bench.sections.{self.name}"


# Those with one round that matters come first; the last takes what the others leave.
SECTIONS: Final = (
    Section("startup", 35, engine=False),
    Section("findings", 15, engine=False),
    Section("gate", 135, engine=False),
    Section("sizes", 25, engine=False),
    Section("memory_gate", 10, engine=False),
    Section("ready", 15, engine=True),
    Section("tools", 20, engine=True),
    Section("cpu", 40, engine=True),
    Section("memory_agents", 40, engine=True),
    Section("overhead", 75, engine=True),
    Section("throughput", 230, engine=True),
)
PEERS: Final = {"inspect": Section("peer_inspect", 900, engine=True)}
"""On demand only, and with time of their own: building their environment alone takes minutes."""
TOTAL_SECONDS: Final = 580.0
"""For everything but peers."""
