"""Of two processes one executes a run, and neither touches what is the other's."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from judge_bundles.store.store import Store
from tests.support.chaos import Job, Running
from tests.support.chaos_jobs import gate_job
from tests.support.store_history import change, connect

BUNDLES = 40
JUDGED = "bundle_judged"


def test_a_run_that_is_executed_is_not_resumed_by_a_second_process(
    tmp_path: Path, store_url: str
) -> None:
    job = gate_job(tmp_path / "job", store_url, bundles=BUNDLES, seed=1)
    with job.running() as first:
        assert first.wait_for(JUDGED, BUNDLES)
        suspend(first, store_url)  # it lives, however long it is silent
        with job.running("--resume", job.run_id()) as second:
            assert second.end() == 2
        assert f"is being executed by process {first.process.pid} on" in second.said[-1]
        os.kill(first.process.pid, signal.SIGCONT)
        assert first.end() == 3
    assert {len(attempts) for attempts in job.attempts().values()} == {1}


def test_of_two_resumes_at_once_one_is_refused(tmp_path: Path, store_url: str) -> None:
    job = gate_job(tmp_path / "job", store_url, bundles=BUNDLES, seed=2)
    with job.running() as killed:
        assert killed.wait_for(JUDGED, 5)
        killed.kill()
    resume = ("--resume", job.run_id())
    with job.running(*resume) as first, job.running(*resume) as second:
        codes = sorted([first.end(), second.end()])
    # The second is refused, or came so late that there was nothing left to do.
    refused = [one for one in (first, second) if any("is being executed" in x for x in one.said)]
    assert codes == ([2, 3] if refused else [3, 3])
    assert {len(attempts) for attempts in job.attempts().values()} == {1}
    assert job.leftovers() == []


def test_a_run_beside_one_that_was_killed_is_not_touched_by_what_cleans_up(
    tmp_path: Path, store_url: str
) -> None:
    """One store, one folder for temporary files; the killed run's next command sweeps."""
    job = gate_job(tmp_path / "job", store_url, bundles=BUNDLES, seed=3)
    other = Job(job.folder, ("r", "--rule", "count.json", "-c", "2"), store_url)
    with other.running() as living:
        assert living.wait_for(JUDGED, 5)
        suspend(living, store_url)
        (its_own,) = job.temporary.iterdir()
        with job.running() as killed:
            assert killed.wait_for(JUDGED, 5)
            killed.kill()
        assert len(list(job.temporary.iterdir())) == 2
        with job.running("--resume", killed.run_id()) as resumed:
            assert resumed.end() == 3
        assert list(job.temporary.iterdir()) == [its_own]
        os.kill(living.process.pid, signal.SIGCONT)
        assert living.end() == 3
    with Store.open(store_url) as store:
        assert [run.counts.pending for run in store.runs()] == [0, 0]
    assert list(job.temporary.iterdir()) == []


def test_a_host_that_crashed_is_known_by_its_silence(tmp_path: Path, store_url: str) -> None:
    """The same run as seen from elsewhere: only its heartbeat tells, and it says how old that is."""
    job = gate_job(tmp_path / "job", store_url, bundles=BUNDLES, seed=4)
    with job.running() as first:
        assert first.wait_for(JUDGED, 5)
        suspend(first, store_url)
        _move_to_another_host(store_url, silent_s=30)
        with job.running("--resume", job.run_id()) as refused:
            assert refused.end() == 2
        assert "on far-away, heard of 3" in refused.said[-1]
        _move_to_another_host(store_url, silent_s=61)
        with job.running("--resume", job.run_id()) as second:
            assert second.end() == 3
        os.kill(first.process.pid, signal.SIGCONT)
        _require_gave_up(first)
    assert {len(attempts) for attempts in job.attempts().values()} == {1}


def suspend(running: Running, url: str) -> None:
    """Let a process stand still while it holds no lock of the store."""
    while True:
        os.kill(running.process.pid, signal.SIGSTOP)
        with suppress(OperationalError), connect(url) as connection:
            limit = "PRAGMA busy_timeout = 100"
            if connection.dialect.name == "postgresql":
                limit = "SET lock_timeout = '100ms'"
            connection.execute(text(limit))
            connection.execute(text("UPDATE runs SET pruned_entries = 0"))
            return
        os.kill(running.process.pid, signal.SIGCONT)
        assert running.lives_for(0.01)


def _require_gave_up(first: Running) -> None:
    """Who was taken for dead and was not must notice, and must have written nothing more."""
    assert first.end() == 3
    assert "Another process may have resumed it" in first.said[-1]


def _move_to_another_host(url: str, *, silent_s: float) -> None:
    change(
        url,
        "UPDATE runs SET owner_host = 'far-away', owner_boot = 'another', "
        f"heartbeat_at = heartbeat_at - {silent_s}",
    )
