"""The files a gate looks at: a flat list of members under one root, made once.

Nothing here follows a link or opens what is not a regular file. The orchestrator builds a `Tree`
from its snapshot; a library user gets one with `Tree.scan(folder)`.
"""

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from judge_prechecks.names import is_clutter

SkippedKind = Literal["symlink", "hardlink", "fifo", "socket", "device", "unreadable", "other"]


@dataclass(frozen=True, slots=True)
class File:
    """One regular file: `path` relative to the root with `/`, `size` in bytes."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """One member that is never opened: a link, a device, …

    A path that ends with `/` is a folder that could not be listed; what is in it is unknown.
    """

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
        """List a folder without following links; the folder itself may be reached through one.

        Clutter of operating systems (`names.is_clutter`) is no member. Raises `OSError` when
        `root` itself is not a folder that can be listed.
        """
        files: list[File] = []
        skipped: list[Skipped] = []
        with os.scandir(root) as entries:
            pending = _sort_in(entries, "", files, skipped)
        while pending:
            folder = pending.pop()
            try:
                entries = os.scandir(f"{os.fspath(root)}/{folder}")
            except OSError:  # no permission, or deeper than a path can be long
                skipped.append(Skipped(folder, "unreadable"))
                continue
            with entries:
                pending += _sort_in(entries, folder, files, skipped)
        files.sort(key=_path)
        skipped.sort(key=_path)
        return cls(root if isinstance(root, Path) else Path(root), tuple(files), tuple(skipped))

    def open(self, file: File) -> BinaryIO:
        """Open one of `files` for reading bytes.

        Raises `OSError`, also for a link or anything but a regular file put in its place meanwhile.
        """
        return os.fdopen(self._descriptor(file), "rb")

    def read(self, file: File, max_bytes: int) -> bytes:
        """Return the content of one of `files`, cut after one byte more than `max_bytes`.

        Raises `OSError` like `open`. A file that grows while it is read is read on.
        """
        descriptor = self._descriptor(file)
        try:
            wanted = min(file.size, max_bytes) + 1
            data = os.read(descriptor, wanted)
            while len(data) <= max_bytes and (more := os.read(descriptor, wanted)):
                data += more
        finally:
            os.close(descriptor)
        return data[: max_bytes + 1]

    def _descriptor(self, file: File) -> int:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(f"{self.root}/{file.path}", flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a regular file any more")
        return descriptor


def _path(member: File | Skipped) -> str:
    return member.path


def _sort_in(
    entries: Iterable["os.DirEntry[str]"], prefix: str, files: list[File], skipped: list[Skipped]
) -> list[str]:
    """Put the members of one folder where they belong; return its folders, each ending in `/`."""
    folders: list[str] = []
    for entry in entries:
        name = entry.name
        if is_clutter(name):
            continue
        if entry.is_dir(follow_symlinks=False):
            folders.append(f"{prefix}{name}/")
            continue
        member = _member(entry, prefix + name)
        if isinstance(member, File):
            files.append(member)
        else:
            skipped.append(member)
    return folders


def _member(entry: "os.DirEntry[str]", path: str) -> File | Skipped:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # gone since it was listed
        return Skipped(path, "unreadable")
    if stat.S_ISREG(status.st_mode):
        return File(path, status.st_size)
    return Skipped(path, _kind(status.st_mode))


def _kind(mode: int) -> SkippedKind:
    if stat.S_ISLNK(mode):
        return "symlink"
    if stat.S_ISFIFO(mode):
        return "fifo"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "other"
