"""The entry point: ready for a signal before anything slow is imported."""

import signal
import sys
from types import FrameType
from typing import NoReturn

_EXIT_INTERRUPTED = 130  # `errors.EXIT_INTERRUPTED`; not imported, since nothing is before `main`


def main() -> None:
    """Run the program; until the command line takes over, a signal ends it quietly."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    try:
        from judge_bundles.cli.app import main as command_line  # noqa: PLC0415 - after the handlers

        command_line()
    except KeyboardInterrupt:  # in one of the gaps between the handlers
        _end()


def _end(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    sys.stderr.write("judge-bundles: interrupted before anything was judged\n")
    sys.exit(_EXIT_INTERRUPTED)
