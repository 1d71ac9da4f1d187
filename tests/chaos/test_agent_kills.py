"""Kills around containers: of the program while it makes or uses them, and of the containers."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_bundles.error_kinds import RETRYABLE, ErrorKind
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.owner import PROCESS
from tests.chaos.test_kills import SEED
from tests.support.chaos import Job, Running
from tests.support.chaos_jobs import agent_job
from tests.support.containers import containers

pytestmark = pytest.mark.docker

BUNDLES = 8
RANDOM_KILLS = 3
TRIED_AGAIN: set[str] = {kind for kind, retryable in RETRYABLE.items() if retryable}
OF_A_KILL: set[ErrorKind] = {"sandbox_died", "sandbox_start"}  # the latter before it has greeted

Moment = Callable[[Engine, Running], bool]


@pytest.fixture(scope="module")
def undisturbed(docker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("undisturbed")
    job = agent_job(folder, f"sqlite:///{folder}/store.db", bundles=BUNDLES)
    assert job.finish() == 1
    return job


def creating(engine: Engine, running: Running) -> bool:
    """The engine has begun to make the first container."""
    return running.wait_until(lambda: bool(_of_process(engine, running)))


def judging(engine: Engine, running: Running) -> bool:
    """A judge is at work in a container that runs."""
    return running.wait_until(lambda: "running" in _of_process(engine, running).values())


@pytest.mark.parametrize("moment", [creating, judging])
def test_a_kill_at_a_chosen_moment_leaves_no_container(
    docker_engine: Engine, undisturbed: Job, tmp_path: Path, moment: Moment
) -> None:
    job = agent_job(tmp_path / "job", _local(tmp_path), bundles=BUNDLES, delay_s=0.3)
    with job.running() as running:
        assert moment(docker_engine, running), running.said[-3:]
        running.kill()
    _require_as_if_undisturbed(docker_engine, job, undisturbed)


@pytest.mark.parametrize(
    "store_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
def test_kills_at_random_moments_beside_a_failing_model_change_nothing(
    docker_engine: Engine, undisturbed: Job, tmp_path: Path, store_url: str
) -> None:
    job = agent_job(tmp_path / "job", store_url, bundles=BUNDLES, delay_s=0.1, faults=True)
    chance = random.Random(SEED)
    print(f"seed {SEED}")
    for _ in range(RANDOM_KILLS):
        options = job.next_options()
        if options is None:
            break
        with job.running(*options) as running:
            running.wait_for("run_started")
            running.lives_for(chance.uniform(0, 1.5))
            running.kill()
    _require_as_if_undisturbed(docker_engine, job, undisturbed)


def test_containers_that_are_killed_are_tried_again_by_resuming(
    docker_engine: Engine, undisturbed: Job, tmp_path: Path
) -> None:
    job = agent_job(tmp_path / "job", _local(tmp_path), bundles=BUNDLES, delay_s=1.0)
    with job.running() as running:
        assert judging(docker_engine, running)
        states = _of_process(docker_engine, running)
        for identity in (one for one, state in states.items() if state == "running"):
            docker_engine.api.kill(identity)
        assert running.end() == 3
    assert OF_A_KILL & {attempts[-1] for attempts in job.attempts().values()}
    _require_as_if_undisturbed(docker_engine, job, undisturbed)


def _local(folder: Path) -> str:
    return f"sqlite:///{folder}/store.db"


def _of_process(engine: Engine, running: Running) -> dict[str, str]:
    """Return the state of each container that a process has."""
    label = f"{PROCESS}={running.process.pid}"
    listed = engine.api.containers(all=True, filters={"label": label})
    return {container["Id"]: container["State"] for container in listed}


def _require_as_if_undisturbed(engine: Engine, job: Job, undisturbed: Job) -> None:
    """Go on with a job until it is done; then nothing but history may tell what happened."""
    assert job.finish() == 1
    assert job.records() == undisturbed.records()
    for place, (*before, _last) in job.attempts().items():
        assert set(before) <= TRIED_AGAIN, place  # judged twice only for a reason
    assert containers(engine, job.run_id()) == []
    assert job.leftovers() == []
    assert job.is_sound()
