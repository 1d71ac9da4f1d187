"""What processes use, read from /proc: processor time, memory, open files of a whole tree.

A process that ends while it is looked at counts as nothing; its parent has its processor time then.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_PARENT, _USER, _CHILDREN_SYSTEM = 1, 11, 14
"""Positions in /proc/PID/stat, counted from the state, which follows the name in parentheses."""


def tree(root: int) -> list[int]:
    """Return a process and all below it."""
    children: dict[int, list[int]] = {}
    for pid, fields in _all():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def cpu_s(pids: list[int]) -> float:
    """Return the seconds of processor time of these processes and of their children that ended."""
    ticks = 0
    for pid in pids:
        fields = _fields(pid)
        ticks += sum(map(int, fields[_USER : _CHILDREN_SYSTEM + 1])) if fields else 0
    return ticks * _TICK_S


def resident_bytes(pid: int) -> int:
    """Return the memory of one process that is in RAM, shared pages in full."""
    return _kib(_PROC / str(pid) / "status", "VmRSS:") * 1024


def proportional_bytes(pids: list[int]) -> int:
    """Return the memory of several processes together, each shared page once among all its users."""
    return sum(_kib(_PROC / str(pid) / "smaps_rollup", "Pss:") for pid in pids) * 1024


def open_files(pid: int) -> int:
    """Return how many descriptors a process has open."""
    try:
        return len(os.listdir(_PROC / str(pid) / "fd"))  # noqa: PTH208 - counted, not used
    except OSError:
        return 0


def _all() -> Iterator[tuple[int, list[str]]]:
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and (fields := _fields(int(entry.name))):
            yield int(entry.name), fields


def _fields(pid: int) -> list[str]:
    return _text(_PROC / str(pid) / "stat").rpartition(")")[2].split()


def _kib(path: Path, name: str) -> int:
    for line in _text(path).splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
