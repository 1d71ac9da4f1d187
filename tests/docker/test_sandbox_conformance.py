"""The tool server in its container answers exactly as it does in a plain process."""

import asyncio
from pathlib import Path

import pytest

from judge_bundles.sandbox.engine import Engine
from tests.support.conformance_check import check
from tests.support.tool_conformance import CASES, Case, write_bundle

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_container_answers_as_any_sandbox_must(
    case: Case, tmp_path: Path, docker_engine: Engine
) -> None:
    root = write_bundle(case, tmp_path / "bundle")
    sandbox = docker_engine.sandbox(root, run_id="conformance", entry_id=case.name)

    asyncio.run(check(case, sandbox))
