"""When a process is replaced although it answers: its memory, and what a program says of itself."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from judge_bundles.limits import MIB
from judge_bundles.workers.failure import WorkerFailure
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.pool import Pool

PROOF: Final = "judge_bundles.workers.proof"
LIMITS: Final = WorkerLimits(
    memory_bytes=256 * MIB, cpu_s=5, wall_s=60, file_bytes=MIB, open_files=32
)


async def pids(
    program: str, operation: str, times: int, limits: WorkerLimits = LIMITS
) -> list[int]:
    async with Pool(program, None, limits, size=1) as pool:
        answers = [await pool.ask(operation, {}, wall_s=60) for _ in range(times)]
    return [answer["pid"] for answer in answers]


def test_a_large_parent_does_not_wear_its_workers_out() -> None:
    program = (
        "import asyncio, sys\n"
        "ballast = b'x' * (200 * 2**20)\n"
        "from tests.orchestrator.workers.test_worker_wear import PROOF, pids\n"
        "assert len(set(asyncio.run(pids(PROOF, 'about', 3)))) == 1\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True, timeout=120)


def test_a_process_that_is_worn_by_its_set_up_is_no_process() -> None:
    tight = replace(LIMITS, memory_bytes=18 * MIB)

    async def work() -> None:
        async with Pool(PROOF, None, tight, size=1) as pool:
            await pool.ask("about", {}, wall_s=60)

    with pytest.raises(WorkerFailure) as caught:
        asyncio.run(asyncio.wait_for(work(), 60))
    assert caught.value.kind == "start"
    assert "more than half of 18 MiB" in str(caught.value)
