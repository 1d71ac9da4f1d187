"""The sandbox under gVisor, where every system call is answered by another kernel."""

import asyncio
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.cli.app import run
from judge_bundles.limits import SANDBOX_PIDS, SANDBOX_RUNTIME_THREADS
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.proof.attack import Attack, load
from judge_bundles.sandbox.proof.decoy import decoy
from judge_bundles.sandbox.proof.prove import attempt
from judge_bundles.sandbox.proof.target import Target
from tests.docker.conftest import GVISOR
from tests.support import probe
from tests.support.conformance_check import compare
from tests.support.containers import call_once, judgement_error
from tests.support.judging import look, submit, write_bundle
from tests.support.private_engine import PrivateEngine
from tests.support.tool_conformance import CASES, Case
from tests.support.tool_conformance import write_bundle as write_case

pytestmark = pytest.mark.docker
OPTIONS = SandboxOptions(runtime=GVISOR)


@pytest.fixture(scope="module")
def gvisor(own_engine: PrivateEngine) -> Iterator[Engine]:
    """An engine with gVisor. Where it is not installed: skipped, but a failure in CI."""
    if shutil.which(GVISOR) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs {GVISOR}")
        pytest.skip(f"{GVISOR} is not installed")
    engine = asyncio.run(_prepared(own_engine.address))
    yield engine
    asyncio.run(engine.close())


async def _prepared(address: str) -> Engine:
    engine = await Engine.connect(address)
    await engine.prepare_image()
    return engine


def by_bundle() -> list[list[Case]]:
    """Return the cases in groups that have one bundle: a start under gVisor takes its time."""
    groups: dict[tuple[tuple[bytes, bytes], ...], list[Case]] = {}
    for case in CASES:
        groups.setdefault(tuple(case.files.items()), []).append(case)
    return list(groups.values())


@pytest.mark.parametrize("cases", by_bundle(), ids=lambda cases: cases[0].name)
def test_the_tools_answer_as_any_sandbox_must(
    cases: list[Case], tmp_path: Path, gvisor: Engine
) -> None:
    root = write_case(cases[0], tmp_path / "bundle")

    async def check() -> None:
        sandbox = gvisor.sandbox(root, run_id="gvisor", entry_id="e", options=OPTIONS)
        async with sandbox:
            for case in cases:
                compare(case, await sandbox.call(case.tool, case.arguments))

    asyncio.run(check())


@pytest.fixture(scope="module")
def target(gvisor: Engine) -> Iterator[Target]:
    with decoy() as shown:
        yield Target(gvisor, shown, options=OPTIONS)


@pytest.mark.parametrize("attack", load(), ids=lambda attack: attack.name)
def test_the_sandbox_holds(attack: Attack, target: Target) -> None:
    result = attempt(target, attack)

    assert result.outcome == "held", result.detail


def test_its_own_threads_come_on_top_of_the_processes_of_the_rule(
    gvisor: Engine, small_bundle: Path
) -> None:
    async def limit(options: SandboxOptions) -> int:
        async with gvisor.sandbox(small_bundle, run_id="r", entry_id="e", options=options) as made:
            assert made.container_id is not None
            found: int = gvisor.api.inspect_container(made.container_id)["HostConfig"]["PidsLimit"]
            return found

    assert asyncio.run(limit(OPTIONS)) == SANDBOX_PIDS + SANDBOX_RUNTIME_THREADS >= 128
    assert asyncio.run(limit(SandboxOptions(pids=8, runtime=GVISOR))) == 8 + SANDBOX_RUNTIME_THREADS
    assert asyncio.run(limit(SandboxOptions())) == SANDBOX_PIDS


def test_another_kernel_is_seen_and_the_engines_own_gets_no_allowance(
    gvisor: Engine, small_bundle: Path
) -> None:
    release = "import json, os; print(json.dumps(os.uname().release))"
    plan = gvisor.plan(small_bundle, run_id="r", entry_id="e", options=OPTIONS)

    assert plan.engine_kernel == os.uname().release
    assert probe.run(gvisor, small_bundle, release, OPTIONS) != os.uname().release
    assert gvisor.plan(small_bundle, run_id="r", entry_id="e").engine_kernel is None


@pytest.fixture
def place(
    gvisor: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_engine: PrivateEngine
) -> Path:
    """A working folder with a bundle, a rule and a script, and the engine that has gVisor."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_HOST", own_engine.address)
    write_bundle(tmp_path / "r" / "a", {"report.md": "The report is complete.\n"})
    criteria = [{"id": "good", "text": "It is good."}]
    rule = {"rubric": "It is good.", "criteria": criteria, "sandbox": {"runtime": "runc"}}
    (tmp_path / "rule.json").write_text(json.dumps(rule))
    turns = {"conversations": [{"turns": [look(), submit()]}]}
    (tmp_path / "script.json").write_text(json.dumps(turns))
    return tmp_path


def judged(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    line = ["r", "--rule", "rule.json", "--model", "script:script.json", "--format", "json"]
    assert run([*line, *options]) == 0
    [record] = json.loads(capsys.readouterr().out)
    found: dict[str, Any] = record
    return found


@pytest.mark.usefixtures("place")
def test_the_line_names_the_runtime_and_another_one_is_another_judgement(
    gvisor: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    first = judged(capsys, "--runtime", GVISOR)
    again = judged(capsys, "--runtime", GVISOR)
    other = judged(capsys)

    assert again["reused_from"] == first["run_id"]
    assert other["reused_from"] is None
    assert first["rule_digest"] == other["rule_digest"]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", ["nope", "", "-x"])
def test_a_runtime_that_is_not_there_runs_nothing(
    gvisor: Engine, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    line = ["r", "--rule", "rule.json", "--model", "script:script.json", f"--runtime={name}"]

    assert run(line) == 2
    said = capsys.readouterr().err
    assert ("runsc" in said) or not name
    assert "--runtime" in said
    assert run([*line, "--prechecks-only"]) == (2 if not name else 3)


@pytest.mark.usefixtures("place")
def test_doctor_looks_at_sandboxes_of_the_runtime(
    gvisor: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--runtime", GVISOR]) == 0
    assert f"runtime {GVISOR}" in capsys.readouterr().out


def test_a_runtime_on_the_engines_own_kernel_has_to_filter_system_calls(
    gvisor: Engine, small_bundle: Path
) -> None:
    # What gVisor reports, but for the kernel: as a runtime would that only calls itself another one.
    report = (
        f"print(json.dumps({{'hello': {{**hello('/bundle'), 'kernel': {os.uname().release!r}}}}}))"
    )
    program = probe.python(f"import json; from sandbox_image.facts import hello\n{report}\n")
    sandbox = gvisor.sandbox(
        small_bundle, run_id="r", entry_id="e", options=OPTIONS, program=program
    )

    error = judgement_error(lambda: asyncio.run(call_once(sandbox)))

    assert error.kind == "sandbox_isolation"
    assert "system calls are not filtered" in error.message
