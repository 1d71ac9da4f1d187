"""Read a folder member by member, by descriptor, so that nothing outside it can be read.

A path-based walk can be led outside by swapping a folder for a link between look and open; here
every name is opened against an open folder with `O_NOFOLLOW`, and what was opened is looked at
again before a byte is read. The folder itself is never changed.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator, Iterator
from typing import Final

from judge_bundles.bundles.descriptors import READ_FILE, FolderCursor
from judge_bundles.bundles.member import Member, MemberKind
from judge_bundles.bundles.refusals import changed, over_limit, system_failure
from judge_bundles.errors import JudgementError
from judge_bundles.limits import INTAKE_CHUNK_BYTES
from judge_prechecks.tree import SkippedKind

_SPECIAL: Final[tuple[tuple[Callable[[int], bool], SkippedKind], ...]] = (
    (stat.S_ISLNK, "symlink"),
    (stat.S_ISFIFO, "fifo"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)
_CHANGED: Final = frozenset({errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.ENXIO})


def special_kind(mode: int) -> SkippedKind:
    """Return what a mode (as in `st_mode`) that is neither a file nor a folder stands for."""
    return next((kind for is_kind, kind in _SPECIAL if is_kind(mode)), "other")


def folder_members(
    cursor: FolderCursor, *, max_names: int, is_clutter: Callable[[str], bool]
) -> Generator[Member, None, None]:
    """Yield everything below the cursor's root: each folder before what it holds.

    It may hold at most `max_names` names, so that what waits to be entered is bounded. Clutter is
    yielded as such and not entered, and so is what may not be read.
    Raises `JudgementError` when the folder changes under the walk.
    """
    pending = [b""]
    names_left = max_names
    while pending:
        folder = pending.pop()
        descriptor = _open_folder(cursor, folder)
        if descriptor is None:
            yield Member(folder, "closed")
            continue
        if folder:
            yield Member(folder, "folder")
        names = _names(descriptor, folder, names_left, max_names)
        names_left -= len(names)
        for text in names:
            name = os.fsencode(text)
            path = folder + b"/" + name if folder else name
            kind = "clutter" if is_clutter(text) else _kind(descriptor, name, path)
            if kind == "folder":
                pending.append(path)
            elif kind == "file":
                yield from _file(descriptor, name, path)
            else:
                yield Member(path, kind)


def _open_folder(cursor: FolderCursor, path: bytes) -> int | None:
    try:
        return cursor.open(path)
    except PermissionError:
        return None
    except OSError as error:
        raise _trouble(error, path) from error


def _names(folder: int, path: bytes, left: int, most: int) -> list[str]:
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) > left:
                what = f"with what is in it the bundle has more than {most:,} members"
                raise over_limit(what, most, "--max-members", path or None)
    return sorted(names)


def _kind(folder: int, name: bytes, path: bytes) -> MemberKind:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except PermissionError:
        return "unreadable"
    except OSError as error:
        raise _trouble(error, path) from error
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else special_kind(mode)


def _file(folder: int, name: bytes, path: bytes) -> Iterator[Member]:
    try:
        descriptor = os.open(name, READ_FILE, dir_fd=folder)
    except PermissionError:
        yield Member(path, "unreadable")
        return
    except OSError as error:
        raise _trouble(error, path) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise changed(path)
        yield Member(path, "file", status.st_size, _chunks(descriptor, path))
    finally:
        os.close(descriptor)


def _chunks(descriptor: int, path: bytes) -> Iterator[bytes]:
    try:
        while chunk := os.read(descriptor, INTAKE_CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise system_failure(error, path) from error


def _trouble(error: OSError, path: bytes) -> JudgementError:
    """Tell a source that changed between look and open from one that cannot be read."""
    return changed(path) if error.errno in _CHANGED else system_failure(error, path)
