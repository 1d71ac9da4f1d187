"""The files a gate looks at: a flat list of members under one root, made once.

Nothing here follows a link or opens what is not a regular file. The orchestrator builds a `Tree`
from its snapshot; a library user gets one with `Tree.scan(folder)`.
"""

import errno
import os
import stat
from collections.abc import Generator, Iterable, Iterator
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
        for member in _walk(os.fspath(root)):
            if isinstance(member, File):
                files.append(member)
            else:
                skipped.append(member)
        return cls(Path(root), tuple(sorted(files, key=_path)), tuple(sorted(skipped, key=_path)))

    def open(self, file: File) -> BinaryIO:
        """Open one of `files` for reading bytes.

        Raises `OSError`, also for a link or anything but a regular file put in its place meanwhile.
        """
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(f"{self.root}/{file.path}", flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a regular file any more")
        return os.fdopen(descriptor, "rb")


def _path(member: File | Skipped) -> str:
    return member.path


def _walk(root: str) -> Iterator[File | Skipped]:
    with os.scandir(root) as entries:
        pending = yield from _members(entries, "")
    while pending:
        folder = pending.pop()
        try:
            entries = os.scandir(f"{root}/{folder}")
        except OSError:  # no permission, or deeper than a path can be long
            yield Skipped(f"{folder}/", "unreadable")
            continue
        with entries:
            pending += yield from _members(entries, f"{folder}/")


def _members(
    entries: Iterable["os.DirEntry[str]"], prefix: str
) -> Generator[File | Skipped, None, list[str]]:
    """Yield the members of one folder and return the paths of the folders in it."""
    folders: list[str] = []
    for entry in entries:
        path = prefix + entry.name
        if is_clutter(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            folders.append(path)
        else:
            yield _member(entry, path)
    return folders


def _member(entry: "os.DirEntry[str]", path: str) -> File | Skipped:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # gone since it was listed
        return Skipped(path, "unreadable")
    kind = _kind(status.st_mode)
    return File(path, status.st_size) if kind is None else Skipped(path, kind)


def _kind(mode: int) -> SkippedKind | None:
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISLNK(mode):
        return "symlink"
    if stat.S_ISFIFO(mode):
        return "fifo"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "other"
