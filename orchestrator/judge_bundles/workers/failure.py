"""Why a worker process gave no answer."""

import signal
from typing import Literal

from judge_bundles.errors import JudgeBundlesError

FailureKind = Literal["memory", "cpu", "wall", "reply", "killed", "crashed", "start"]


class WorkerFailure(JudgeBundlesError):  # noqa: N818 - what happened, in the caller's words an error
    """The process ended, or was ended, before it answered.

    `memory`, `cpu`, `wall` and `reply` are limits that the request ran into; `killed` is somebody
    else's doing; `crashed` the interpreter's; `start` means that no process could be had at all.
    """

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind


class WorkerCrash(JudgeBundlesError):  # noqa: N818 - see above
    """The program raised something that is not a judgement's error; `traceback` is its text."""

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback


def of_exit(code: int, stderr: str) -> WorkerFailure:
    """Return why a process that nobody here ended is gone; `code` as `Popen.returncode` has it."""
    if code == -signal.SIGXCPU:
        return WorkerFailure("cpu", "it used all the processor time it may")
    if code == -signal.SIGKILL:
        return WorkerFailure(
            "killed", "its process was killed, perhaps because the machine is out of memory"
        )
    said = f": {stderr.strip().splitlines()[-1]}" if stderr.strip() else ""
    how = _name(-code) if code < 0 else f"exit code {code}"
    return WorkerFailure("crashed", f"its process ended ({how}){said}")


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
