"""Ask worker processes to take bundles in and to run gates on them.

What they answer is checked like anything that has been near a bundle. A process that dies, hangs or
runs out of memory is one bundle's error, and nobody else's.
"""

import asyncio
import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from judge_bundles import log
from judge_bundles.agent.injection import Scan
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.manifest import FileRecord, Manifest, SkippedRecord
from judge_bundles.bundles.removal import remove_tree
from judge_bundles.bundles.snapshot import Snapshot, tree_of
from judge_bundles.errors import JudgeBundlesError, JudgementError
from judge_bundles.limits import (
    INTAKE_BASE_S,
    INTAKE_BYTES_A_SECOND,
    INTAKE_MEMORY_BYTES,
    MIB,
    IntakeLimits,
)
from judge_bundles.rules.model import Rule
from judge_bundles.verdict import InjectionFlag
from judge_bundles.workers.failure import WorkerCrash, WorkerFailure
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.pool import Pool
from judge_prechecks import Outcome

_PROGRAM: Final = "judge_bundles.intake.program"
_NAME_BYTES: Final = 16
_SPARE_FILES: Final = 64
"""Open files of a process beside one for each level of folders."""
_ITS_OWN_FAULT: Final = frozenset({"memory", "cpu", "reply"})
"""Limits that the same bundle runs into every time."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One bundle after intake and gates, in printable form but for the snapshot.

    `outcomes` has one tuple for each rule asked for. `snapshot` is there when a judge has work: a
    gate held whose rule has judges. Who gets it removes it.
    """

    digest: str
    skipped: tuple[str, ...]
    warnings: tuple[str, ...]
    outcomes: tuple[tuple[Outcome, ...], ...]
    snapshot: Snapshot | None

    @classmethod
    def of(cls, reply: dict[str, Any], root: Path) -> Self:
        """Read a worker's answer about the copy in `root`."""
        return cls(
            digest=reply["digest"],
            skipped=tuple(reply["skipped"]),
            warnings=tuple(reply["warnings"]),
            outcomes=tuple(tuple(map(_outcome, results)) for results in reply["outcomes"]),
            snapshot=_snapshot(reply, root) if reply["manifest"] else None,
        )


class Intake:
    """Takes bundles in for one run. As a context manager it ends its processes on the way out."""

    def __init__(
        self,
        rules: Sequence[Rule],
        workspace: Path,
        limits: IntakeLimits,
        *,
        prechecks_only: bool = False,
        compared: bool = False,
        size: int = 1,
    ) -> None:
        """`compared` says that the run has a baseline, so that pairwise judges have work."""
        self._numbers = {rule.name: number for number, rule in enumerate(rules)}
        self._judged = [
            number
            for number, rule in enumerate(rules)
            if rule.asked(compared=compared) and not prechecks_only
        ]
        self._workspace = workspace
        self._time_s = INTAKE_BASE_S + limits.max_total_bytes / INTAKE_BYTES_A_SECOND
        self._pool = Pool(_PROGRAM, _setup(rules, limits), _limits(limits, self._time_s), size=size)

    async def take(self, entry: Entry, rules: Sequence[Rule]) -> Taken:
        """Take one bundle in and run the gates of these rules, all of one process.

        Raises `JudgementError`; nothing of the bundle is left behind then.
        """
        root = self._workspace / secrets.token_hex(_NAME_BYTES)
        arguments = {
            "entry": asdict(entry),
            "root": str(root),
            "gates": [self._numbers[rule.name] for rule in rules],
            "judged": self._judged,
            "keep": False,
        }
        return await self._take(arguments, root)

    async def copy(self, entry: Entry) -> Snapshot:
        """Take one bundle in without running any gate on it. Who gets it removes it."""
        root = self._workspace / secrets.token_hex(_NAME_BYTES)
        arguments = {
            "entry": asdict(entry),
            "root": str(root),
            "gates": [],
            "judged": [],
            "keep": True,
        }
        taken = await self._take(arguments, root)
        assert taken.snapshot is not None
        return taken.snapshot

    async def _take(self, arguments: dict[str, Any], root: Path) -> Taken:
        try:
            return Taken.of(await self._ask("take", arguments), root)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(_remove_whatever_is_left, root))
            raise

    async def scan(self, snapshot: Snapshot) -> Scan:
        """Look for text that addresses whoever evaluates the bundle; raises `JudgementError`."""
        files = [(file.path, file.size) for file in snapshot.tree.files]
        found = await self._ask("scan", {"root": str(snapshot.tree.root), "files": files})
        return Scan(tuple(InjectionFlag(**flag) for flag in found["flags"]), found["cut"])

    async def warm(self) -> None:
        """Have a process ready; raises `JudgeBundlesError` where none can be had at all."""
        try:
            await self._pool.warm()
        except WorkerFailure as failure:
            raise JudgeBundlesError(f"bundles cannot be taken in: {failure}") from failure

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._pool.__aexit__(exc_type, exc, traceback)

    async def _ask(self, operation: str, arguments: dict[str, Any]) -> Any:
        try:
            return await self._pool.ask(operation, arguments, wall_s=self._time_s)
        except WorkerFailure as failure:
            raise _error(failure) from failure
        except WorkerCrash as crash:
            log.get_logger().error("worker_crashed", error=str(crash), traceback=crash.traceback)
            raise JudgementError("internal", str(crash)) from crash


def _setup(rules: Sequence[Rule], limits: IntakeLimits) -> dict[str, Any]:
    gates = [
        {"prechecks": rule.gate.dump(), "json": asdict(rule.gate.json_options)} for rule in rules
    ]
    return {"gates": gates, "limits": asdict(limits)}


def _limits(intake: IntakeLimits, time_s: float) -> WorkerLimits:
    return WorkerLimits(
        memory_bytes=INTAKE_MEMORY_BYTES,
        cpu_s=round(time_s),
        wall_s=time_s,
        file_bytes=intake.max_file_bytes + MIB,
        open_files=intake.max_depth + _SPARE_FILES,
    )


def _error(failure: WorkerFailure) -> JudgementError:
    if failure.kind in _ITS_OWN_FAULT:
        return JudgementError("intake", f"the bundle cannot be taken in and gated: {failure}")
    return JudgementError("worker_died", f"the bundle could not be taken in and gated: {failure}")


def _outcome(fields: dict[str, Any]) -> Outcome:
    return Outcome(**fields | {"details": tuple(fields["details"])})


def _snapshot(reply: dict[str, Any], root: Path) -> Snapshot:
    parts = reply["manifest"]
    _refuse_to_leave(path for path, *_ in (*parts["files"], *parts["skipped"]))
    manifest = Manifest(
        tuple(FileRecord(os.fsencode(path), size, sha256) for path, size, sha256 in parts["files"]),
        tuple(SkippedRecord(os.fsencode(path), kind) for path, kind in parts["skipped"]),
        tuple(map(os.fsencode, parts["folders"])),
    )
    return Snapshot(tree_of(root, manifest), reply["digest"], manifest, tuple(reply["warnings"]))


def _refuse_to_leave(paths: Iterable[str]) -> None:
    """No path in a manifest leads out of its root, whatever wrote the manifest."""
    for path in paths:
        if path.startswith("/") or "\0" in path or ".." in path.split("/"):
            raise JudgementError("internal", "a worker process answered with a path that leads out")


def _remove_whatever_is_left(root: Path) -> None:
    with suppress(OSError):  # the workspace goes in the end, and the next run sweeps
        remove_tree(root)
