"""Real worker processes that run into each of their limits."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.limits import MIB
from judge_bundles.workers.failure import WorkerCrash, WorkerFailure
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.pool import Pool

PROOF = "judge_bundles.workers.proof"
LIMITS = WorkerLimits(
    memory_bytes=256 * MIB, cpu_s=2, wall_s=60, file_bytes=MIB, open_files=32, max_requests=1000
)


def with_pool(
    work: Callable[[Pool], Awaitable[Any]], *, size: int = 1, setup: Any = None, **limits: int
) -> Any:
    async def run() -> Any:
        async with Pool(PROOF, setup, replace(LIMITS, **limits), size=size) as pool:
            return await work(pool)

    return asyncio.run(run())


async def ask(pool: Pool, operation: str, wall_s: float = 60, **arguments: Any) -> Any:
    return await pool.ask(operation, arguments, wall_s=wall_s)


def failure_of(operation: str, wall_s: float = 60, **arguments: Any) -> WorkerFailure:
    """Return how the request fails; another request must be answered afterwards."""

    async def work(pool: Pool) -> WorkerFailure:
        with pytest.raises(WorkerFailure) as caught:
            await ask(pool, operation, wall_s, **arguments)
        assert (await ask(pool, "about"))["pid"]
        return caught.value

    failure: WorkerFailure = with_pool(work)
    return failure


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that is dead and not yet fetched does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pid: int) -> None:
    for _ in range(1000):
        if not is_alive(pid):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} still runs")


def test_a_worker_has_no_key_no_folder_and_no_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    about = with_pool(lambda pool: ask(pool, "about"))
    assert about["environment"].items() <= {
        ("LC_ALL", "C.UTF-8"),
        ("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH")),
    }
    assert about["folder"] == "/"
    assert about["isolated"]
    assert not {"", "/nowhere", str(Path.cwd())} & set(about["path"])
    assert about["input"] == ""
    assert about["core_bytes"] == 0
    assert about["encoding"] == "utf-8"
    assert about["pid"] != os.getpid()


def test_memory_is_limited_on_both_sides_of_the_edge() -> None:
    async def fits(pool: Pool) -> Any:
        return await ask(pool, "allocate", bytes=64 * MIB)

    assert with_pool(fits) == 64 * MIB
    failure = failure_of("allocate", bytes=256 * MIB)
    assert (failure.kind, str(failure)) == ("memory", "it needs more than 256 MiB of memory")


def test_processor_time_is_limited() -> None:
    assert failure_of("spin").kind == "cpu"


def test_processor_time_is_counted_for_each_request_anew() -> None:
    async def work(pool: Pool) -> list[int]:
        pids = []
        for _ in range(2):
            with pytest.raises(WorkerFailure) as caught:
                await ask(pool, "spin", wall_s=1.2)
            assert caught.value.kind == "wall"  # and not cpu, of which 2 s are allowed
            pids.append((await ask(pool, "about"))["pid"])
        return pids

    with_pool(work)


def test_the_clock_is_limited() -> None:
    failure = failure_of("sleep", wall_s=0.2, seconds=60)
    assert (failure.kind, str(failure)) == ("wall", "it took longer than 0.2 s")


def test_files_are_limited_in_size_on_both_sides_of_the_edge(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    with_pool(lambda pool: ask(pool, "write", path=path, bytes=MIB))
    with pytest.raises(WorkerCrash, match="File too large"):
        with_pool(lambda pool: ask(pool, "write", path=path, bytes=MIB + 1))


def test_open_files_are_limited() -> None:
    assert with_pool(lambda pool: ask(pool, "open", files=16)) == 16
    with pytest.raises(WorkerCrash, match="Too many open files"):
        with_pool(lambda pool: ask(pool, "open", files=32))


def test_an_answer_is_limited_on_both_sides_of_the_edge() -> None:
    async def work(pool: Pool) -> None:
        beside = len('{"value":""}\n')
        assert len(await ask(pool, "answer", characters=1000 - beside)) == 1000 - beside
        with pytest.raises(WorkerFailure) as caught:
            await ask(pool, "answer", characters=1000 - beside + 1)
        assert caught.value.kind == "reply"

    with_pool(work, max_reply_bytes=1000)


@pytest.mark.parametrize(
    ("operation", "arguments", "kind", "said"),
    [
        ("kill", {"signal": signal.SIGKILL}, "killed", "out of memory"),
        ("kill", {"signal": signal.SIGTERM}, "crashed", "SIGTERM"),
        ("crash", {}, "crashed", "SIGSEGV"),
        ("exit", {"code": 3}, "crashed", "exit code 3"),
        ("forge", {"text": "hello\n"}, "crashed", "answered with something else"),
        ("forge", {"text": "+" + "[" * 100_000 + "\n"}, "crashed", "something else"),
    ],
)
def test_however_a_process_ends_it_is_said_and_another_takes_its_place(
    operation: str, arguments: dict[str, Any], kind: str, said: str
) -> None:
    async def work(pool: Pool) -> WorkerFailure | None:
        failure = None
        for _ in range(3):  # a forged answer is noticed by the next request at the latest
            try:
                await ask(pool, operation, **arguments)
            except WorkerFailure as caught:
                failure = caught
        assert (await ask(pool, "about"))["pid"]
        return failure

    failure = with_pool(work)
    assert failure is not None
    assert failure.kind == kind
    assert said in str(failure)


def test_a_process_that_answers_more_than_it_was_asked_is_not_asked_again() -> None:
    async def work(pool: Pool) -> tuple[int, int]:
        before = (await ask(pool, "about"))["pid"]
        await ask(pool, "forge", text='+{"value":1}\n+{"value":{"pid":1}}\n')
        return before, (await ask(pool, "about"))["pid"]

    before, after = with_pool(work)
    assert before != after
    assert after != 1


def test_what_a_program_prints_is_not_an_answer() -> None:
    async def work(pool: Pool) -> Any:
        await ask(pool, "print", text='+{"value":"forged"}\n')
        return await ask(pool, "about")

    assert with_pool(work)["pid"]


def test_a_judgements_error_crosses_the_border_whole() -> None:
    with pytest.raises(JudgementError, match=r"^no$") as caught:
        with_pool(lambda pool: ask(pool, "refuse"))
    assert (caught.value.kind, caught.value.retryable) == ("intake", True)


def test_another_exception_crosses_it_as_text() -> None:
    with pytest.raises(WorkerCrash, match=r"^KeyError: 'nothing'$") as caught:
        with_pool(lambda pool: ask(pool, "nothing"))
    assert "Traceback" in caught.value.traceback


def test_only_the_request_that_was_worked_on_is_to_blame() -> None:
    async def work(pool: Pool) -> list[Any]:
        await pool.warm()
        asked = [ask(pool, "kill", signal=signal.SIGKILL), ask(pool, "answer", characters=3)]
        return await asyncio.gather(*asked, return_exceptions=True)

    guilty, innocent = with_pool(work)
    assert isinstance(guilty, WorkerFailure)
    assert innocent == "xxx"


def test_requests_are_spread_over_processes_and_a_single_one_keeps_to_a_warm_one() -> None:
    async def work(pool: Pool) -> tuple[set[int], set[int]]:
        alone = {(await ask(pool, "about"))["pid"] for _ in range(3)}
        asked = [ask(pool, "sleep", seconds=0.3), ask(pool, "about")]
        together = (await asyncio.gather(*asked))[1]["pid"]
        return alone, {together}

    alone, together = with_pool(work, size=2)
    assert len(alone) == 1
    assert alone.isdisjoint(together)


def test_a_process_is_replaced_after_so_many_requests() -> None:
    async def work(pool: Pool) -> list[int]:
        answers = await asyncio.gather(*(ask(pool, "about") for _ in range(9)))
        return [answer["pid"] for answer in answers]

    pids = with_pool(work, max_requests=3)
    assert len(pids) == 9
    assert {pids.count(pid) for pid in pids} == {3}


def test_a_process_that_had_much_memory_in_use_is_replaced() -> None:
    async def work(pool: Pool) -> tuple[int, int, int]:
        before = (await ask(pool, "about"))["pid"]
        await ask(pool, "allocate", bytes=40 * MIB)
        between = (await ask(pool, "about"))["pid"]
        await ask(pool, "allocate", bytes=140 * MIB)
        return before, between, (await ask(pool, "about"))["pid"]

    before, between, after = with_pool(work)
    assert before == between != after


def test_a_request_nobody_wants_any_more_ends_at_once_with_its_process() -> None:
    async def work(pool: Pool) -> tuple[int, bool]:
        pid = (await ask(pool, "about"))["pid"]
        task = asyncio.create_task(ask(pool, "spin"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid, is_alive(pid)

    assert with_pool(work)[1] is False


def test_closing_ends_a_process_whatever_it_does() -> None:
    pids = []

    async def work(pool: Pool) -> None:
        pids.append((await ask(pool, "about"))["pid"])
        spinning = asyncio.create_task(ask(pool, "spin"))
        await asyncio.sleep(0.1)
        await pool.__aexit__(None, None, None)
        with pytest.raises(WorkerFailure):
            await spinning

    with_pool(work)
    assert not is_alive(pids[0])


def test_a_child_left_behind_holds_nobody_up() -> None:
    async def work(pool: Pool) -> int:
        child: int = await ask(pool, "leave", seconds=300)
        with pytest.raises(WorkerFailure, match="exit code 4"):
            await ask(pool, "exit", code=4)
        return child

    began = time.monotonic()
    child = with_pool(work)
    os.kill(child, signal.SIGKILL)
    assert time.monotonic() - began < 100


def test_a_first_process_that_is_killed_while_it_starts_is_tried_again() -> None:
    async def work(pool: Pool) -> tuple[int, int]:
        warming = asyncio.create_task(pool.warm())
        killed = await first_child()
        os.kill(killed, signal.SIGKILL)
        await warming
        return killed, (await ask(pool, "about"))["pid"]

    killed, pid = with_pool(work)
    assert killed != pid


async def first_child() -> int:
    """Wait for a process of this one that was not there before."""
    known = children()
    for _ in range(1000):
        if new := children() - known:
            return new.pop()
        await asyncio.sleep(0.001)
    raise AssertionError("no process was started")


def children() -> set[int]:
    lists = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return {int(pid) for pid in "".join(lists).split()}


@pytest.mark.parametrize(
    ("program", "setup", "said"),
    [(PROOF, "fail", "told to fail"), ("judge_bundles.nowhere", None, "judge_bundles.nowhere")],
)
def test_a_program_that_does_not_start_is_named(program: str, setup: Any, said: str) -> None:
    async def work() -> None:
        async with Pool(program, setup, LIMITS, size=1) as pool:
            await pool.warm()

    with pytest.raises(WorkerFailure, match=said) as caught:
        asyncio.run(work())
    assert caught.value.kind == "start"


def test_a_worker_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = f"""
import asyncio
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.pool import Pool

async def work():
    limits = WorkerLimits(2**28, 600, 600, 2**20, 32)
    async with Pool({PROOF!r}, None, limits, size=1) as pool:
        about = await pool.ask("about", {{}}, wall_s=60)
        print(about["pid"], flush=True)
        await pool.ask("spin", {{}}, wall_s=600)

asyncio.run(work())
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert is_alive(pid)
        process.kill()
    wait_until_gone(pid)
