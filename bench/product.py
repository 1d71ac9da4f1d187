"""Run the product as anybody would: its command line, as a process, with a store of its own.

A run counts only if every verdict is what was expected; a bench of errors would be fast.
"""

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bench import procfs
from bench.sampling import Sample, Sampler, sampled

PROGRAM: Final = Path(sys.executable).with_name("judge-bundles")
TIMEOUT_S: Final = 150.0
_NOT_OURS: Final = ("ANTHROPIC_", "EVAL_JUDGE_MODEL", "JUDGE_BUNDLES_STORE")
"""Variables of whoever runs the bench that would change what is measured."""


class WrongRunError(Exception):
    """A run did not end with the verdicts that it should have."""


@dataclass(slots=True)
class Run:
    """One run. Times in seconds; processor time is that of the process and all its children."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    judging_s: float = 0.0
    """From when the first bundle could be taken to the last verdict; start-up is left out."""
    judging_cpu_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list)
    """Of each bundle, from when it was taken to its verdict, by the product's own clock."""
    samples: list[Sample] = field(default_factory=list)


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a run: this one's, without what would steer it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
    return kept | dict(changes or {})


def judge(
    bundles: Path,
    rule: Path,
    place: Path,
    *options: str,
    count: int,
    env: Mapping[str, str] | None = None,
    sample_s: float | None = None,
    store: Path | None = None,
) -> Run:
    """Judge `count` bundles and return what it took; every verdict must be pass.

    Events are read and the process is sampled every `sample_s` seconds, when that is given.
    """
    out = place / "out.jsonl"
    store = store or _unused(place)
    command = [
        str(PROGRAM), str(bundles), "--rule", str(rule), "--store", f"sqlite:///{store}",
        "--format", "jsonl", "--limit", str(count), "--log-format", "json", *options,
    ]  # fmt: skip
    run = Run()
    before, begun = _children_s(), time.perf_counter()
    with out.open("wb") as stdout, _started(command, stdout, environment(env)) as process:
        with sampled(process.pid, sample_s) as sampler:
            tail = _follow(process, run, count, sampler)
            process.wait()
        run.wall_s = time.perf_counter() - begun
        run.samples = sampler.samples
    run.cpu_s = _children_s() - before
    _require_all_pass(out, count, process.returncode, tail)
    return run


def quietly(
    bundles: Path, rule: Path, place: Path, *, count: int, store: Path | None = None
) -> float:
    """Judge by the gate alone without events, and return the seconds of the whole process."""
    run = judge(bundles, rule, place, "--prechecks-only", "-q", count=count, store=store)
    return run.wall_s


@contextmanager
def _started(
    command: list[str], stdout: Any, env: dict[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process that is killed when it takes far too long, or when something breaks here."""
    with subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, env=env) as process:
        watchdog = threading.Timer(TIMEOUT_S, process.kill)
        watchdog.start()
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            watchdog.cancel()


def _follow(
    process: "subprocess.Popen[bytes]", run: Run, count: int, sampler: Sampler
) -> list[bytes]:
    """Read events to the end and note when judging began and ended; return the last lines."""
    assert process.stderr is not None
    tail: list[bytes] = []
    begun, cpu = 0.0, 0.0
    for line in process.stderr:
        tail = [*tail[-4:], line]
        event = _event(line)
        if event.get("event") == "run_started":
            begun, cpu = _time_of(event), procfs.cpu_s(procfs.tree(process.pid))
        elif event.get("event") == "bundle_judged":
            sampler.judged += 1
            run.latencies_s.append(event["latency_ms"] / 1e3)
            if sampler.judged == count:
                run.judging_s = _time_of(event) - begun
                run.judging_cpu_s = procfs.cpu_s(procfs.tree(process.pid)) - cpu
    return tail


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _time_of(event: Mapping[str, Any]) -> float:
    return datetime.fromisoformat(event["timestamp"]).timestamp()


def _require_all_pass(out: Path, count: int, code: int, tail: list[bytes]) -> None:
    found = Counter(_event(line).get("status") for line in out.read_bytes().splitlines())
    if code != 0 or found != Counter({"pass": count}):
        said = b"".join(tail).decode(errors="replace")[-1000:]
        raise WrongRunError(f"exit {code}, verdicts {dict(found)}, wanted {count} x pass. {said}")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _unused(place: Path) -> Path:
    return place / f"store-{time.monotonic_ns()}.db"
