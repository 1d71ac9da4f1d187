"""The tool server as a plain process: the conformance list, and how its end is told."""

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.process import ProcessSandbox
from tests.support.conformance_check import check
from tests.support.tool_conformance import CASES, Case, write_bundle


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_process_answers_as_any_sandbox_must(case: Case, tmp_path: Path) -> None:
    sandbox = ProcessSandbox(write_bundle(case, tmp_path / "bundle"))

    asyncio.run(check(case, sandbox))


def test_a_process_has_no_image(tmp_path: Path) -> None:
    assert ProcessSandbox(tmp_path).image_id is None


def test_a_folder_that_is_not_there_does_not_start(tmp_path: Path) -> None:
    async def start() -> None:
        async with ProcessSandbox(tmp_path / "missing"):
            pass

    with pytest.raises(JudgementError) as raised:
        asyncio.run(start())
    assert raised.value.kind == "sandbox_start"


def test_a_program_that_is_no_python_does_not_start(tmp_path: Path) -> None:
    async def start() -> None:
        async with ProcessSandbox(tmp_path, python="/bin/false"):
            pass

    with pytest.raises(JudgementError) as raised:
        asyncio.run(start())
    assert raised.value.kind == "sandbox_start"


def test_a_search_in_progress_ends_with_its_sandbox(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text("a" * 60 + "b\n")

    async def search() -> None:
        async with ProcessSandbox(tmp_path, tool_timeout_s=0.5) as sandbox:
            await sandbox.call("search_files", {"pattern": "(a+a+)+$"})

    with pytest.raises(JudgementError) as raised:
        asyncio.run(search())
    assert raised.value.kind == "sandbox_timeout"
    deadline = time.monotonic() + 10
    # What was killed is nobody's child any more, so that its end cannot be waited for otherwise.
    while left := commands_on(tmp_path):
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def commands_on(folder: Path) -> list[bytes]:
    """Command lines of processes that name a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes())
    return [command for command in found if os.fsencode(folder) in command]
