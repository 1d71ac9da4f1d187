"""Tell whether the process that executes a run is still there.

On one kernel the answer is exact: boot, process namespace, id and start time name a process for
good. Across machines only a heartbeat can tell.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_bundles.limits import STORE_HEARTBEAT_STALE_S

_GONE: Final = ("Z", "X", "")  # a zombie runs nothing any more
_STATE, _START_TIME = 0, 19  # fields of /proc/PID/stat, counted after the command's name


@dataclass(frozen=True, slots=True)
class Owner:
    """Who executes a run. `boot`, `namespace` and `started` are empty where /proc is missing."""

    host: str
    pid: int
    boot: str
    namespace: str
    started: str


def this_process() -> Owner:
    """Return the identity of the calling process."""
    return Owner(
        host=os.uname().nodename,
        pid=os.getpid(),
        boot=_boot(),
        namespace=_namespace(),
        started=_status(os.getpid())[1],
    )


def is_alive(owner: Owner, silent_s: float) -> bool:
    """Tell whether `owner`, last heard of `silent_s` seconds ago, still executes its run."""
    if is_here(owner):
        state, started = _status(owner.pid)
        return state not in _GONE and started == owner.started
    return silent_s < STORE_HEARTBEAT_STALE_S


def is_here(owner: Owner) -> bool:
    """Tell whether `owner` is or was a process that this one can see, so that nothing is guessed."""
    return bool(owner.boot) and (owner.boot, owner.namespace) == (_boot(), _namespace())


def _boot() -> str:
    return _read(Path("/proc/sys/kernel/random/boot_id")).strip()


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _status(pid: int) -> tuple[str, str]:
    """Return state and start time of a process, or two empty strings when there is none."""
    # The command's name stands in parentheses and may hold spaces and parentheses itself.
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return (fields[_STATE], fields[_START_TIME]) if len(fields) > _START_TIME else ("", "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
