"""What goes wrong in or with a container is told by its kind, in bounded time, and leaves nothing."""

import asyncio
import tracemalloc
from pathlib import Path

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_TOOL_REPLY_BYTES
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from tests.support import probe
from tests.support.containers import HELLO, containers, failure_of, judgement_error

pytestmark = pytest.mark.docker


def test_a_container_that_is_killed_during_a_call_has_died(
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(small_bundle, run_id="killed", entry_id="e")
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
    docker_engine: Engine, small_bundle: Path
) -> None:
    async def judge() -> None:
        sandbox = docker_engine.sandbox(small_bundle, run_id="removed", entry_id="e")
        async with sandbox:
            assert sandbox.container_id is not None
            docker_engine.api.remove_container(sandbox.container_id, force=True)
            await sandbox.call("list_files", {})

    error = judgement_error(lambda: asyncio.run(judge()))

    assert error.kind == "sandbox_died"
    assert "removed during the judgement" in error.message


def test_running_out_of_memory_is_told_apart_from_a_kill(
    docker_engine: Engine, small_bundle: Path
) -> None:
    sandbox = docker_engine.sandbox(
        small_bundle,
        run_id="memory",
        entry_id="e",
        options=SandboxOptions(memory_bytes=64 * 1024 * 1024),
        program=probe.python(HELLO + "kept = bytearray(256 * 1024 * 1024)\n"),
    )

    error = failure_of(sandbox)

    assert (error.kind, error.retryable) == ("sandbox_oom", False)


def test_a_server_that_ends_has_died_with_its_last_words(
    docker_engine: Engine, small_bundle: Path
) -> None:
    code = HELLO + "print('no\\nmore disk', file=sys.stderr); sys.exit(3)\n"
    sandbox = docker_engine.sandbox(
        small_bundle, run_id="ended", entry_id="e", program=probe.python(code)
    )

    error = failure_of(sandbox)

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
        ("print('[' * 1_000_000, flush=True); time.sleep(60)", "sandbox_protocol"),
        ('print(\'{"id": 1, "id": 1}\', flush=True); time.sleep(60)', "sandbox_protocol"),
        ("sys.stdout.write('{\"id\": 1, '); sys.stdout.flush()", "sandbox_died"),
        ("import os; os.close(1); os.close(2); time.sleep(60)", "sandbox_timeout"),
    ],
)
def test_a_server_that_misbehaves_ends_in_bounded_time(
    docker_engine: Engine, small_bundle: Path, behaviour: str, kind: str
) -> None:
    sandbox = docker_engine.sandbox(
        small_bundle,
        run_id="misbehaved",
        entry_id="e",
        program=probe.python(HELLO + behaviour),
        tool_timeout_s=2.0,
    )

    error = failure_of(sandbox)

    assert error.kind == kind
    assert containers(docker_engine, "misbehaved") == []


def test_a_flood_that_nobody_asked_for_waits_outside_this_process(
    docker_engine: Engine, small_bundle: Path
) -> None:
    flood = HELLO.replace("sys.stdin.readline()", "sys.stdout.write('x' * 200_000_000)")

    async def judge() -> int:
        sandbox = docker_engine.sandbox(
            small_bundle, run_id="unasked", entry_id="e", program=probe.python(flood)
        )
        async with sandbox:
            tracemalloc.start()
            try:
                with pytest.raises(JudgementError) as raised:
                    await sandbox.call("list_files", {})
                assert raised.value.kind == "sandbox_protocol"
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    assert asyncio.run(judge()) < 4 * MAX_TOOL_REPLY_BYTES
    assert containers(docker_engine, "unasked") == []


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
    docker_engine: Engine, small_bundle: Path, greeting: str, kind: str
) -> None:
    code = "import json, sys, time\nfrom sandbox_image.facts import hello\n" + greeting
    sandbox = docker_engine.sandbox(
        small_bundle, run_id="greeting", entry_id="e", program=probe.python(code)
    )

    assert failure_of(sandbox).kind == kind
    assert containers(docker_engine, "greeting") == []


def test_a_silent_start_is_given_up(docker_engine: Engine, small_bundle: Path) -> None:
    sandbox = docker_engine.sandbox(
        small_bundle,
        run_id="silent",
        entry_id="e",
        program=probe.python("import time; time.sleep(60)"),
        start_timeout_s=1.0,
    )

    error = failure_of(sandbox)

    assert error.kind == "sandbox_start"
    assert "within 1 s" in error.message
    assert containers(docker_engine, "silent") == []


def test_a_runtime_that_is_not_installed_does_not_start(
    docker_engine: Engine, small_bundle: Path
) -> None:
    sandbox = docker_engine.sandbox(
        small_bundle,
        run_id="runtime",
        entry_id="e",
        options=SandboxOptions(runtime="no-such-runtime"),
    )

    error = failure_of(sandbox)

    assert error.kind == "sandbox_start"
    assert "no-such-runtime" in error.message


def test_a_folder_that_is_gone_does_not_start_and_is_not_made(
    docker_engine: Engine, tmp_path: Path
) -> None:
    sandbox = docker_engine.sandbox(tmp_path / "gone", run_id="folder", entry_id="e")

    error = failure_of(sandbox)

    assert error.kind == "sandbox_start"
    assert "does not exist" in error.message
    assert not (tmp_path / "gone").exists()
