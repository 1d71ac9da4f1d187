"""Who started a container, as labels, and whether that process is still there.

A process id alone says little: it is used again, means another process in another PID namespace,
and nothing after a restart of the machine. So the labels also carry the start time of the process,
its namespace with the host's name, and the identity of the boot.
"""

import hashlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

RUN: Final = "judge-bundles.run"
ENTRY: Final = "judge-bundles.entry"
HOST: Final = "judge-bundles.host"
PROCESS: Final = "judge-bundles.pid"
STARTED: Final = "judge-bundles.started"
BOOT: Final = "judge-bundles.boot"

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process of one boot of one machine."""

    host: str
    pid: int
    started: str
    boot: str

    @classmethod
    def this_process(cls) -> Self:
        """Return this very process."""
        pid = os.getpid()
        return cls(_host(), pid, _started(pid) or "", _boot())

    def labels(self, run_id: str, entry_id: str) -> dict[str, str]:
        """Labels for a container of that run and bundle; the bundle's name stays out of them."""
        return {
            RUN: run_id,
            ENTRY: hashlib.sha256(entry_id.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            HOST: self.host,
            PROCESS: str(self.pid),
            STARTED: self.started,
            BOOT: self.boot,
        }


def is_dead(labels: Mapping[str, str]) -> bool:
    """Tell whether a container's owner is certainly gone; false where this process cannot know."""
    if labels.get(BOOT, "") != _boot():
        # The engine is on this machine, and so was every owner.
        return BOOT in labels
    if labels.get(HOST) != _host():
        return False
    pid = labels.get(PROCESS, "")
    return pid.isascii() and pid.isdigit() and _started(int(pid)) != labels.get(STARTED)


def _host() -> str:
    return f"{socket.gethostname()} {(_PROC / 'self/ns/pid').readlink()}"


def _boot() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()


def _started(pid: int) -> str | None:
    """Return the start time in clock ticks after boot, or None when there is no such process."""
    try:
        status = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses and may itself hold anything.
    return status.rpartition(")")[2].split()[19]
