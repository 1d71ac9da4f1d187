"""The bundle as the tools see it: one index of names, and files opened without following a link.

Nothing outside the root can be named: a path is looked up in the index first, and opened component
by component from the root's descriptor.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from sandbox_image.answers import ToolError, refuse_arguments
from sandbox_image.limits import MAX_CANDIDATES_NAMED, MAX_DEPTH, MAX_MEMBERS
from sandbox_image.names import brief, parse
from sandbox_image.text import Text

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = (
    (stat.S_ISREG, "file"),
    (stat.S_ISDIR, "folder"),
    (stat.S_ISLNK, "symbolic link"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


class Member(NamedTuple):
    """One name of the bundle: `kind` is "file", "folder", "symbolic link", …; size in bytes."""

    kind: str
    size: int


class Named(NamedTuple):
    """What an argument turned out to name. `remark` says so where it was not the exact path."""

    path: str
    remark: str


class Bundle:
    """One folder. It does not change while it is judged, so its index is made once."""

    def __init__(self, root: str) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._members: dict[str, Member] | None = None
        self.complete = True
        """False when the bundle has more members than the index takes, or deeper ones."""
        self.texts: dict[str, Text | None] = {}
        """What is known of files that were read through; see `reading`."""

    def close(self) -> None:
        """Give back the descriptor that everything is opened from."""
        os.close(self._root)

    @property
    def members(self) -> dict[str, Member]:
        """Everything in the bundle by path, in the order of paths."""
        if self._members is None:
            found = self._scan()
            self._members = {path: found[path] for path in sorted(found)}
        return self._members

    @property
    def files(self) -> dict[str, Member]:
        """Regular files only."""
        return {path: member for path, member in self.members.items() if member.kind == "file"}

    def file(self, argument: str) -> Named:
        """Return the regular file that `argument` names: exactly, else the only one that ends so."""
        named = self._named(argument, folder=False)
        kind = self.members[named.path].kind
        if kind != "file":
            raise ToolError("unreadable", f"{brief(named.path)} is a {kind}; it is never opened")
        return named

    def folder(self, argument: str) -> Named:
        """Return the folder that `argument` names; the bundle itself is the empty path."""
        if argument in (".", "./"):
            return Named("", "")
        return self._named(argument, folder=True)

    def open(self, path: str) -> int:
        """Return a descriptor of a regular file of the bundle."""
        folder, _, name = path.rpartition("/")
        parent = self._open_folder(folder)
        try:
            descriptor = os.open(name, _FILE, dir_fd=parent)
        finally:
            os.close(parent)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ToolError("unreadable", f"{brief(path)} is not a regular file")
        return descriptor

    def _named(self, argument: str, *, folder: bool) -> Named:
        what = "folder" if folder else "file"
        wanted = _cleaned(argument)
        for form in (wanted, parse(wanted)):
            member = self.members.get(form)
            if member and (member.kind == "folder") == folder:
                return Named(form, "")
            if member and folder:
                raise refuse_arguments(f"{brief(form)} is a {member.kind}, not a folder")
            if member:
                raise refuse_arguments(f"{brief(form)} is a folder: list_files lists it")
        ends = tuple({f"/{wanted}", f"/{parse(wanted)}"})
        matches = [
            path
            for path, member in self.members.items()
            if path.endswith(ends) and (member.kind == "folder") == folder
        ]
        if not matches:
            raise ToolError("not_found", f"the bundle has no {what} {brief(argument)}")
        if len(matches) > 1:
            named = ", ".join(brief(path) for path in matches[:MAX_CANDIDATES_NAMED])
            more = len(matches) - MAX_CANDIDATES_NAMED
            named += f" and {more:,} more" if more > 0 else ""
            raise refuse_arguments(f"several are called so, give one whole path: {named}")
        remark = f"{brief(argument)} is not a path of the bundle; {brief(matches[0])} was taken"
        return Named(matches[0], remark)

    def _open_folder(self, path: str) -> int:
        descriptor = os.dup(self._root)
        for component in path.split("/") if path else ():
            parent = descriptor
            try:
                descriptor = os.open(component, _FOLDER, dir_fd=parent)
            finally:
                os.close(parent)
        return descriptor

    def _scan(self) -> dict[str, Member]:
        found: dict[str, Member] = {}
        pending = [""]
        while pending:
            folder = pending.pop()
            try:
                entries = self._list(folder)
            except OSError:
                found[folder] = Member("folder that cannot be read", 0)
                continue
            for name, member in entries:
                if len(found) >= MAX_MEMBERS:
                    self.complete = False
                    return found
                path = f"{folder}/{name}" if folder else name
                found[path] = member
                if member.kind == "folder" and path.count("/") < MAX_DEPTH:
                    pending.append(path)
                elif member.kind == "folder":
                    self.complete = False
        return found

    def _list(self, folder: str) -> list[tuple[str, Member]]:
        descriptor = self._open_folder(folder)
        try:
            with os.scandir(descriptor) as entries:
                return [
                    (entry.name, _member(entry.stat(follow_symlinks=False))) for entry in entries
                ]
        finally:
            os.close(descriptor)


def _cleaned(argument: str) -> str:
    cleaned = argument
    while cleaned.startswith("./"):
        cleaned = cleaned[2:]
    cleaned = cleaned.rstrip("/") or cleaned
    if cleaned.startswith("/") or ".." in cleaned.split("/"):
        raise refuse_arguments("paths are relative to the bundle and have no '..'")
    return cleaned


def _member(status: os.stat_result) -> Member:
    kind = next((kind for fits, kind in _KINDS if fits(status.st_mode)), "special file")
    return Member(kind, status.st_size if kind == "file" else 0)
