"""A run may be long: what its process holds does not grow with it, and the store can be read."""

import os
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_bundles.store.store import Store
from tests.support.chaos import Running
from tests.support.chaos_jobs import gate_job

BUNDLES: Final = int(os.environ.get("LONG_RUN_BUNDLES", "1500"))
SAMPLES: Final = 40
WARM_SHARE: Final = 0.3
"""Of the bundles: after them caches and pools have the size they keep."""
MAX_BYTES_A_VERDICT: Final = 1_000
"""A verdict's record, kept by mistake, would be several thousand."""
MAX_MORE_FILES: Final = 16
MAX_READ_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Held:
    """What the process holds after so many verdicts."""

    verdicts: int
    resident_bytes: int
    open_files: int


def test_memory_and_open_files_stay_and_the_store_answers_while_it_is_written(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    job = gate_job(tmp_path / "job", url, bundles=BUNDLES, seed=7, concurrency=8)
    with job.running() as running:
        assert running.wait_for("bundle_judged", round(2 * BUNDLES * WARM_SHARE))
        with _reading(url) as read_s:
            held = list(_watch(running, 2 * BUNDLES))
        assert running.end() == 3
    growth = _slope([(one.verdicts, one.resident_bytes) for one in held])
    files = [one.open_files for one in held]
    print(
        f"{growth:.0f} bytes a verdict; {min(files)} to {max(files)} open files; "
        f"{len(read_s)} reads, median {statistics.median(read_s):.3f} s, most {max(read_s):.3f} s"
    )
    assert growth < MAX_BYTES_A_VERDICT
    assert _slope([(one.verdicts, one.open_files) for one in held]) * 2 * BUNDLES < MAX_MORE_FILES
    assert max(read_s) < MAX_READ_S


def _watch(running: Running, verdicts: int) -> Iterator[Held]:
    """Look at the process again and again, until shortly before its last verdict."""
    first, last = verdicts * WARM_SHARE, verdicts * 0.98
    folder = Path("/proc") / str(running.process.pid)
    for number in range(SAMPLES):
        wanted = round(first + (last - first) * number / (SAMPLES - 1))
        assert running.wait_for("bundle_judged", wanted)
        pages = int((folder / "statm").read_text().split()[1])
        yield Held(wanted, pages * os.sysconf("SC_PAGE_SIZE"), len(list((folder / "fd").iterdir())))


@contextmanager
def _reading(url: str) -> Iterator[Sequence[float]]:
    """Ask the store what a person would, all the time; give the seconds that each answer took."""
    seconds: list[float] = []
    done = threading.Event()

    def read() -> None:
        with Store.open(url) as store:
            while not done.is_set():
                began = time.monotonic()
                (run,) = store.runs(limit=20)
                store.verdicts(run.run_id, status="fail", limit=20)
                seconds.append(time.monotonic() - began)
                done.wait(0.02)  # a person is not a load test

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield seconds
    finally:
        done.set()
        thread.join()


def _slope(points: Sequence[tuple[float, float]]) -> float:
    return statistics.linear_regression(*zip(*points, strict=True)).slope
