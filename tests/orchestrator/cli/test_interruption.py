import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judge_bundles.cli.interruption import cancelling, stopping_first
from judge_bundles.stopping import Stopping
from tests.support.command_line import Start
from tests.support.judging import write_bundle

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_result_is_written_is_exit_code_130(
    place: Path, start: Start, number: signal.Signals
) -> None:
    checks = [{"type": "file_present", "path": f"{index}.md"} for index in range(100)]
    (place / "many.json").write_text(json.dumps(checks))
    for index in range(10):
        write_bundle(place / "r" / str(index), {"report.md": "x"})
    process = start("r", "--rule", "many.json", "--format", "jsonl", "-q")
    assert process.stdout is not None
    assert process.stdout.read(1) == b"{"  # the rest does not fit the pipe: it is being written
    process.send_signal(number)
    rest, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert rest.count(b"\n") < 10
    assert err == b"judge-bundles: interrupted\n"


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_cancels_the_run_and_the_handlers_come_back(number: signal.Signals) -> None:
    async def interrupted() -> list[str]:
        seen = []
        task = asyncio.current_task()
        assert task is not None
        with cancelling(task):
            signal.raise_signal(number)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
        return seen

    before = [signal.getsignal(one) for one in SIGNALS]
    assert asyncio.run(interrupted()) == ["cancelled"]
    assert [signal.getsignal(one) for one in SIGNALS] == before


async def _stopped(number: signal.Signals, times: int, *, grace_s: float) -> tuple[bool, bool]:
    """Return whether a stop was asked for and whether the task was cancelled, after some signals."""
    stopping = Stopping()
    task = asyncio.current_task()
    assert task is not None
    with stopping_first(task, stopping, grace_s=grace_s):
        for _ in range(times):
            signal.raise_signal(number)
        try:
            # Signals are handled in their turn, so what was sent above comes before this.
            await asyncio.wait_for(asyncio.Event().wait(), 0.2)
        except TimeoutError:
            return stopping.requested, False
        except asyncio.CancelledError:
            return stopping.requested, True
    raise AssertionError("nobody sets the event")


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("times", "grace_s", "told"),
    [
        (0, 60, (False, False)),
        (1, 60, (True, False)),  # what is in flight goes on
        (2, 60, (True, True)),
        (1, 0.05, (True, True)),  # but not for longer than it may
    ],
)
def test_the_first_signal_stops_and_the_second_or_the_end_of_patience_cancels(
    number: signal.Signals, times: int, grace_s: float, told: tuple[bool, bool]
) -> None:
    before = [signal.getsignal(one) for one in SIGNALS]
    assert asyncio.run(_stopped(number, times, grace_s=grace_s)) == told
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_a_task_that_ended_in_time_is_not_cancelled_later() -> None:
    async def outer() -> bool:
        task = asyncio.current_task()
        assert task is not None
        with stopping_first(task, Stopping(), grace_s=0.05):
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)  # past the time that was left to it
        return bool(task.cancelling())

    assert asyncio.run(outer()) is False


def test_a_terminal_that_closes_does_not_interrupt_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        asyncio.run(_ignores_hangup())
    finally:
        signal.signal(signal.SIGHUP, before)


async def _ignores_hangup() -> None:
    task = asyncio.current_task()
    assert task is not None
    with cancelling(task):
        signal.raise_signal(signal.SIGHUP)
        await asyncio.sleep(0)
        assert not task.cancelling()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("delay_s", [0.03, 0.08, 0.15, 0.3])
def test_a_signal_during_the_start_ends_with_130_and_no_traceback(
    tmp_path: Path, delay_s: float
) -> None:
    write_bundle(tmp_path / "r" / "a", {"report.md": "x"})
    (tmp_path / "gate.json").write_text('[{"type": "file_present", "path": "report.md"}]')
    command = [sys.executable, "-m", "judge_bundles", "r", "--rule", "gate.json"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(delay_s)  # at some point of the start, wherever that is on this machine
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    # Before Python itself runs our first line the signal still has its default effect.
    assert process.returncode in {130, 0, -signal.SIGTERM}
