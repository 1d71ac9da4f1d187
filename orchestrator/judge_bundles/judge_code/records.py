"""Make the record of a bundle for one request, without parsing its trajectory every time.

Every request has a record of its own, so that no judge sees what another changed in it. What takes
long to read, the trajectory, is kept in a form that nobody can change and unpacked for each.
"""

import gc
import marshal
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from judge_bundles.limits import JUDGE_CODE_KEPT_BYTES
from judge_bundles.record import Record, RecordPaths
from judge_bundles.record import trajectory as trajectories
from judge_bundles.record.sources import Sources
from judge_bundles.record.trajectory import Trajectory
from judge_prechecks.tree import File, Skipped, Tree


@dataclass(frozen=True, slots=True)
class _Kept:
    """A trajectory as bytes, None when there was none, and what was noted while it was read."""

    packed: bytes | None
    notes: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.packed or b"")


class Records:
    """The records of one process. The trajectories used last stay, within a budget of bytes."""

    def __init__(self, max_bytes: int = JUDGE_CODE_KEPT_BYTES) -> None:
        self._kept: OrderedDict[tuple[str, ...], _Kept] = OrderedDict()
        self._max_bytes = max_bytes

    def record(self, bundle: dict[str, Any], paths: RecordPaths) -> Record:
        """Return a new record of a bundle; nothing of it is opened yet."""
        tree = Tree(
            Path(bundle["root"]),
            tuple(File(path, size) for path, size in bundle["files"]),
            tuple(Skipped(path, kind) for path, kind in bundle["skipped"]),
        )
        return Record.of(tree, paths, load=partial(self._load, bundle["root"]))

    def _load(self, root: str, sources: Sources, files: Sequence[File]) -> Trajectory | None:
        key = (root, *(file.path for file in files))
        kept = self._kept.get(key)
        if kept is None:
            return self._parse(key, sources, files)
        self._kept.move_to_end(key)
        for note in kept.notes:
            sources.notes.add(note)
        return None if kept.packed is None else _unpacked(kept.packed)

    def _parse(
        self, key: tuple[str, ...], sources: Sources, files: Sequence[File]
    ) -> Trajectory | None:
        before = frozenset(sources.notes.lines)
        found = trajectories.load(sources, files)
        notes = tuple(line for line in sources.notes.lines if line not in before)
        self._keep(key, _Kept(None if found is None else _packed(found), notes))
        return found

    def _keep(self, key: tuple[str, ...], kept: _Kept) -> None:
        self._kept[key] = kept
        while sum(one.size for one in self._kept.values()) > self._max_bytes:
            self._kept.popitem(last=False)


def _packed(found: Trajectory) -> bytes:
    return marshal.dumps([getattr(found, field.name) for field in fields(found)])


def _unpacked(packed: bytes) -> Trajectory:
    # Millions of small objects, and none of them garbage: looking for some takes most of the time.
    gc.disable()
    try:
        return Trajectory(*marshal.loads(packed))  # noqa: S302 - bytes that `_packed` made
    finally:
        gc.enable()
