"""Look at a running process from time to time, and find out whether it grows with its work."""

import statistics
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from bench import procfs

_WARM: Final = 0.2
"""The share of the work after which a process that is sound has what it needs."""
_LEAST_SAMPLES: Final = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process had after so many verdicts; `tree` counts its children too. Bytes."""

    judged: int
    resident: int
    tree: int
    files: int


@dataclass(slots=True)
class Sampler:
    """`judged` is counted up by whoever reads the events."""

    samples: list[Sample] = field(default_factory=list)
    judged: int = 0

    def look(self, pid: int) -> None:
        """Take one sample, unless the process is gone already."""
        resident = procfs.resident_bytes(pid)
        if resident:
            tree = procfs.proportional_bytes(procfs.tree(pid))
            files = procfs.open_files(pid)
            self.samples.append(Sample(self.judged, resident, tree, files))


@contextmanager
def sampled(pid: int, every_s: float | None) -> Iterator[Sampler]:
    """Sample a process in the background; not at all without an interval."""
    sampler, ended = Sampler(), threading.Event()

    def look_on() -> None:
        while not ended.wait(every_s):
            sampler.look(pid)

    thread = threading.Thread(target=look_on)
    if every_s is not None:
        thread.start()
    try:
        yield sampler
    finally:
        ended.set()
        if every_s is not None:
            thread.join()


def growth(samples: Sequence[Sample], count: int, amount: Callable[[Sample], float]) -> float:
    """Return by how much an amount grows with each verdict, once the process is warm.

    `count` is how many verdicts there are in all. Raises `ValueError` with too few samples.
    """
    warm = [one for one in samples if _WARM * count <= one.judged < count]
    if len({one.judged for one in warm}) < _LEAST_SAMPLES:
        raise ValueError(f"only {len(warm)} samples of a warm process: judge more bundles")
    slope, _ = statistics.linear_regression(
        [one.judged for one in warm], [amount(one) for one in warm]
    )
    return slope
