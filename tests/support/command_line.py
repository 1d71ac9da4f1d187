"""The program as a process of its own."""

import subprocess
import sys
from collections.abc import Callable

Start = Callable[..., "subprocess.Popen[bytes]"]
"""Starts the program with the arguments given, with pipes for stdout and stderr."""


def command(*arguments: str) -> list[str]:
    """Return the command line that runs the program from this checkout."""
    return [sys.executable, "-m", "judge_bundles", *arguments]
