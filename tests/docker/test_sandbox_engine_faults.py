"""An engine that goes away or hangs is told apart from a container that died."""

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_bundles.sandbox.engine import Engine
from tests.support.containers import containers, judgement_error
from tests.support.engine_relay import EngineRelay

pytestmark = pytest.mark.docker


@pytest.fixture
def relay(tmp_path: Path, docker_engine: Engine) -> Iterator[EngineRelay]:
    """An engine that can be made to vanish; what it leaves in the real one is removed."""
    relay = EngineRelay(tmp_path / "relay.sock")
    yield relay
    relay.vanish()
    for container in containers(docker_engine, RELAYED):
        docker_engine.api.remove_container(container, force=True)
    # The client leaves the socket of a refused connection to the garbage collector, which is to
    # find it now and not in some later test.
    gc.collect()


refused_connections = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
RELAYED = "relayed"


@refused_connections
def test_an_engine_that_vanishes_is_told_apart_from_a_container_that_died(
    small_bundle: Path, relay: EngineRelay
) -> None:
    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        try:
            async with engine.sandbox(small_bundle, run_id=RELAYED, entry_id="e") as sandbox:
                await asyncio.to_thread(relay.vanish)
                await sandbox.call("list_files", {})
        finally:
            await engine.close()

    error = judgement_error(lambda: asyncio.run(judge()))

    assert error.kind == "engine"
    assert relay.address in error.message


@refused_connections
def test_an_engine_that_stalls_during_a_call_is_waited_for_no_longer_than_asked(
    small_bundle: Path, relay: EngineRelay
) -> None:
    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        sandbox = engine.sandbox(small_bundle, run_id=RELAYED, entry_id="e", tool_timeout_s=1.0)
        try:
            async with sandbox:
                relay.stall()
                try:
                    await sandbox.call("list_files", {})
                finally:
                    await asyncio.to_thread(relay.vanish)
        finally:
            await engine.close()

    assert judgement_error(lambda: asyncio.run(judge())).kind == "sandbox_timeout"


@refused_connections
def test_a_container_outlives_a_lost_connection_only_until_its_input_ends(
    docker_engine: Engine, small_bundle: Path, relay: EngineRelay
) -> None:
    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        async with engine.sandbox(small_bundle, run_id=RELAYED, entry_id="e"):
            await asyncio.to_thread(relay.vanish)
        await engine.close()

    asyncio.run(judge())

    [left] = containers(docker_engine, RELAYED)
    assert docker_engine.api.wait(left, timeout=30)["StatusCode"] == 0
