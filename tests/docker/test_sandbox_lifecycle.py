"""A container is there for one judgement and gone after it, however that ended."""

import asyncio
from pathlib import Path

import pytest

from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.owner import ENTRY, RUN
from tests.support.containers import call_once, containers

pytestmark = pytest.mark.docker


def test_a_container_is_removed_after_a_normal_end(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(small_bundle, run_id="normal", entry_id="e")
        async with sandbox:
            assert (await sandbox.call("read_file", {"path": "report.md"})).text
            assert containers(docker_engine, "normal") == [sandbox.container_id]

    asyncio.run(judge())

    assert containers(docker_engine, "normal") == []


def test_a_container_is_removed_after_an_exception(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> None:
        async with docker_engine.sandbox(small_bundle, run_id="exception", entry_id="e"):
            raise RuntimeError("a fault of the judge")

    with pytest.raises(RuntimeError, match="a fault of the judge"):
        asyncio.run(judge())

    assert containers(docker_engine, "exception") == []


def test_a_container_is_removed_after_a_cancelled_call(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> None:
        started = asyncio.Event()

        async def search() -> None:
            sandbox = docker_engine.sandbox(small_bundle, run_id="cancelled", entry_id="e")
            async with sandbox:
                started.set()
                await sandbox.call("search_files", {"pattern": "(a+a+)+$"})

        task = asyncio.create_task(search())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(judge())

    assert containers(docker_engine, "cancelled") == []


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_container_is_removed_when_its_start_is_cancelled(
    docker_engine: Engine, small_bundle: Path, steps: int
) -> None:
    run_id = f"cancelled-start-{steps}"

    async def judge() -> None:
        task = asyncio.create_task(
            call_once(docker_engine.sandbox(small_bundle, run_id=run_id, entry_id="e"))
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(judge())

    assert containers(docker_engine, run_id) == []


def test_many_sandboxes_can_be_open_at_once(docker_engine: Engine, small_bundle: Path) -> None:
    async def judge(number: int) -> str:
        sandbox = docker_engine.sandbox(small_bundle, run_id="many", entry_id=str(number))
        async with sandbox:
            return (await sandbox.call("read_file", {"path": "report.md"})).text

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(judge(number) for number in range(12)))

    texts = asyncio.run(all_of_them())

    assert len(texts) == 12
    assert len(set(texts)) == 1
    assert containers(docker_engine, "many") == []


def test_calls_made_at_once_are_answered_each_with_its_own(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> list[str]:
        sandbox = docker_engine.sandbox(small_bundle, run_id="at-once", entry_id="e")
        async with sandbox:
            replies = await asyncio.gather(
                *(sandbox.call("file_info", {"path": name}) for name in ("report.md", "slow.txt"))
            )
            return [reply.text.partition(":")[0] for reply in replies]

    assert asyncio.run(judge()) == ["report.md", "slow.txt"]


def test_labels_tell_the_run_and_hide_the_name_of_the_bundle(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> dict[str, str]:
        sandbox = docker_engine.sandbox(
            small_bundle, run_id="labels", entry_id="secret client name"
        )
        async with sandbox:
            assert sandbox.container_id is not None
            found = docker_engine.api.inspect_container(sandbox.container_id)
            labels: dict[str, str] = found["Config"]["Labels"]
            return labels

    labels = asyncio.run(judge())

    assert labels[RUN] == "labels"
    assert len(labels[ENTRY]) == 16
    assert "secret" not in str(labels)


def test_a_folder_whose_name_has_a_colon_is_shown(docker_engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "a:b,c d"
    root.mkdir(mode=0o755)
    (root / "x").write_text("x")

    async def judge() -> str:
        sandbox = docker_engine.sandbox(root, run_id="colon", entry_id="e")
        async with sandbox:
            return (await sandbox.call("list_files", {})).text

    assert "1 files" in asyncio.run(judge())
