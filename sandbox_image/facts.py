"""What the server sees of the box it runs in. The host decides whether that is isolation.

gVisor's kernel says less about itself than Linux does; where something is missing, the second place
to find it is asked.
"""

from __future__ import annotations

import os
from typing import Any

PROTOCOL = 1
_PR_GET_NO_NEW_PRIVS = 39
_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def hello(root: str) -> dict[str, Any]:
    """Return the server's first line. What cannot be found out is null, which no host accepts."""
    status = _status()
    return {
        "protocol": PROTOCOL,
        "kernel": os.uname().release,
        "uid": os.geteuid(),
        "gid": os.getegid(),
        "interfaces": _interfaces(),
        "bundle_read_only": _read_only(root),
        "root_read_only": _read_only("/"),
        "no_new_privileges": _no_new_privileges(status.get("NoNewPrivs")),
        "capabilities": {name: status.get(name) for name in _CAPABILITIES},
        "seccomp": status.get("Seccomp"),
    }


def _status() -> dict[str, str]:
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        pairs = [line.partition(":") for line in lines]
    return {name: value.strip() for name, _, value in pairs}


def _no_new_privileges(said: str | None) -> bool:
    if said is not None:
        return said == "1"
    import ctypes  # noqa: PLC0415 - slow to load, and Linux does not need it

    return bool(ctypes.CDLL(None).prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)


def _interfaces() -> list[str] | None:
    """Read the names from /proc: asking the kernel directly needs a socket, which is forbidden."""
    try:
        with open("/proc/self/net/dev", encoding="ascii", errors="replace") as lines:
            return sorted(line.partition(":")[0].strip() for line in lines if ":" in line)
    except OSError:
        return None


def _read_only(path: str) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return bool(os.fstatvfs(descriptor).f_flag & os.ST_RDONLY) or _mounted_read_only(path)
    finally:
        os.close(descriptor)


def _mounted_read_only(path: str) -> bool:
    """Look the path up among the mounts; the last one on it is the one that is seen."""
    with open("/proc/self/mounts", encoding="ascii", errors="replace") as lines:
        mounts = [line.split() for line in lines]
    options = [fields[3].split(",") for fields in mounts if fields[1] == path]
    return bool(options) and "ro" in options[-1]
