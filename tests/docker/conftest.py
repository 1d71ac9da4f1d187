"""A bundle that the user in a sandbox can read, and an engine of one's own."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.image import LOCAL_BASE
from tests.support.private_engine import PrivateEngine, missing, private_engine

GVISOR = "runsc"


@pytest.fixture
def small_bundle(tmp_path: Path) -> Path:
    """Two files, one of which some patterns take for ever on."""
    root = tmp_path / "bundle"
    root.mkdir(mode=0o755)
    (root / "report.md").write_text("a report\n")
    (root / "slow.txt").write_text("a" * 60 + "b\n")
    return root


@pytest.fixture(scope="session")
def own_engine(docker_engine: Engine) -> Iterator[PrivateEngine]:
    """An engine that may be stopped, with gVisor where that is installed."""
    problem = missing()
    if problem is None and not docker_engine.api.images(name=LOCAL_BASE):
        problem = f"the engine has no {LOCAL_BASE} to copy"
    if problem is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs an engine of its own: {problem}")
        pytest.skip(f"no engine of our own: {problem}")
    with private_engine(_runtimes()) as engine:
        yield engine


def _runtimes() -> dict[str, object]:
    """Return gVisor as it has to be registered: without a network, which it is never to have."""
    path = shutil.which(GVISOR)
    return {GVISOR: {"path": path, "runtimeArgs": ["--network=none"]}} if path else {}
