"""A container is there for one judgement and gone after it, however that ended."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.owner import ENTRY, RUN
from tests.support import probe
from tests.support.engine_relay import EngineRelay

pytestmark = pytest.mark.docker

HELLO = """
import json, sys, time
from sandbox_image.facts import hello
print(json.dumps({'hello': hello('/bundle')}), flush=True)
sys.stdin.readline()
"""
"""A server that greets as it should and has read one request."""


# The client leaves the socket of a refused connection to the garbage collector.
refused_connections = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    root = tmp_path / "bundle"
    root.mkdir(mode=0o755)
    (root / "report.md").write_text("a report\n")
    (root / "slow.txt").write_text("a" * 60 + "b\n")
    return root


def containers(engine: Engine, run_id: str) -> list[str]:
    listed = engine.api.containers(all=True, filters={"label": f"{RUN}={run_id}"})
    return [container["Id"] for container in listed]


def judgement_error(work: Callable[[], object]) -> JudgementError:
    with pytest.raises(JudgementError) as raised:
        work()
    return raised.value


async def call_once(sandbox: DockerSandbox) -> None:
    async with sandbox:
        await sandbox.call("list_files", {})


def test_a_container_is_removed_after_a_normal_end(docker_engine: Engine, bundle: Path) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(bundle, run_id="normal", entry_id="e")
        async with sandbox:
            assert (await sandbox.call("read_file", {"path": "report.md"})).text
            assert containers(docker_engine, "normal") == [sandbox.container_id]

    asyncio.run(judge())

    assert containers(docker_engine, "normal") == []


def test_a_container_is_removed_after_an_exception(docker_engine: Engine, bundle: Path) -> None:
    async def judge() -> None:
        async with docker_engine.sandbox(bundle, run_id="exception", entry_id="e"):
            raise RuntimeError("a fault of the judge")

    with pytest.raises(RuntimeError, match="a fault of the judge"):
        asyncio.run(judge())

    assert containers(docker_engine, "exception") == []


def test_a_container_is_removed_after_a_cancelled_call(docker_engine: Engine, bundle: Path) -> None:
    async def judge() -> None:
        started = asyncio.Event()

        async def search() -> None:
            sandbox = docker_engine.sandbox(bundle, run_id="cancelled", entry_id="e")
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
    docker_engine: Engine, bundle: Path, steps: int
) -> None:
    run_id = f"cancelled-start-{steps}"

    async def judge() -> None:
        task = asyncio.create_task(
            call_once(docker_engine.sandbox(bundle, run_id=run_id, entry_id="e"))
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(judge())

    assert containers(docker_engine, run_id) == []


def test_many_sandboxes_can_be_open_at_once(docker_engine: Engine, bundle: Path) -> None:
    async def judge(number: int) -> str:
        sandbox = docker_engine.sandbox(bundle, run_id="many", entry_id=str(number))
        async with sandbox:
            return (await sandbox.call("read_file", {"path": "report.md"})).text

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(judge(number) for number in range(12)))

    texts = asyncio.run(all_of_them())

    assert len(texts) == 12
    assert len(set(texts)) == 1
    assert containers(docker_engine, "many") == []


def test_calls_made_at_once_are_answered_each_with_its_own(
    docker_engine: Engine, bundle: Path
) -> None:
    async def judge() -> list[str]:
        sandbox = docker_engine.sandbox(bundle, run_id="at-once", entry_id="e")
        async with sandbox:
            replies = await asyncio.gather(
                *(sandbox.call("file_info", {"path": name}) for name in ("report.md", "slow.txt"))
            )
            return [reply.text.partition(":")[0] for reply in replies]

    assert asyncio.run(judge()) == ["report.md", "slow.txt"]


def test_labels_tell_the_run_and_hide_the_name_of_the_bundle(
    docker_engine: Engine, bundle: Path
) -> None:
    async def judge() -> dict[str, str]:
        sandbox = docker_engine.sandbox(bundle, run_id="labels", entry_id="secret client name")
        async with sandbox:
            assert sandbox.container_id is not None
            found = docker_engine.api.inspect_container(sandbox.container_id)
            labels: dict[str, str] = found["Config"]["Labels"]
            return labels

    labels = asyncio.run(judge())

    assert labels[RUN] == "labels"
    assert len(labels[ENTRY]) == 16
    assert "secret" not in str(labels)


def test_a_container_that_is_killed_during_a_call_has_died(
    docker_engine: Engine, bundle: Path
) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(bundle, run_id="killed", entry_id="e")
        async with sandbox:
            call = asyncio.create_task(sandbox.call("search_files", {"pattern": "(a+a+)+$"}))
            await asyncio.sleep(0)
            assert sandbox.container_id is not None
            await asyncio.to_thread(docker_engine.api.kill, sandbox.container_id)
            await call

    error = judgement_error(lambda: asyncio.run(judge()))

    assert (error.kind, error.retryable) == ("sandbox_died", True)
    assert "killed from outside (exit 137)" in error.message
    assert containers(docker_engine, "killed") == []


def test_a_container_that_is_removed_during_a_call_has_died(
    docker_engine: Engine, bundle: Path
) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(bundle, run_id="removed", entry_id="e")
        async with sandbox:
            assert sandbox.container_id is not None
            docker_engine.api.remove_container(sandbox.container_id, force=True)
            await sandbox.call("list_files", {})

    error = judgement_error(lambda: asyncio.run(judge()))

    assert error.kind == "sandbox_died"
    assert "removed during the judgement" in error.message


def test_running_out_of_memory_is_told_apart_from_a_kill(
    docker_engine: Engine, bundle: Path
) -> None:
    sandbox = docker_engine.sandbox(
        bundle,
        run_id="memory",
        entry_id="e",
        options=SandboxOptions(memory_bytes=64 * 1024 * 1024),
        program=probe.python(HELLO + "kept = bytearray(256 * 1024 * 1024)\n"),
    )

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert (error.kind, error.retryable) == ("sandbox_oom", False)


def test_a_server_that_ends_has_died_with_its_last_words(
    docker_engine: Engine, bundle: Path
) -> None:
    code = HELLO + "print('no\\nmore disk', file=sys.stderr); sys.exit(3)\n"
    sandbox = docker_engine.sandbox(
        bundle, run_id="ended", entry_id="e", program=probe.python(code)
    )

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert error.kind == "sandbox_died"
    assert error.message == "The tool server ended with exit code 3: more disk"


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("print('{}', flush=True); time.sleep(60)", "sandbox_protocol"),
        ("print('nonsense', flush=True); time.sleep(60)", "sandbox_protocol"),
        ("while True: sys.stdout.write('x' * 65536)", "sandbox_protocol"),
        ("time.sleep(60)", "sandbox_timeout"),
        ("sys.stdout.write('{\"id\": 1, '); sys.stdout.flush(); time.sleep(60)", "sandbox_timeout"),
        ("while True: sys.stderr.write('x' * 65536)", "sandbox_protocol"),
    ],
)
def test_a_server_that_misbehaves_ends_in_bounded_time(
    docker_engine: Engine, bundle: Path, behaviour: str, kind: str
) -> None:
    sandbox = docker_engine.sandbox(
        bundle,
        run_id="misbehaved",
        entry_id="e",
        program=probe.python(HELLO + behaviour),
        tool_timeout_s=2.0,
    )

    error = judgement_error(lambda: asyncio.run(asyncio.wait_for(call_once(sandbox), 30)))

    assert error.kind == kind
    assert containers(docker_engine, "misbehaved") == []


@pytest.mark.parametrize(
    ("greeting", "kind"),
    [
        ("print('hello')", "sandbox_protocol"),
        ('print(\'{"hello": {"protocol": 2}}\')', "sandbox_protocol"),
        ("sys.exit(1)", "sandbox_start"),
        (
            "print(json.dumps({'hello': {**hello('/bundle'), 'interfaces': ['eth0', 'lo']}}))",
            "sandbox_isolation",
        ),
    ],
)
def test_a_server_that_greets_wrongly_is_not_used(
    docker_engine: Engine, bundle: Path, greeting: str, kind: str
) -> None:
    code = "import json, sys, time\nfrom sandbox_image.facts import hello\n" + greeting
    sandbox = docker_engine.sandbox(
        bundle, run_id="greeting", entry_id="e", program=probe.python(code)
    )

    assert judgement_error(lambda: asyncio.run(call_once(sandbox))).kind == kind
    assert containers(docker_engine, "greeting") == []


def test_a_silent_start_is_given_up(docker_engine: Engine, bundle: Path) -> None:
    sandbox = docker_engine.sandbox(
        bundle,
        run_id="silent",
        entry_id="e",
        program=probe.python("import time; time.sleep(60)"),
        start_timeout_s=1.0,
    )

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert error.kind == "sandbox_start"
    assert "within 1 s" in error.message
    assert containers(docker_engine, "silent") == []


def test_a_runtime_that_is_not_installed_does_not_start(
    docker_engine: Engine, bundle: Path
) -> None:
    sandbox = docker_engine.sandbox(
        bundle, run_id="runtime", entry_id="e", options=SandboxOptions(runtime="no-such-runtime")
    )

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert error.kind == "sandbox_start"
    assert "no-such-runtime" in error.message


def test_a_folder_that_is_gone_does_not_start_and_is_not_made(
    docker_engine: Engine, tmp_path: Path
) -> None:
    sandbox = docker_engine.sandbox(tmp_path / "gone", run_id="folder", entry_id="e")

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert error.kind == "sandbox_start"
    assert "does not exist" in error.message
    assert not (tmp_path / "gone").exists()


def test_a_folder_whose_name_has_a_colon_is_shown(docker_engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "a:b,c d"
    root.mkdir(mode=0o755)
    (root / "x").write_text("x")

    async def judge() -> str:
        sandbox = docker_engine.sandbox(root, run_id="colon", entry_id="e")
        async with sandbox:
            return (await sandbox.call("list_files", {})).text

    assert "1 files" in asyncio.run(judge())


@refused_connections
def test_an_engine_that_vanishes_is_told_apart_from_a_container_that_died(
    docker_engine: Engine, bundle: Path, tmp_path: Path
) -> None:
    relay = EngineRelay(tmp_path / "relay.sock")

    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        try:
            sandbox = engine.sandbox(bundle, run_id="vanished", entry_id="e")
            async with sandbox:
                await asyncio.to_thread(relay.vanish)
                await sandbox.call("list_files", {})
        finally:
            await engine.close()

    try:
        error = judgement_error(lambda: asyncio.run(judge()))
    finally:
        relay.vanish()
        for container in containers(docker_engine, "vanished"):
            docker_engine.api.remove_container(container, force=True)

    assert error.kind == "engine"
    assert relay.address in error.message


@refused_connections
def test_an_engine_that_stalls_during_a_call_is_waited_for_no_longer_than_asked(
    docker_engine: Engine, bundle: Path, tmp_path: Path
) -> None:
    relay = EngineRelay(tmp_path / "relay.sock")

    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        sandbox = engine.sandbox(bundle, run_id="stalled", entry_id="e", tool_timeout_s=1.0)
        try:
            async with sandbox:
                relay.stall()
                try:
                    await sandbox.call("list_files", {})
                finally:
                    await asyncio.to_thread(relay.vanish)
        finally:
            await engine.close()

    try:
        error = judgement_error(lambda: asyncio.run(judge()))
    finally:
        relay.vanish()
        for container in containers(docker_engine, "stalled"):
            docker_engine.api.remove_container(container, force=True)

    assert error.kind == "sandbox_timeout"


@refused_connections
def test_a_container_outlives_a_lost_connection_only_until_its_input_ends(
    docker_engine: Engine, bundle: Path, tmp_path: Path
) -> None:
    relay = EngineRelay(tmp_path / "relay.sock")

    async def judge() -> None:
        engine = await Engine.connect(relay.address)
        await engine.prepare_image()
        async with engine.sandbox(bundle, run_id="lost", entry_id="e"):
            await asyncio.to_thread(relay.vanish)
        await engine.close()

    try:
        asyncio.run(judge())
        left = containers(docker_engine, "lost")
        ended = [docker_engine.api.wait(container, timeout=30)["StatusCode"] for container in left]
    finally:
        relay.vanish()
        for container in containers(docker_engine, "lost"):
            docker_engine.api.remove_container(container, force=True)

    assert ended == [0]
