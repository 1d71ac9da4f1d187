"""Run code of a rule's author so that whatever it does ends as an answer or as its judge's error.

Except for what ends the process: its parent sees to that. Nothing here is a jail: the code is the
author's own, and runs with what the process has.
"""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from judge_bundles.errors import JudgementError
from judge_bundles.judge_code.refusals import Places, quoted, raised, refused
from judge_bundles.judge_code.streams import Streams
from judge_bundles.limits import JUDGE_CODE_SPARE_FILES
from judge_bundles.workers.wear import wear_out

_Result = TypeVar("_Result")
_DESCRIPTORS: Final = Path("/proc/self/fd")


class Watch:
    """Watches one process. What code leaves behind in it ends with the process."""

    def __init__(self) -> None:
        self._streams = Streams()
        self._files_at_first = _open_files()

    def run(self, work: Callable[[], _Result], places: Places) -> tuple[_Result, list[str]]:
        """Return what `work` returns, and notes; raises `JudgementError` or `MemoryError`."""
        failure: JudgementError | None = None
        try:
            with self._streams.heard() as heard:
                try:
                    result = work()
                except MemoryError:
                    raise
                except JudgementError as error:
                    failure = error
                except BaseException as error:  # noqa: BLE001 - whatever it is, it is the judge's error
                    failure = raised(error, places)
        finally:
            self._clear_up()
        if heard.stdout:
            wear_out()  # what was written while a module was imported would not be written again
            said = f"it wrote to standard output, where it has to return: {quoted(heard.stdout)}"
            failure = refused(f"{failure.message}; {said}" if failure else said)
        if failure:
            raise failure
        return result, [f"standard error: {quoted(heard.stderr)}"] if heard.stderr else []

    def _clear_up(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)  # an alarm would end the next judge's work
        left = _open_files() - self._files_at_first
        if threading.active_count() > 1 or left > JUDGE_CODE_SPARE_FILES:
            wear_out()


def _open_files() -> int:
    try:
        return len(os.listdir(_DESCRIPTORS))  # noqa: PTH208 - names alone, and cheaper
    except OSError:  # none is left to open the folder with
        return JUDGE_CODE_SPARE_FILES * 1_000
