"""Keep the names of a bundle in order while it is read: limits, duplicates, paths through files.

Every folder counts as a member, also one that only appears in the path of another member, since
each of them costs an inode. Nothing is opened here.
"""

import os
from typing import Literal

from judge_bundles.bundles.member import Member, MemberKind
from judge_bundles.bundles.refusals import over_limit, refusal
from judge_bundles.limits import IntakeLimits
from judge_prechecks.names import is_clutter


class Ledger:
    """The members admitted so far. One bundle, one ledger."""

    def __init__(self, limits: IntakeLimits) -> None:
        self._limits = limits
        self._kinds: dict[bytes, MemberKind | Literal["implied"]] = {b"": "implied"}
        self._count = 0

    @property
    def folders(self) -> tuple[bytes, ...]:
        """Paths of all folders, also of those only implied, without the bundle itself; sorted."""
        kinds = ("folder", "implied")
        return tuple(sorted(path for path, kind in self._kinds.items() if path and kind in kinds))

    def admit(self, member: Member) -> bool:
        """Enter a member before anything of it is written; false means to leave it out.

        Raises `JudgementError` for a name past a limit, a duplicate, or a path through something
        that is no folder.
        """
        if member.kind == "clutter":
            self._add(member.path)
            return False
        components = member.path.split(b"/")
        self._check_name(member.path, components)
        if any(is_clutter(os.fsdecode(part)) for part in components):
            self._add(member.path)
            return False
        self._enter_parents(member.path)
        self._enter(member.path, member.kind)
        return True

    def _check_name(self, path: bytes, components: list[bytes]) -> None:
        limits = self._limits
        if len(path) > limits.max_path_bytes:
            what = f"its path has {len(path):,} bytes"
            raise over_limit(what, limits.max_path_bytes, "--max-path-bytes", path)
        if (longest := max(map(len, components))) > limits.max_name_bytes:
            what = f"a name in its path has {longest:,} bytes"
            raise over_limit(what, limits.max_name_bytes, "--max-name-bytes", path)
        if len(components) > limits.max_depth:
            what = f"it lies {len(components):,} levels deep"
            raise over_limit(what, limits.max_depth, "--max-depth", path)

    def _enter_parents(self, path: bytes) -> None:
        missing = []
        parent = path.rpartition(b"/")[0]
        while parent not in self._kinds:
            missing.append(parent)
            parent = parent.rpartition(b"/")[0]
        kind = self._kinds[parent]
        if kind not in {"folder", "implied"}:
            raise refusal(f"its path leads through a member of kind {kind}", path)
        for folder in reversed(missing):
            self._add(path)
            self._kinds[folder] = "implied"

    def _enter(self, path: bytes, kind: MemberKind) -> None:
        known = self._kinds.get(path)
        if known is None or (known == kind == "folder"):
            self._add(path)
        elif not (known == "implied" and kind == "folder"):
            raise refusal("the archive holds this name twice", path)
        self._kinds[path] = kind

    def _add(self, path: bytes) -> None:
        self._count += 1
        if self._count > self._limits.max_members:
            what = f"the bundle has more than {self._limits.max_members:,} members"
            raise over_limit(what, self._limits.max_members, "--max-members", path)
