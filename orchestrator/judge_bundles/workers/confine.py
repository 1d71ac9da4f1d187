"""Take rights away from the process this runs in. Called once, before the first request is read.

Only what the process can do to itself without privileges. It is a fence around honest code that
works on hostile data, not a jail for hostile code: that is what containers are for.
"""

import ctypes
import os
import resource
import signal
from typing import Final

from judge_bundles.workers.limits import WorkerLimits

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38


def confine(limits: WorkerLimits, parent: int) -> None:
    """Apply the limits, and die with the process `parent`, which started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us decides when work ends
    _die_with(parent)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, limits.memory_bytes)
    _limit(resource.RLIMIT_FSIZE, limits.file_bytes)
    _limit(resource.RLIMIT_NOFILE, limits.open_files)


def allow_cpu(seconds: int) -> None:
    """Let the process use so many more seconds of processor time; past them it is killed."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(used.ru_utime + used.ru_stime) + 1 + seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def peak_memory_bytes() -> int:
    """Return the most memory the process ever had resident; raises `OSError`.

    Not by `getrusage`: there a process begins with the peak of the one that started it.
    """
    with open("/proc/self/status", "rb") as status:  # noqa: PTH123 - asked after every request
        line = next(line for line in status if line.startswith(b"VmHWM:"))
    return int(line.split()[1]) * 1024


def _limit(which: int, wanted: int) -> None:
    """Set a limit for good; one that is lower already stays."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(which, (wanted, wanted))


def _die_with(parent: int) -> None:
    control = ctypes.CDLL(None, use_errno=True).prctl
    for option, value in ((_PR_SET_PDEATHSIG, signal.SIGKILL), (_PR_SET_NO_NEW_PRIVS, 1)):
        if control(option, value, 0, 0, 0):
            raise OSError(ctypes.get_errno(), f"prctl({option}) failed")
    if os.getppid() != parent:  # it died before the signal was asked for
        os._exit(1)
