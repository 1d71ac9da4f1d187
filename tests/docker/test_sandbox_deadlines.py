"""An engine that hangs is waited for no longer than it was given, whatever it was asked."""

import asyncio
import contextlib
import io
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from requests import exceptions as requests_errors

from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox import launch
from judge_bundles.sandbox.client import Client
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.image import prepare
from judge_bundles.sandbox.lifecycle import remove_container
from tests.support.containers import call_once, containers, judgement_error
from tests.support.private_engine import PrivateEngine

pytestmark = pytest.mark.docker

DEADLINE_S = 1.0
SOON_S = 15.0
"""Far above any deadline here, far below the minute that an engine has outside of tests."""


@pytest.fixture(scope="module")
def hasty(own_engine: PrivateEngine) -> Iterator[Engine]:
    """An engine that is given a second for each answer."""

    async def prepared() -> Engine:
        engine = await Engine.connect(own_engine.address, timeout_s=DEADLINE_S)
        await engine.prepare_image()
        return engine

    # The image is built first, which may take its time.
    patient = Client(own_engine.address, 60)
    prepare(patient)
    patient.close()
    engine = asyncio.run(prepared())
    yield engine
    asyncio.run(engine.close())


@pytest.fixture
def created(hasty: Engine, small_bundle: Path) -> Iterator[str]:
    """A container that was not started."""
    plan = hasty.plan(small_bundle, run_id="deadlines", entry_id="e")
    container = launch.create(hasty.api, plan)
    yield container
    remove_container(hasty.api, container)


def context() -> io.BytesIO:
    content = b"FROM none\n"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    archive.seek(0)
    return archive


CALLS: dict[str, Callable[[Client, str, launch.Plan], Any]] = {
    "info": lambda api, _id, _plan: api.info(),
    "create": lambda api, _id, plan: launch.create(api, plan),
    "inspect": lambda api, container, _plan: api.inspect_container(container),
    "attach": lambda api, container, _plan: api.attach_socket(container),
    "start": lambda api, container, _plan: api.start(container),
    "wait": lambda api, container, _plan: api.wait(container, timeout=1),
    "kill": lambda api, container, _plan: api.kill(container),
    "remove": lambda api, container, _plan: api.remove_container(container, force=True),
    "list": lambda api, _id, _plan: api.containers(all=True),
    "image": lambda api, _id, _plan: prepare(api, "none"),
    "pull": lambda api, _id, _plan: list(api.pull("127.0.0.1:9/none", stream=True, decode=True)),
    "build": lambda api, _id, _plan: list(
        api.build(fileobj=context(), custom_context=True, decode=True)
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_call_of_an_engine_that_hangs_ends(
    name: str, own_engine: PrivateEngine, hasty: Engine, created: str, small_bundle: Path
) -> None:
    plan = hasty.plan(small_bundle, run_id="deadlines", entry_id="e")
    started = time.monotonic()

    with own_engine.stopped(), pytest.raises(lost()):
        CALLS[name](hasty.api, created, plan)

    assert time.monotonic() - started < SOON_S


def lost() -> tuple[type[Exception], ...]:
    """What the client raises when an answer does not come in time."""
    return (requests_errors.Timeout, requests_errors.ConnectionError)


@pytest.mark.parametrize(
    "ask",
    [
        lambda engine: engine.prepare_image(),
        lambda engine: engine.sweep(),
        lambda engine: engine.require_runtimes(["runc"]),
    ],
    ids=["image", "sweep", "runtimes"],
)
def test_what_is_asked_before_anything_is_judged_ends_as_a_setup_error(
    own_engine: PrivateEngine, hasty: Engine, ask: Callable[[Engine], Any]
) -> None:
    async def main() -> None:
        await ask(hasty)

    started = time.monotonic()
    with own_engine.stopped(), pytest.raises(EngineSetupError, match=own_engine.address):
        asyncio.run(main())
    assert time.monotonic() - started < SOON_S


def test_connecting_to_an_engine_that_hangs_ends_as_a_setup_error(
    own_engine: PrivateEngine,
) -> None:
    started = time.monotonic()
    with own_engine.stopped(), pytest.raises(EngineSetupError, match=own_engine.address):
        asyncio.run(Engine.connect(own_engine.address, timeout_s=DEADLINE_S))
    assert time.monotonic() - started < SOON_S


def test_a_sandbox_of_an_engine_that_hangs_does_not_start_and_says_so(
    own_engine: PrivateEngine, hasty: Engine, small_bundle: Path
) -> None:
    sandbox = hasty.sandbox(small_bundle, run_id="hung-start", entry_id="e")
    started = time.monotonic()

    with own_engine.stopped():
        error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert (error.kind, error.retryable) == ("engine", True)
    assert own_engine.address in error.message
    assert time.monotonic() - started < SOON_S


@pytest.mark.parametrize("stop_during", ["a call", "the end"])
def test_a_judgement_ends_when_the_engine_hangs_in_the_middle(
    own_engine: PrivateEngine, hasty: Engine, small_bundle: Path, stop_during: str
) -> None:
    async def judge() -> None:
        sandbox = hasty.sandbox(
            small_bundle, run_id="hung-call", entry_id="e", tool_timeout_s=DEADLINE_S
        )
        with contextlib.ExitStack() as stack:
            async with sandbox:
                await sandbox.call("list_files", {})
                stack.enter_context(own_engine.stopped())
                if stop_during == "a call":
                    await sandbox.call("list_files", {})

    started = time.monotonic()
    if stop_during == "a call":
        assert judgement_error(lambda: asyncio.run(judge())).kind == "sandbox_timeout"
    else:
        asyncio.run(judge())
    assert time.monotonic() - started < SOON_S
    wait_until_gone(hasty, "hung-call")


def test_a_start_that_an_engine_finishes_late_leaves_nothing(
    own_engine: PrivateEngine, hasty: Engine, small_bundle: Path
) -> None:
    sandbox = hasty.sandbox(small_bundle, run_id="late", entry_id="e", start_timeout_s=0.2)

    async def judge() -> None:
        starting = asyncio.create_task(call_once(sandbox))
        await asyncio.sleep(0)
        with own_engine.stopped():
            await asyncio.wait({starting}, timeout=0.5)
        await starting

    error = judgement_error(lambda: asyncio.run(judge()))

    assert error.kind in {"sandbox_start", "engine"}
    wait_until_gone(hasty, "late")


def wait_until_gone(engine: Engine, run_id: str) -> None:
    """Wait for an engine that goes on to do what it was asked before."""
    deadline = time.monotonic() + SOON_S
    while left := containers(engine, run_id):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
