"""A program that runs into every limit of a worker process, to prove that they hold.

Used by the tests and by whoever doubts a machine; nothing of it runs while bundles are judged.
"""

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from judge_bundles.errors import JudgementError
from judge_bundles.workers.serve import Operation


def start(setup: Any) -> Mapping[str, Operation]:
    """Return every function of this module that has an underscore before its name."""
    if setup == "fail":
        raise ValueError("told to fail")
    operations: dict[str, Operation] = {
        "about": _about,
        "allocate": lambda arguments: len(bytearray(arguments["bytes"])),
        "answer": lambda arguments: "x" * arguments["characters"],
        "crash": lambda _: ctypes.string_at(0),
        "exit": lambda arguments: os._exit(arguments["code"]),
        "forge": _forge,
        "kill": lambda arguments: os.kill(os.getpid(), arguments["signal"]),
        "leave": _leave_a_child_behind,
        "open": lambda arguments: len([os.open("/", 0) for _ in range(arguments["files"])]),
        "print": _print,
        "refuse": _refuse,
        "sleep": lambda arguments: time.sleep(arguments["seconds"]),
        "spin": _spin,
        "write": _write,
    }
    return operations


def _about(_arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "environment": dict(os.environ),
        "folder": os.getcwd(),  # noqa: PTH109 - a plain text is wanted
        "isolated": bool(sys.flags.isolated),
        "path": sys.path,
        "input": sys.stdin.read(),
        "core_bytes": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "encoding": sys.getfilesystemencoding(),
    }


def _forge(arguments: dict[str, Any]) -> None:
    """Write to every descriptor above the standard ones, as code that looks for the pipe would."""
    for descriptor in range(3, 16):
        try:
            os.write(descriptor, arguments["text"].encode())
        except OSError:
            continue


def _leave_a_child_behind(arguments: dict[str, Any]) -> int:
    sleep = ["sleep", str(arguments["seconds"])]
    return subprocess.Popen(sleep, start_new_session=True).pid  # noqa: S603 - our own words


def _print(arguments: dict[str, Any]) -> None:
    print(arguments["text"], flush=True)  # noqa: T201 - what this is about
    os.write(1, arguments["text"].encode())


def _refuse(_arguments: dict[str, Any]) -> None:
    raise JudgementError("intake", "no", retryable=True)


def _spin(_arguments: dict[str, Any]) -> None:
    while True:
        pass


def _write(arguments: dict[str, Any]) -> None:
    with open(arguments["path"], "wb") as file:  # noqa: PTH123 - one call less between us and it
        file.write(bytes(arguments["bytes"]))
