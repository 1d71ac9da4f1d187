"""What the docker tests of the sandbox share: a greeting server, and a look at what is left."""

import asyncio
from collections.abc import Callable

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.owner import RUN

HELLO = """
import json, sys, time
from sandbox_image.facts import hello
print(json.dumps({'hello': hello('/bundle')}), flush=True)
sys.stdin.readline()
"""
"""A server that greets as it should and has read one request."""


def containers(engine: Engine, run_id: str) -> list[str]:
    """Ids of all containers of a run, whatever their state."""
    listed = engine.api.containers(all=True, filters={"label": f"{RUN}={run_id}"})
    return [container["Id"] for container in listed]


def judgement_error(work: Callable[[], object]) -> JudgementError:
    """Return the judgement error that `work` ends with."""
    with pytest.raises(JudgementError) as raised:
        work()
    return raised.value


def failure_of(sandbox: DockerSandbox) -> JudgementError:
    """Return the judgement error that one call in a sandbox ends with, in bounded time."""
    return judgement_error(lambda: asyncio.run(asyncio.wait_for(call_once(sandbox), 60)))


async def call_once(sandbox: DockerSandbox) -> None:
    """Start the sandbox and make one call."""
    async with sandbox:
        await sandbox.call("list_files", {})
