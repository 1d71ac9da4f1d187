"""Facts about the machine that a figure has to be read with."""

import importlib.metadata
import os
import platform
import subprocess
from typing import Any, Final

_TIMEOUT_S: Final = 20
_PACKAGES: Final = ("judge-bundles", "anthropic", "docker", "typer", "sqlalchemy")


def facts() -> dict[str, Any]:
    """Return cores, kernel, Python, versions and the engine's version where one answers."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1024 * 1024),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "engine": _answer("docker", "version", "--format", "{{.Server.Version}}"),
        "commit": _answer("git", "rev-parse", "--short", "HEAD"),
        "changed_files": len((_answer("git", "status", "--porcelain") or "").splitlines()),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
    }


def load() -> float:
    """Return how many processes wanted a processor, on average over the last minute."""
    return os.getloadavg()[0]


def _answer(*command: str) -> str | None:
    try:
        done = subprocess.run(
            command, capture_output=True, check=True, text=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.rstrip("\n") or None
