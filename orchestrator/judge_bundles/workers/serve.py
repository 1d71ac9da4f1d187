"""What a worker process does: read one request a line, answer each with one line, in order.

A program is a module with `start(setup) -> operations`; `setup` and everything else that crosses the
pipe is JSON. The first byte of an answer says whether the process takes another request. What a
program prints cannot reach the pipe: it is kept apart before anything runs.
"""

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import IO, Any, Final

from judge_bundles.errors import JudgementError
from judge_bundles.workers import wear
from judge_bundles.workers.confine import allow_cpu, confine, peak_memory_bytes
from judge_bundles.workers.limits import WorkerLimits

MORE: Final = b"+"
LAST: Final = b"-"
"""The process ends after this answer; somebody else takes what was asked meanwhile."""
Operation = Callable[[dict[str, Any]], Any]
_RETIRE_AT: Final = 0.5
"""Share of its memory limit that a process has had in use when it is replaced."""
_NO_MEMORY: Final = b'{"failure":"memory"}\n'
"""Made beforehand: when it is needed there is no memory to make it."""
_TOO_LONG: Final = b'{"failure":"reply"}\n'


def main(arguments: list[str]) -> None:
    """Serve until the other side closes the pipe; `arguments` are program, limits, parent."""
    requests, replies = _private_pipes()
    program, limits_text, parent = arguments
    limits = WorkerLimits(**json.loads(limits_text))
    confine(limits, int(parent))
    operations: Mapping[str, Operation] = {}
    setup = importlib.import_module(program).start
    for count, line in enumerate(requests):
        allow_cpu(limits.cpu_s)
        if count == 0:
            operations, reply = _started(setup, line)
        else:
            reply = _answer(operations, line)
        last = count >= limits.max_requests or _is_worn(limits) or reply is _NO_MEMORY
        replies.write(LAST if last else MORE)
        replies.write(reply if len(reply) <= limits.max_reply_bytes else _TOO_LONG)
        replies.flush()
        if last:
            break
    os._exit(0)  # nothing that ran here is waited for


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Take the pipes away from descriptors 0 and 1, which anything may read or write."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _started(
    setup: Callable[[Any], Mapping[str, Operation]], line: bytes
) -> tuple[Mapping[str, Operation], bytes]:
    try:
        return setup(json.loads(line)), b'{"value":null}\n'
    except MemoryError:
        return {}, _NO_MEMORY
    except Exception as error:  # noqa: BLE001 - told to who asked, as everything is
        return {}, _line(_crash(error))


def _answer(operations: Mapping[str, Operation], line: bytes) -> bytes:
    try:
        name, arguments = json.loads(line)
        return _line({"value": operations[name](arguments)})
    except JudgementError as error:
        return _line({"error": [error.kind, error.message, error.retryable]})
    except MemoryError:
        return _NO_MEMORY
    except Exception as error:  # noqa: BLE001 - told to who asked, as everything is
        return _line(_crash(error))


def _crash(error: Exception) -> dict[str, str]:
    text = "".join(traceback.format_exception(error))
    return {"crash": f"{type(error).__name__}: {error}", "traceback": text}


def _line(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


def _is_worn(limits: WorkerLimits) -> bool:
    try:
        return wear.is_worn() or peak_memory_bytes() > limits.memory_bytes * _RETIRE_AT
    except OSError:  # of all the files it may open, none is left
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
