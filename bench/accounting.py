"""The processor time of everything that one engine starts, exactly.

An engine's shims leave its process tree, so no walk through /proc finds all that it did. A control
group does: whatever is started by its members stays in it. The containers' own processes do not count,
since an engine puts them into groups of their own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.context import SkippedError

_ROOTS: Final = (
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e9),
    (Path("/sys/fs/cgroup"), "cpu.stat", 1e6),
)
"""Control groups of version 1 and 2: where, the file that counts, its units in a second."""


@dataclass(frozen=True, slots=True)
class Account:
    """One control group."""

    folder: Path
    counter: str
    units: float

    @property
    def cpu_s(self) -> float:
        """Seconds of processor time so far, of members that have ended too."""
        text = (self.folder / self.counter).read_text().split()
        return int(text[1] if self.counter == "cpu.stat" else text[0]) / self.units

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Have this process in the group for a moment, so that what it starts is born there."""
        self._put(self.folder)
        try:
            yield
        finally:
            self._put(self.folder.parent)

    def _put(self, group: Path) -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))


@contextmanager
def account(name: str) -> Iterator[Account]:
    """Make a control group beside the root; skips the section where that is not allowed."""
    root, counter, units = next(one for one in _ROOTS if (one[0] / one[1]).exists())
    folder = root / f"{name}-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        raise SkippedError(f"no control group can be made here: {error.strerror}") from error
    try:
        yield Account(folder, counter, units)
    finally:
        folder.rmdir()
