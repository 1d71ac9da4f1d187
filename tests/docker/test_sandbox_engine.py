"""Connecting to an engine, and taking away what dead runs left in it."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox import launch
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.owner import Owner

pytestmark = pytest.mark.docker


def leave_behind(engine: Engine, root: Path, owner: Owner, run_id: str) -> str:
    """Create a container that `owner` never removed."""
    assert engine.image is not None
    plan = launch.Plan(engine.image.id, root, owner.labels(run_id, "e"), SandboxOptions())
    return launch.create(engine.api, plan)


def exists(engine: Engine, container: str) -> bool:
    return bool(engine.api.containers(all=True, filters={"id": container}))


def ended_process() -> Owner:
    """An owner that lived and is gone."""
    code = "from judge_bundles.sandbox.owner import Owner; o = Owner.this_process(); print(o.pid, o.started)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    pid, started = said.stdout.split()
    return replace(Owner.this_process(), pid=int(pid), started=started)


def test_what_a_dead_process_left_is_swept_and_what_a_living_one_has_is_not(
    docker_engine: Engine, tmp_path: Path
) -> None:
    dead = leave_behind(docker_engine, tmp_path, ended_process(), "dead")
    living = leave_behind(docker_engine, tmp_path, Owner.this_process(), "living")
    try:
        removed = asyncio.run(docker_engine.sweep())

        assert removed >= 1
        assert not exists(docker_engine, dead)
        assert exists(docker_engine, living)
    finally:
        docker_engine.api.remove_container(living, force=True)


def test_a_running_container_of_a_dead_process_is_swept(
    docker_engine: Engine, tmp_path: Path
) -> None:
    container = leave_behind(docker_engine, tmp_path, ended_process(), "running")
    docker_engine.api.start(container)

    asyncio.run(docker_engine.sweep())

    assert not exists(docker_engine, container)


def test_what_was_left_before_the_machine_restarted_is_swept(
    docker_engine: Engine, tmp_path: Path
) -> None:
    earlier = replace(Owner.this_process(), boot="00000000-0000-0000-0000-000000000000")
    container = leave_behind(docker_engine, tmp_path, earlier, "earlier-boot")

    asyncio.run(docker_engine.sweep())

    assert not exists(docker_engine, container)


def test_containers_of_others_are_left_alone(docker_engine: Engine, tmp_path: Path) -> None:
    elsewhere = replace(ended_process(), host="another namespace")
    container = leave_behind(docker_engine, tmp_path, elsewhere, "elsewhere")
    assert docker_engine.image is not None
    foreign = docker_engine.api.create_container(docker_engine.image.id)["Id"]
    try:
        asyncio.run(docker_engine.sweep())

        assert exists(docker_engine, container)
        assert exists(docker_engine, foreign)
    finally:
        docker_engine.api.remove_container(container, force=True)
        docker_engine.api.remove_container(foreign, force=True)


def test_a_killed_orchestrator_leaves_nothing_once_the_next_has_swept(
    docker_engine: Engine, tmp_path: Path
) -> None:
    root = tmp_path / "bundle"
    root.mkdir(mode=0o755)
    code = f"""
import asyncio, pathlib
from judge_bundles.sandbox.engine import Engine
async def main():
    engine = await Engine.connect()
    await engine.prepare_image()
    sandbox = engine.sandbox(pathlib.Path({str(root)!r}), run_id='killed-run', entry_id='e')
    async with sandbox:
        print(sandbox.container_id, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        container = process.stdout.readline().strip()
        assert exists(docker_engine, container)
        process.kill()

    asyncio.run(docker_engine.sweep())

    assert not exists(docker_engine, container)


def test_an_address_where_nobody_listens_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EngineSetupError) as raised:
        asyncio.run(Engine.connect(f"unix://{tmp_path}/none.sock"))

    assert str(raised.value) == (
        f"No container engine answers at unix://{tmp_path}/none.sock (No such file or directory): "
        "start it, set DOCKER_HOST to its address, or use --prechecks-only."
    )


def test_an_engine_on_another_machine_is_refused() -> None:
    with pytest.raises(EngineSetupError, match=r"tcp://127\.0\.0\.1:2375 is not on this machine"):
        asyncio.run(Engine.connect("tcp://127.0.0.1:2375"))


def test_docker_host_names_the_engine(
    docker_engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/named.sock")

    with pytest.raises(EngineSetupError, match=r"named\.sock"):
        asyncio.run(Engine.connect())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user without rights")
def test_an_engine_that_may_not_be_used_says_so(tmp_path: Path) -> None:
    code = """
import asyncio, os
from judge_bundles.sandbox.engine import Engine
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    asyncio.run(Engine.connect())
except Exception as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "may not be used by this user" in said.stdout


def test_a_sandbox_needs_a_prepared_image(docker_engine: Engine, tmp_path: Path) -> None:
    async def ask() -> None:
        engine = await Engine.connect()
        try:
            engine.sandbox(tmp_path, run_id="r", entry_id="e")
        finally:
            await engine.close()

    with pytest.raises(EngineSetupError, match="not prepared"):
        asyncio.run(ask())


def test_a_runtime_that_the_engine_lacks_is_found_before_anything_runs(
    docker_engine: Engine,
) -> None:
    with pytest.raises(EngineSetupError, match=r"nope.*runc"):
        asyncio.run(docker_engine.require_runtimes(["runc", "nope"]))
    asyncio.run(docker_engine.require_runtimes(["runc"]))
