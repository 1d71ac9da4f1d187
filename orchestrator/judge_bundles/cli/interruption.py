"""Let signals end the program in order: SIGTERM, and a terminal that closes, act as Ctrl-C.

The handlers of an event loop are not used: closing the loop puts the system's own in their place,
and a SIGTERM while the result is written would then kill the process.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from judge_bundles.limits import STOP_GRACE_S
from judge_bundles.stopping import Stopping

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
    with _handling(task.get_loop(), task.cancel):
        yield


@contextmanager
def stopping_first(
    task: "asyncio.Task[Any]", stopping: Stopping, *, grace_s: float = STOP_GRACE_S
) -> Iterator[None]:
    """Ask `task` to stop at the first signal; cancel it at the second, or after `grace_s` seconds.

    Afterwards all is as before. For the main thread, with the task's loop running.
    """
    from judge_bundles import log

    loop = task.get_loop()
    deadlines: list[asyncio.TimerHandle] = []

    def interrupt() -> None:
        if stopping.requested:
            task.cancel()
            return
        stopping.request()
        deadlines.append(loop.call_later(grace_s, task.cancel))
        log.get_logger().warning(
            "run_stopping",
            message="no more bundles are begun; a second interruption ends those in flight",
            grace_s=grace_s,
        )

    try:
        with _handling(loop, interrupt):
            yield
    finally:
        for deadline in deadlines:
            deadline.cancel()


@contextmanager
def _handling(loop: "asyncio.AbstractEventLoop", act: Callable[[], object]) -> Iterator[None]:
    """Call `act` in the loop at each signal; afterwards the handlers are those of before."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)

    before = {number: signal.signal(number, handle) for number in _signals()}
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
