"""What a worker process does with bundles: take one in, run gates on it, look for what speaks to judges.

Everything that reads untrusted formats before a sandbox exists happens here, out of reach of keys.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from judge_bundles.bundles import snapshot as snapshots
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.snapshot import Snapshot
from judge_bundles.errors import JudgementError
from judge_bundles.limits import IntakeLimits
from judge_bundles.workers.serve import Operation
from judge_prechecks import CheckCrashedError, Gate, Outcome
from judge_prechecks.names import show
from judge_prechecks.strict_json import JsonOptions
from judge_prechecks.tree import File, Tree

MAX_SKIPPED_NAMED: Final = 100


def start(setup: dict[str, Any]) -> Mapping[str, Operation]:
    """Return the operations for the gates and limits of one run."""
    gates = [Gate.parse(gate["prechecks"], JsonOptions(**gate["json"])) for gate in setup["gates"]]
    limits = IntakeLimits(**setup["limits"])

    def take(arguments: dict[str, Any]) -> dict[str, Any]:
        entry, root = Entry(**arguments["entry"]), Path(arguments["root"])
        return _take(entry, root, limits, {n: gates[n] for n in arguments["gates"]}, arguments)

    return {"take": take, "scan": _scan}


def _take(
    entry: Entry,
    root: Path,
    limits: IntakeLimits,
    gates: Mapping[int, Gate],
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Copy, gate, and remove the copy again unless a judge is going to look at it."""
    snapshot = snapshots.take(entry, root, limits)
    outcomes = {number: _outcomes(gate, snapshot) for number, gate in gates.items()}
    held = {n for n, results in outcomes.items() if all(result.held for result in results)}
    wanted = arguments["keep"] or not held.isdisjoint(arguments["judged"])
    if not wanted:
        snapshots.remove(snapshot)
    return {
        "digest": snapshot.digest,
        "warnings": snapshot.warnings,
        "skipped": _skipped(snapshot),
        "outcomes": [[asdict(result) for result in results] for results in outcomes.values()],
        "manifest": _manifest(snapshot) if wanted else None,
    }


def _outcomes(gate: Gate, snapshot: Snapshot) -> tuple[Outcome, ...]:
    try:
        return gate.run(snapshot.tree)
    except CheckCrashedError as error:
        raise JudgementError("precheck_crashed", str(error)) from error


def _manifest(snapshot: Snapshot) -> dict[str, Any]:
    manifest = snapshot.manifest
    return {
        "files": [(os.fsdecode(one.path), one.size, one.sha256) for one in manifest.files],
        "skipped": [(os.fsdecode(one.path), one.kind) for one in manifest.skipped],
        "folders": [os.fsdecode(path) for path in manifest.folders],
    }


def _skipped(snapshot: Snapshot) -> list[str]:
    named = [f"{show(one.path)} ({one.kind})" for one in snapshot.tree.skipped[:MAX_SKIPPED_NAMED]]
    more = len(snapshot.tree.skipped) - len(named)
    return named + ([f"and {more:,} more"] if more else [])


def _scan(arguments: dict[str, Any]) -> dict[str, Any]:
    # Slow to import, and a run without judges has no use for it.
    from judge_bundles.agent import injection  # noqa: PLC0415

    files = tuple(File(path, size) for path, size in arguments["files"])
    scan = injection.inspect(Tree(Path(arguments["root"]), files))
    return {"flags": [asdict(flag) for flag in scan.flags], "cut": scan.cut}
