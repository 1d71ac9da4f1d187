"""Run work on hostile input in a child process that can be ended: bounded in time, memory, output.

The child reports by events, one JSON value a line over a pipe. It never touches the server's own
streams, and nothing it does outlives the call.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from typing import Any, Callable, NamedTuple

from sandbox_image.answers import ToolError
from sandbox_image.limits import CHILD_MEMORY_BYTES, CHILD_OUTPUT_BYTES, CHILD_SECONDS

Emit = Callable[[Any], None]
Work = Callable[[Emit], None]
_PIPE_BYTES = 64 * 1024


class Outcome(NamedTuple):
    """The events that arrived, and whether the work was ended because its time was over."""

    events: list[Any]
    timed_out: bool


def run(work: Work, seconds: float = CHILD_SECONDS) -> Outcome:
    """Do `work` in a child. What it refuses is refused here; so is running out of memory."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_the_child(work, writing)
    os.close(writing)
    try:
        raw, timed_out = _collect(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    # What follows the last line break was cut off when the child was ended.
    return _outcome([json.loads(line) for line in raw.split(b"\n")[:-1]], timed_out=timed_out)


def _collect(reading: int, deadline: float) -> tuple[bytes, bool]:
    """Read until the child closes its end or the time is over; the second value tells which."""
    raw = bytearray()
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    while len(raw) <= CHILD_OUTPUT_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            return bytes(raw), True
        chunk = os.read(reading, _PIPE_BYTES)
        if not chunk:
            return bytes(raw), False
        raw += chunk
    raise ToolError("too_large", "the answer is too large; ask for less")


def _outcome(messages: list[dict[str, Any]], *, timed_out: bool) -> Outcome:
    last = messages[-1] if messages else {}
    if "refused" in last:
        raise ToolError(*last["refused"])
    if "finished" not in last and not timed_out:
        raise ToolError("too_large", "this needs more memory than the sandbox has")
    return Outcome([message["event"] for message in messages if "event" in message], timed_out)


def _be_the_child(work: Work, writing: int) -> None:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(0)
        os.close(1)
        gc.disable()
        warnings.simplefilter("ignore")
        resource.setrlimit(resource.RLIMIT_AS, (CHILD_MEMORY_BYTES, CHILD_MEMORY_BYTES))
        _send(writing, _last_message(work, writing))
    finally:
        os._exit(0)


def _last_message(work: Work, writing: int) -> dict[str, Any]:
    try:
        work(lambda event: _send(writing, {"event": event}))
    except ToolError as error:
        return {"refused": [error.kind, error.text]}
    except MemoryError:
        return {"refused": ["too_large", "this needs more memory than a tool may use"]}
    except RecursionError:
        return {"refused": ["too_large", "this is nested too deeply"]}
    except Exception as error:  # noqa: BLE001 - a fault of a tool is answered, and told on stderr
        sys.excepthook(type(error), error, error.__traceback__)
        return {"refused": ["unreadable", f"the tool failed on this file ({type(error).__name__})"]}
    return {"finished": True}


def _send(writing: int, message: dict[str, Any]) -> None:
    line = memoryview(json.dumps(message).encode() + b"\n")
    while line:
        line = line[os.write(writing, line) :]
