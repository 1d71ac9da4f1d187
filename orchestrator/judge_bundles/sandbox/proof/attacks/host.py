"""Keep the host itself busy: its processors, its memory, its patience."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from judge_bundles.errors import JudgementError
from judge_bundles.limits import KIB, MIB, PROOF_FLOOD_BYTES, PROOF_HOST_GROWTH_BYTES
from judge_bundles.sandbox.proof import shipping
from judge_bundles.sandbox.proof.attack import outside
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Inside, Trial, greet, write_all

_CPUS: Final = 0.1
"""Asked for where the quota is measured, so that a busy machine has enough left to exceed it."""
_MEASURED_S: Final = 2.0
_TOLERANCE: Final = 1.5
_DEADLINE_S: Final = 2.0
_SOON_S: Final = 20.0


@outside("cpu-quota", "use more of the processors than allowed")
def cpu_quota(target: Target, trial: Trial) -> None:
    """The engine counts what the container uses while it spins on every processor."""
    options = replace(target.options, cpus=_CPUS)
    with target.started(shipping.program(spin, target.given()), options=options) as running:
        running.stream.settimeout(_SOON_S)
        running.stream.recv(1)  # the first byte: it spins now
        before, began = _processor_seconds(target, running.id), time.monotonic()
        time.sleep(_MEASURED_S)
        used = _processor_seconds(target, running.id) - before
        share = used / (time.monotonic() - began)
    trial.holds(f"{share:.2f} of {_CPUS:g} processors were used", 0 < share <= _CPUS * _TOLERANCE)


def spin(_trial: Trial) -> None:
    """Sent by `cpu_quota`: never ends by itself."""
    for _ in range((os.cpu_count() or 1) + 1):
        if os.fork() == 0:
            break
    os.write(1, b" ")
    while True:
        pass


@outside("endless-loop", "keep a judge waiting without end")
def endless_loop(target: Target, trial: Trial) -> None:
    """The call ends by its deadline and the container is gone."""
    failure = _call_once(target, spin_when_called, tool_timeout_s=_DEADLINE_S)
    trial.holds(f"{failure.said}", failure.kind == "sandbox_timeout" and failure.seconds < _SOON_S)
    trial.holds("the container is gone", failure.container_is_gone)


def spin_when_called(_trial: Trial) -> None:
    """Sent by `endless_loop`."""
    greet()
    while True:
        pass


@outside("flood-stdout", "fill the host's memory by output without end")
def flood_stdout(target: Target, trial: Trial) -> None:
    """The reader on the host gives up long before the end."""
    _flood(target, trial, descriptor=1)


@outside("flood-stderr", "fill the host's memory by error output without end")
def flood_stderr(target: Target, trial: Trial) -> None:
    """It shares the stream, and the bound, with the answers."""
    _flood(target, trial, descriptor=2)


def flood(trial: Trial) -> None:
    """Sent by the floods."""
    greet()
    write_all(trial.given["descriptor"], trial.given["size"])
    time.sleep(60)


def _flood(target: Target, trial: Trial, *, descriptor: int) -> None:
    with _watched_memory() as memory:
        failure = _call_once(
            target,
            flood,
            tool_timeout_s=_SOON_S,
            descriptor=descriptor,
            size=PROOF_FLOOD_BYTES,
        )
    trial.holds(failure.said, failure.kind == "sandbox_protocol" and failure.seconds < _SOON_S)
    trial.holds(
        f"this process grew by {memory.grown // MIB} MiB", memory.grown <= PROOF_HOST_GROWTH_BYTES
    )
    trial.holds("the container is gone", failure.container_is_gone)


@dataclass(frozen=True, slots=True)
class _Failure:
    """How a call of a sandbox that misbehaves ended."""

    kind: str
    said: str
    seconds: float
    container_is_gone: bool


def _call_once(
    target: Target, attack: Inside, *, tool_timeout_s: float, **given: object
) -> _Failure:
    """Start `attack` in place of the tool server, call a tool once, and return how that failed."""
    program = shipping.program(attack, target.given(**given))
    sandbox = target.sandbox(program, tool_timeout_s=tool_timeout_s)
    started = time.monotonic()

    async def call() -> None:
        async with sandbox:
            await sandbox.call("list_files", {})

    kind, said = "answered", "the call was answered"
    try:
        asyncio.run(call())
    except JudgementError as error:
        kind, said = error.kind, error.message
    seconds = time.monotonic() - started
    return _Failure(
        kind, f"{kind} after {seconds:.1f} s: {said}", seconds, target.is_gone(sandbox.container_id)
    )


@dataclass(slots=True)
class _Memory:
    """By how many bytes this process grew at most."""

    grown: int = 0


@contextmanager
def _watched_memory() -> Iterator[_Memory]:
    memory = _Memory()
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the peak so far
    yield memory
    memory.grown = max(0, _resident("VmHWM") - before)


def _resident(field: str) -> int:
    """Return a field of this process's memory in bytes."""
    lines = Path("/proc/self/status").read_text("utf-8", "replace").splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(kilobytes) * KIB


def _processor_seconds(target: Target, container: str) -> float:
    """Return how long the container has used processors, all together."""
    stats: dict[str, Any] = target.engine.api.stats(container, stream=False, one_shot=True)
    return float(stats["cpu_stats"]["cpu_usage"]["total_usage"]) / 1e9
