"""Whatever moment the program is killed at, going on ends as if nothing had happened.

SIGKILL at random moments (the seed is printed) and at chosen ones, on both databases. Nothing here
needs an engine.
"""

import fcntl
import os
import random
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_bundles.store.store import Store
from tests.support.chaos import PATIENCE_S, Job, Running
from tests.support.chaos_jobs import gate_job
from tests.support.command_line import command

BUNDLES = 60
RANDOM_KILLS = 6
SMALL_PIPE_BYTES = 4096
SEED = int(os.environ.get("CHAOS_SEED", "20261201"))

Moment = Callable[[Job, Running], bool]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, int]:
    """The same job, which nobody disturbed, and its exit code."""
    folder = tmp_path_factory.mktemp("undisturbed")
    job = gate_job(folder, f"sqlite:///{folder}/store.db", bundles=BUNDLES, seed=SEED)
    code = job.finish()
    outcomes = [record["status"] for record in job.records().values()]
    assert {"pass", "fail", "error"} == set(outcomes), "every outcome is to be compared"
    assert len(outcomes) == 2 * BUNDLES
    return job, code


@pytest.fixture
def job(tmp_path: Path, store_url: str) -> Job:
    return gate_job(tmp_path / "job", store_url, bundles=BUNDLES, seed=SEED)


@pytest.fixture
def local_job(tmp_path: Path) -> Job:
    """One that keeps its verdicts in SQLite, for what does not depend on the database."""
    url = f"sqlite:///{tmp_path}/store.db"
    return gate_job(tmp_path / "job", url, bundles=BUNDLES, seed=SEED)


def taking_in(job: Job, running: Running) -> bool:
    """A copy of a bundle is being made in the workspace."""
    return running.wait_until(lambda: any(job.temporary.glob("judge-bundles-*/*")))


def begun(_job: Job, running: Running) -> bool:
    """The run is in the store; perhaps a first bundle is being taken in."""
    return running.wait_for("run_started")


def half_done(_job: Job, running: Running) -> bool:
    """Half of the verdicts were shown as done."""
    return running.wait_for("bundle_judged", BUNDLES)


def all_done(_job: Job, running: Running) -> bool:
    """The last verdict was shown; the run is being finished, or was."""
    return running.wait_for("bundle_judged", 2 * BUNDLES)


def making_the_store(job: Job, running: Running) -> bool:
    """The process has begun to be busy with the store, whose tables are not all there yet."""
    return running.wait_until(lambda: any(job.folder.parent.glob("store.db*")))


@pytest.mark.parametrize("moment", [making_the_store, taking_in, begun, half_done, all_done])
def test_a_kill_at_a_chosen_moment_loses_and_doubles_nothing(
    local_job: Job, undisturbed: tuple[Job, int], moment: Moment
) -> None:
    with local_job.running() as running:
        assert moment(local_job, running), running.said[-3:]
        running.kill()
    _require_as_if_undisturbed(local_job, undisturbed)


def test_kills_at_random_moments_lose_and_double_nothing(
    job: Job, undisturbed: tuple[Job, int]
) -> None:
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    for number in range(RANDOM_KILLS):
        options = job.next_options()
        if options is None:
            break
        with job.running(*options) as running:
            # Every other one is sure to strike while bundles are judged, not in the start.
            if number % 2:
                running.wait_for("run_started")
            running.lives_for(chance.uniform(0, 1.0))
            running.kill()
    _require_as_if_undisturbed(job, undisturbed)


def test_a_verdict_is_in_the_store_before_it_is_shown(
    job: Job, undisturbed: tuple[Job, int]
) -> None:
    """Let it stand still between the two, at a pipe that takes no more, and kill it there."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, SMALL_PIPE_BYTES)
    job.temporary.mkdir()
    process = subprocess.Popen(
        command(*job.arguments, "--store", job.url, "--log-format", "json"),
        cwd=job.folder,
        env=os.environ | {"TMPDIR": str(job.temporary)},
        stdout=subprocess.DEVNULL,
        stderr=writing,
    )
    os.close(writing)
    job.pids.append(process.pid)
    _wait_until_blocked(process, reading)
    process.kill()
    process.wait()
    with os.fdopen(reading, "rb") as pipe:
        *shown, _cut = pipe.read().split(b"\n")
    done = sum(b'"bundle_judged"' in line for line in shown)
    with Store.open(job.url) as store:
        judged = store.counts(job.run_id()).judged
    assert 0 < done < judged, "it did not stand between committing and showing"
    _require_as_if_undisturbed(job, undisturbed)


def test_a_kill_while_a_report_is_written_costs_the_report_alone(
    local_job: Job, undisturbed: tuple[Job, int]
) -> None:
    job = local_job
    report = job.folder / "summary.json"
    os.mkfifo(report)  # nobody reads: whoever writes stands still
    with job.running("--summary", str(report)) as running:
        assert running.wait_until(lambda: _status(job) == "completed")
        assert running.lives_for(1), "it did not stand still at the report"
        running.kill()
    report.unlink()
    with job.running("--resume", job.run_id(), "--summary", str(report)) as running:
        assert running.end() == undisturbed[1]
        assert not any('"bundle_judged"' in line for line in running.said)
    assert report.stat().st_size
    _require_as_if_undisturbed(job, undisturbed)


def _require_as_if_undisturbed(job: Job, undisturbed: tuple[Job, int]) -> None:
    """Go on with a job until it is done; then nothing may tell that it was disturbed."""
    original, code = undisturbed
    assert job.finish() == code
    assert job.records() == original.records()
    # Nothing here is worth a second try, so nothing may have had one.
    assert {len(attempts) for attempts in job.attempts().values()} == {1}
    assert job.leftovers() == []
    assert job.is_sound()


def _status(job: Job) -> str | None:
    with Store.open(job.url) as store:
        run = store.latest_run()
        return run.status if run else None


def _wait_until_blocked(process: "subprocess.Popen[bytes]", reading: int) -> None:
    """Wait until the pipe is nearly full and has been for a while: the process writes no more."""
    deadline = time.monotonic() + PATIENCE_S
    waiting, since = 0, time.monotonic()
    while time.monotonic() - since < 1 or waiting < SMALL_PIPE_BYTES // 2:
        assert process.poll() is None, "it ended instead of standing still"
        assert time.monotonic() < deadline
        now = int.from_bytes(fcntl.ioctl(reading, termios.FIONREAD, b"\0" * 4), "little")
        if now != waiting:
            waiting, since = now, time.monotonic()
        time.sleep(0.01)
