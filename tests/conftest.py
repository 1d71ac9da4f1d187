"""What tests of several layers need: an engine that answers, with the sandbox image in it."""

import asyncio
import os
from collections.abc import Iterator

import pytest
import structlog

from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox.engine import Engine


async def _prepared_engine() -> Engine:
    engine = await Engine.connect()
    await engine.prepare_image()
    return engine


@pytest.fixture(autouse=True)
def unconfigured_logs() -> Iterator[None]:
    """Undo what a test made of the logs: they go to a stream that is closed after that test."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[Engine]:
    """An engine with the sandbox image. Without one: skipped with the reason, but a failure in CI."""
    try:
        engine = asyncio.run(_prepared_engine())
    except EngineSetupError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs a container engine: {error}")
        pytest.skip(f"no sandbox to test in: {error}")
    yield engine
    asyncio.run(engine.close())
