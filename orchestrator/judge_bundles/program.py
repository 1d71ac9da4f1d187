"""The entry point: ready for a signal before anything slow is imported.

Until a command has something to clean up, a signal ends the process at once. An exception raised
into the middle of an import would leave half a module behind, and Python would not end with 130.
"""

import os
import signal
from types import FrameType
from typing import NoReturn

_EXIT_INTERRUPTED = 130  # `errors.EXIT_INTERRUPTED`; not imported, since nothing is before `main`


def main() -> None:
    """Run the program."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    from judge_bundles.cli.app import main as command_line  # noqa: PLC0415 - after the handlers

    command_line()


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    os.write(2, b"judge-bundles: interrupted before anything was judged\n")
    os._exit(_EXIT_INTERRUPTED)
