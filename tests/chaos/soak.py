"""Disturb many runs for a long time and count what happened: `python -m tests.chaos.soak`.

Each round makes a job, disturbs it at random (the program is killed or asked to stop, containers are
killed, the engine stands still, the model's server fails), goes on until it is done, and compares it
with the same job undisturbed. Environment variables, with their defaults: SOAK_MINUTES=20,
SOAK_BUNDLES=200, SOAK_SEED (by default a new one, which is printed). As root, containers are made by
an engine of the soak's own. The first round that is not as it should be ends it with exit code 1.
"""

import os
import random
import secrets
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import docker
from docker.errors import APIError

from judge_bundles.error_kinds import RETRYABLE
from judge_bundles.sandbox.owner import PROCESS, RUN
from tests.support import postgres
from tests.support.chaos import Job, Running
from tests.support.chaos_jobs import agent_job, gate_job
from tests.support.private_engine import PrivateEngine, missing, private_engine

MINUTES: Final = float(os.environ.get("SOAK_MINUTES", "20"))
BUNDLES: Final = int(os.environ.get("SOAK_BUNDLES", "200"))
SEED: Final = int(os.environ.get("SOAK_SEED", str(secrets.randbelow(10**9))))
MAX_DISTURBANCES: Final = 12
"""Of one job, after which it is left to finish."""
MAX_ATTEMPTS_TO_FINISH: Final = 20
LONGEST_S: Final = 8.0
ENGINE_STANDS_STILL_S: Final = 2.0
AGAIN: Final[set[str]] = {kind for kind, retryable in RETRYABLE.items() if retryable}
COLUMNS: Final = ("verdicts", "killed", "stopped", "containers", "engine", "second tries", "ok")


@dataclass(slots=True)
class Soak:
    """Where jobs keep their verdicts and get their containers, and what was done to them."""

    folder: Path
    chance: random.Random
    server: postgres.Server | None
    engine: PrivateEngine | None
    undisturbed: dict[str, tuple[Job, int]] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def round(self, number: int) -> None:
        """Disturb one job; raises AssertionError when that can be told afterwards."""
        kind = ("gate", "agent", "agent with faults")[number % 3]
        stores = ("sqlite", "postgresql") if self.server else ("sqlite",)
        store = stores[number // 3 % len(stores)]
        original, code = self._original(kind)
        job = self._job(kind, self.folder / f"round-{number}", store)
        counts = self.counts.setdefault(f"{kind} on {store}", Counter())
        for _ in range(self.chance.randint(1, MAX_DISTURBANCES)):
            options = job.next_options()
            if options is None:
                break
            with job.running(*options) as running:
                self._disturb(running, counts, containers=kind != "gate")
        assert self._finish(job) == code
        self._compare(job, original)
        tries = job.attempts().values()
        counts["second tries"] += sum(len(attempts) - 1 for attempts in tries)
        counts["verdicts"] += len(tries)
        counts["ok"] += 1

    def _original(self, kind: str) -> tuple[Job, int]:
        # Faults of the server change nothing in the end, so that one original does for both.
        form = kind.removesuffix(" with faults")
        if form not in self.undisturbed:
            job = self._job(form, self.folder / f"undisturbed-{form}", "sqlite")
            self.undisturbed[form] = job, job.finish()
        return self.undisturbed[form]

    def _job(self, kind: str, folder: Path, store: str) -> Job:
        url = f"sqlite:///{folder}.db"
        if store == "postgresql" and self.server is not None:
            url = self.server.new_schema()
        if kind == "gate":
            return gate_job(folder, url, bundles=BUNDLES, seed=SEED)
        return agent_job(folder, url, bundles=BUNDLES, concurrency=4, faults="faults" in kind)

    def _disturb(self, running: Running, counts: Counter[str], *, containers: bool) -> None:
        """Do one thing to a process, at some moment; it need not end by that."""
        if self.chance.random() < 0.8:
            running.wait_for("run_started")
        if not running.lives_for(self.chance.uniform(0, LONGEST_S if containers else 1)):
            return
        deed = self.chance.choice(("kill", "kill", "stop", "container", "engine"))
        if deed == "container" and containers:
            counts["containers"] += self._kill_a_container(running)
            running.lives_for(LONGEST_S)  # until the error that this makes is kept
        elif deed == "engine" and containers and self.engine is not None:
            counts["engine"] += 1
            with self.engine.stopped():
                running.lives_for(ENGINE_STANDS_STILL_S)
        elif deed == "stop":
            counts["stopped"] += 1
            for _ in range(self.chance.randint(1, 2)):
                running.process.send_signal(signal.SIGTERM)
                running.lives_for(self.chance.uniform(0, 1))
        running.lives_for(self.chance.uniform(0, 1))
        counts["killed"] += running.process.poll() is None
        running.kill()

    def _kill_a_container(self, running: Running) -> int:
        with _client() as client:
            label = f"{PROCESS}={running.process.pid}"
            listed = client.containers(filters={"label": label})
            if not listed:
                return 0
            with suppress(APIError):  # it has just ended by itself
                client.kill(self.chance.choice(listed)["Id"])
        return 1

    def _finish(self, job: Job) -> int:
        for _ in range(MAX_ATTEMPTS_TO_FINISH):
            code = job.finish()
            if job.next_options() is None:
                return code
        raise AssertionError("it does not come to an end")

    def _compare(self, job: Job, original: Job) -> None:
        assert job.records() == original.records()
        for place, (*before, _last) in job.attempts().items():
            assert set(before) <= AGAIN, f"{place} was judged twice: {before}"
        assert job.leftovers() == []
        assert job.is_sound()
        if "--model" in job.arguments:
            with _client() as client:
                label = f"{RUN}={job.run_id()}"
                assert client.containers(all=True, filters={"label": label}) == []

    def table(self) -> str:
        """Return the counts of each kind of job, and of all."""
        rows: list[tuple[str, ...]] = [("", *COLUMNS)]
        total = sum(self.counts.values(), Counter())
        for name, counts in [*self.counts.items(), ("all", total)]:
            rows.append((name, *(f"{counts[column]:,}" for column in COLUMNS)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )


@contextmanager
def _client() -> Iterator[docker.APIClient]:
    client = docker.APIClient(base_url=os.environ.get("DOCKER_HOST"), version="auto")
    try:
        yield client
    finally:
        client.close()


def _own_engine(stack: ExitStack) -> PrivateEngine | None:
    if (problem := missing()) is not None:
        print(f"the engine is never made to stand still: {problem}")
        return None
    engine = stack.enter_context(private_engine({}))
    os.environ["DOCKER_HOST"] = engine.address  # for the jobs, too
    return engine


def main() -> int:
    """Disturb until the time is up, print the table, and return the exit code."""
    print(f"SOAK_SEED={SEED} SOAK_MINUTES={MINUTES:g} SOAK_BUNDLES={BUNDLES}", flush=True)
    until = time.monotonic() + MINUTES * 60
    with ExitStack() as stack:
        server = postgres.running_server() if postgres.binaries() else nullcontext()
        folder = Path(tempfile.mkdtemp(prefix="judge-bundles-soak."))
        soak = Soak(folder, random.Random(SEED), stack.enter_context(server), _own_engine(stack))
        number = 0
        try:
            while time.monotonic() < until:
                soak.round(number)
                number += 1
                print(f"\nafter {number} rounds\n{soak.table()}", flush=True)
        except AssertionError as error:
            print(f"\nround {number} is not as it should be; see {folder}\n{soak.table()}")
            print(error)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
