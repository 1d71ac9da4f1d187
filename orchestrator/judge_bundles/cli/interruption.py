"""Let signals end the program in order: SIGTERM, and a terminal that closes, act as Ctrl-C.

The handlers of an event loop are not used: closing the loop puts the system's own in their place,
and a SIGTERM while the result is written would then kill the process.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


def raise_at_signals() -> None:
    """From now on each signal raises KeyboardInterrupt in the main thread."""
    for number in _signals():
        signal.signal(number, signal.default_int_handler)


def ignore_signals() -> None:
    """From now on nothing is left to interrupt: the exit code stands, and the interpreter ends."""
    for number in _signals():
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def cancelling(task: "asyncio.Task[Any]") -> Iterator[None]:
    """Cancel `task` at each signal instead, so that it cleans up; afterwards all is as before.

    For the main thread, with the task's loop running.
    """
    loop = task.get_loop()

    def cancel(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.signal(number, cancel) for number in _signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _signals() -> list[signal.Signals]:
    """Return the signals that interrupt; under `nohup` a closing terminal does not."""
    wanted = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        wanted.append(signal.SIGHUP)
    return wanted
