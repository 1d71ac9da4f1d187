"""The files a gate looks at: a flat list of members under one root, made once.

Nothing here follows a link or opens what is not a regular file. The orchestrator builds a `Tree`
from its snapshot; a library user gets one with `Tree.scan(folder)`.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

SkippedKind = Literal["symlink", "hardlink", "fifo", "socket", "device", "unreadable", "other"]


@dataclass(frozen=True, slots=True)
class File:
    """One regular file: `path` relative to the root with `/`, `size` in bytes."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """One member that is never opened: a link, a device, …"""

    path: str
    kind: SkippedKind


@dataclass(frozen=True, slots=True)
class Tree:
    """Regular files and skipped members of one bundle, each sorted by path."""

    root: Path
    files: tuple[File, ...]
    skipped: tuple[Skipped, ...] = ()

    @classmethod
    def scan(cls, root: str | os.PathLike[str]) -> "Tree":
        """List a folder without following links; the folder itself may be reached through one."""
        files: list[File] = []
        skipped: list[Skipped] = []
        for entry, path in _walk(os.fspath(root)):
            kind = _kind(entry)
            if kind is None:
                files.append(File(path, entry.stat(follow_symlinks=False).st_size))
            else:
                skipped.append(Skipped(path, kind))
        return cls(
            Path(root),
            tuple(sorted(files, key=lambda file: file.path)),
            tuple(sorted(skipped, key=lambda member: member.path)),
        )

    def open(self, file: File) -> BinaryIO:
        """Open one of `files` for reading bytes; a link put in its place meanwhile is refused."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.fdopen(os.open(self.root / file.path, flags), "rb")


def _walk(root: str) -> Iterator[tuple["os.DirEntry[str]", str]]:
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(f"{root}/{folder}" if folder else root) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                else:
                    yield entry, path


def _kind(entry: "os.DirEntry[str]") -> SkippedKind | None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISLNK(mode):
        return "symlink"
    if stat.S_ISFIFO(mode):
        return "fifo"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "other"
