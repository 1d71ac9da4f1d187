"""Work in a child ends in time, within its memory, and with a typed refusal when it fails."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox_image import child
from sandbox_image.answers import ToolError
from sandbox_image.limits import CHILD_MEMORY_BYTES, CHILD_OUTPUT_BYTES, MIB


def refusal_of(work: child.Work) -> ToolError:
    with pytest.raises(ToolError) as raised:
        child.run(work)
    return raised.value


def children() -> set[str]:
    """Processes that this one has started and that are still there, ended ones included."""
    threads = Path("/proc/self/task").glob("*/children")
    return {pid for thread in threads for pid in thread.read_text().split()}


def test_events_arrive_in_order() -> None:
    def work(emit: child.Emit) -> None:
        for number in range(1000):
            emit(number)

    assert child.run(work) == child.Outcome(list(range(1000)), timed_out=False)


def test_work_without_end_is_ended_and_what_it_reported_is_kept() -> None:
    def work(emit: child.Emit) -> None:
        emit("begun")
        while True:
            pass

    before, started = children(), time.monotonic()
    outcome = child.run(work, seconds=0.5)

    assert outcome == child.Outcome(["begun"], timed_out=True)
    assert time.monotonic() - started < 10
    assert children() == before


def test_a_refusal_in_the_child_is_a_refusal_here() -> None:
    def work(_: child.Emit) -> None:
        raise ToolError("bad_json", "line 1")

    error = refusal_of(work)

    assert (error.kind, error.text) == ("bad_json", "line 1")


@pytest.mark.parametrize(("size", "said"), [(CHILD_MEMORY_BYTES, "too_large"), (64 * MIB, "done")])
def test_memory_is_bounded(size: int, said: str) -> None:
    # In a process as small as the server: the one of the tests is larger than a child may be.
    code = f"""
from sandbox_image import child
from sandbox_image.answers import ToolError
try:
    child.run(lambda emit: emit(len(bytearray({size}))))
    print("done")
except ToolError as error:
    print(error.kind)
"""
    root = Path(child.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == said


def test_output_is_bounded() -> None:
    assert refusal_of(lambda emit: emit("x" * CHILD_OUTPUT_BYTES)).kind == "too_large"
    assert len(child.run(lambda emit: emit("x" * (CHILD_OUTPUT_BYTES - 1000))).events) == 1


def test_nesting_is_bounded() -> None:
    def work(emit: child.Emit) -> None:
        value: list[object] = []
        for _ in range(100_000):
            value = [value]
        emit(value)

    assert refusal_of(work).kind == "too_large"


def test_a_fault_in_the_child_is_told_on_stderr_and_answered(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def work(_: child.Emit) -> None:
        raise KeyError("a fault")

    assert "KeyError" in refusal_of(work).text
    assert "a fault" in capfd.readouterr().err


def test_a_child_that_is_killed_from_outside_is_a_refusal() -> None:
    assert refusal_of(lambda _: os.kill(os.getpid(), signal.SIGKILL)).kind == "too_large"


def test_the_limits_of_a_child_are_its_own() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)

    outcome = child.run(lambda emit: emit(resource.getrlimit(resource.RLIMIT_AS)))

    assert outcome.events == [[CHILD_MEMORY_BYTES, CHILD_MEMORY_BYTES]]
    assert resource.getrlimit(resource.RLIMIT_AS) == before
