"""The tool server as a plain process: the conformance list, and how its end is told."""

import asyncio
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
