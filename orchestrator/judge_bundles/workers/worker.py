"""One worker process, seen from the side that asks.

Requests are answered in the order in which they were sent, so a few may wait in the pipe while one
is worked on. Only the one worked on is to blame when the process dies; the others were never seen.
"""

import asyncio
import json
import os
import sys
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final, Self

from judge_bundles.errors import JudgementError
from judge_bundles.limits import WORKER_START_TIMEOUT_S
from judge_bundles.workers.failure import WorkerCrash, WorkerFailure, of_exit
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.process import Process
from judge_bundles.workers.serve import LAST

_SERVER: Final = ("-I", "-X", "utf8", "-m", "judge_bundles.workers.serve")
_PASSED_ON: Final = ("LD_LIBRARY_PATH",)
"""Without it some interpreters do not start; everything else stays outside."""


class NotTaken(Exception):  # noqa: N818 - not an error: another process takes it
    """The process ended before it came to this request."""


@dataclass(slots=True, eq=False)
class _Call:
    wall_s: float
    answer: asyncio.Future[Any] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Worker:
    """A running process. `ask` it, and `kill` it in the end; a process that has ended stays ended."""

    def __init__(self, process: Process, limits: WorkerLimits) -> None:
        self._process = process
        self._limits = limits
        self._calls: deque[_Call] = deque()
        self._deadline: asyncio.TimerHandle | None = None
        self._ended_by: WorkerFailure | None = None
        self._said_last = False
        self._reader = asyncio.create_task(self._read())
        self.usable = True
        """False once the process takes no more requests."""

    @classmethod
    async def start(cls, program: str, setup: Any, limits: WorkerLimits) -> Self:
        """Start a process and wait until its program is ready; raises `WorkerFailure` (`start`)."""
        command = (sys.executable, *_SERVER, program, json.dumps(limits.dump()), str(os.getpid()))
        environment = {"LC_ALL": "C.UTF-8"}
        environment |= {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        line_bytes = limits.max_reply_bytes + len(LAST)
        try:
            process = await Process.start(command, environment, line_bytes=line_bytes)
        except OSError as error:
            raise WorkerFailure("start", f"no process could be started: {error}") from error
        worker = cls(process, limits)
        try:
            await worker._send(setup, WORKER_START_TIMEOUT_S)
        except (WorkerFailure, WorkerCrash, NotTaken) as error:
            await worker.kill()
            raise WorkerFailure("start", f"a process could not be set up: {error}") from error
        if not worker.usable:  # whoever asked it would be sent to the next one for ever
            await worker.kill()
            half = f"half of {limits.memory}"
            raise WorkerFailure("start", f"a process needs more than {half} for its set-up alone")
        return worker

    async def ask(self, operation: str, arguments: dict[str, Any], wall_s: float) -> Any:
        """Return what the program's operation returns.

        Raises the `JudgementError` it raised, `WorkerCrash` for any other exception of it,
        `WorkerFailure` when the process did not survive it, and `NotTaken`. Who is cancelled while
        waiting takes the process along: what nobody wants any more must not go on writing.
        """
        return await self._send([operation, arguments], wall_s)

    async def kill(self) -> None:
        """End the process at once, and wait until it is gone; doing so twice is fine."""
        self._stop()
        await asyncio.wait([self._reader])

    async def _send(self, request: Any, wall_s: float) -> Any:
        call = _Call(wall_s)
        self._calls.append(call)
        if len(self._calls) == 1:
            self._arm()
        self._process.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
        try:
            return await call.answer
        except asyncio.CancelledError:
            await asyncio.shield(self.kill())
            raise

    def _arm(self) -> None:
        """Start the clock of the request that is worked on now."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._calls:
            wall_s = self._calls[0].wall_s
            self._deadline = asyncio.get_running_loop().call_later(wall_s, self._expire, wall_s)

    def _expire(self, wall_s: float) -> None:
        self._end(WorkerFailure("wall", f"it took longer than {wall_s:g} s"))

    def _end(self, why: WorkerFailure) -> None:
        self._ended_by = why
        self._stop()

    def _stop(self) -> None:
        self.usable = False
        self._process.kill()

    async def _read(self) -> None:
        """Settle what comes, until the process says no more; then find out why."""
        try:
            try:
                while line := await self._process.line():
                    self._settle(line)
            except (ValueError, TypeError, LookupError, RecursionError):
                self._end(WorkerFailure("crashed", "its process answered with something else"))
            self.usable = False
            self._give_up(of_exit(*await self._process.end()))
        finally:  # of a loop that is being closed, too
            self._stop()
            if self._deadline is not None:
                self._deadline.cancel()
            for call in self._calls:
                call.answer.cancel()

    def _settle(self, line: bytes) -> None:
        """Hand one answer to who waits for it."""
        reply = json.loads(line[1:])
        call = self._calls[0]
        if not call.answer.done():
            _resolve(call.answer, reply, self._limits)
        self._calls.popleft()
        self._said_last = line.startswith(LAST)
        self.usable = self.usable and not self._said_last
        self._arm()

    def _give_up(self, exited: WorkerFailure) -> None:
        """Tell everyone who still waits what they wait for in vain."""
        blame = None if self._said_last else self._ended_by or exited
        while self._calls:
            call = self._calls.popleft()
            if not call.answer.done():
                call.answer.set_exception(blame or NotTaken())
            blame = None


def _resolve(answer: asyncio.Future[Any], reply: Any, limits: WorkerLimits) -> None:
    if "value" in reply:
        answer.set_result(reply["value"])
    elif "error" in reply:
        kind, message, retryable = reply["error"]
        answer.set_exception(JudgementError(kind, message, retryable=retryable))
    elif "crash" in reply:
        answer.set_exception(WorkerCrash(reply["crash"], reply["traceback"]))
    elif reply["failure"] == "memory":
        answer.set_exception(WorkerFailure("memory", f"it needs more than {limits.memory}"))
    else:
        answer.set_exception(WorkerFailure("reply", "its answer is longer than it may be"))
