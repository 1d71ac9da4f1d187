"""One job for the real program, run by processes that are killed, and what is to be left of it.

A job has a folder of its own with everything in it: bundles, rules, the folder for temporary files,
and, on SQLite, the store. `Job.records` leaves out what two runs of one job may differ in.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from judge_bundles import verdict
from judge_bundles.store import location
from judge_bundles.store.store import Store
from tests.support.command_line import command

PATIENCE_S: Final = 300.0
"""For anything that is certain to happen; a busy machine takes its time."""
_POLL_S: Final = 0.001
_EVENT: Final = re.compile(r'"event": "(\w+)"')
_MAY_DIFFER: Final = frozenset(
    {"run_id", "latency_ms", "started_at", "finished_at", "image_id", "reused_from"}
)
_WORKER_PROGRAMS: Final = b"judge_bundles."
"""In the command line of every worker process, followed in the end by who started it."""


class Running:
    """A process of the program, whose events are read as they come."""

    def __init__(
        self, arguments: tuple[str, ...], folder: Path, environment: dict[str, str]
    ) -> None:
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self.said: list[str] = []
        self._events: Counter[str] = Counter()
        self._news = threading.Condition()
        self._closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, event: str, times: int = 1) -> bool:
        """Wait until an event was said so many times; False when the process ended before that."""

        def heard() -> bool:
            return self._events[event] >= times

        with self._news:
            assert self._news.wait_for(lambda: heard() or self._closed, PATIENCE_S), self.said[-9:]
            return heard()

    def wait_until(self, happened: Callable[[], bool]) -> bool:
        """Look again and again whether something happened; False when the process ended first."""
        while self.process.poll() is None:
            if happened():
                return True
            time.sleep(_POLL_S)
        return False

    def run_id(self) -> str:
        """Return the id of the run it has begun or resumed."""
        begun = next(line for line in self.said if '"run_started"' in line)
        found: str = json.loads(begun)["run_id"]
        return found

    def lives_for(self, seconds: float) -> bool:
        """Wait so long; False when the process ended before that."""
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def kill(self) -> None:
        """Kill it, now."""
        self.process.send_signal(signal.SIGKILL)
        self.end()

    def end(self) -> int:
        """Wait for its end and return its exit code."""
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.said.append(line)
                self._events.update(_EVENT.findall(line))
                self._news.notify_all()
        with self._news:
            self._closed = True
            self._news.notify_all()


@dataclass(slots=True)
class Job:
    """A judging line without `--resume`; `url` is its store, `folder` where it is executed."""

    folder: Path
    arguments: tuple[str, ...]
    url: str
    pids: list[int] = field(default_factory=list)
    """Of every process there was."""

    @property
    def temporary(self) -> Path:
        """The folder for temporary files, of this job alone."""
        return self.folder / "tmp"

    @contextmanager
    def running(self, *more: str) -> Iterator[Running]:
        """Start a process; one that is still there at the end is killed."""
        self.temporary.mkdir(exist_ok=True)
        running = Running(
            (*self.arguments, "--store", self.url, "--log-format", "json", *more),
            self.folder,
            os.environ | {"TMPDIR": str(self.temporary)},
        )
        self.pids.append(running.process.pid)
        try:
            yield running
        finally:
            running.kill()

    def next_options(self) -> tuple[str, ...] | None:
        """Return how the job is started, or gone on with; None when it is done."""
        with Store.open(self.url) as store:
            run = store.latest_run()
            if run is None:
                return ()
            unfinished = run.status != "completed" or store.pending(run.run_id)
            return ("--resume",) if unfinished else None

    def finish(self) -> int:
        """Go on until it is done, and return the exit code of its last process."""
        options = self.next_options()
        if options is None:
            options = ("--resume", self.run_id())
        with self.running(*options) as running:
            code = running.end()
            assert code in {0, 1, 3}, running.said[-3:]
            return code

    def run_id(self) -> str:
        """Return the id of the one run there is."""
        with Store.open(self.url) as store:
            (run,) = store.runs()
            return run.run_id

    def records(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the current verdict of each (bundle, rule), without what may differ."""
        run_id = self.run_id()
        with Store.open(self.url) as store:
            verdicts = store.verdicts(run_id)
        found = {(one.entry_id, one.rule): _constant(verdict.to_record(one)) for one in verdicts}
        assert len(found) == len(verdicts)
        return found

    def attempts(self) -> dict[tuple[str, str], list[str]]:
        """Return, for each (bundle, rule), the status or the error's kind of each attempt."""
        run_id = self.run_id()
        with Store.open(self.url) as store:
            return {
                (entry.entry_id, rule.name): [
                    one.error.kind if one.error else one.status
                    for one in store.attempts(run_id, entry.entry_id, rule.name)
                ]
                for entry in store.entries(run_id)
                for rule in store.run(run_id).rules
            }

    def leftovers(self) -> list[str]:
        """Return what the processes of this job left behind on this machine, containers apart."""
        folders = [str(path) for path in self.temporary.iterdir()]
        return folders + [f"process {pid}" for pid in _workers_of(self.pids)]

    def is_sound(self) -> bool:
        """Tell whether the store is undamaged, as far as its database can say."""
        file = location.find(self.url).file
        if file is None:
            return True  # a server that lost its integrity does not answer
        connection = sqlite3.connect(file)
        try:
            found = connection.execute("PRAGMA integrity_check").fetchall()
            return (
                found == [("ok",)] and not connection.execute("PRAGMA foreign_key_check").fetchall()
            )
        finally:
            connection.close()


def _constant(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in _MAY_DIFFER}


def _workers_of(pids: list[int]) -> list[int]:
    """Return the processes that are at work for one of these, which are all gone."""
    parents = {str(pid).encode() for pid in pids}
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if parents & set(words) and any(word.startswith(_WORKER_PROGRAMS) for word in words):
            found.append(int(folder.name))
    return found
