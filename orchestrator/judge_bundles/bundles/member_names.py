"""Decide what a member of an archive may be called, without touching a file system.

A folder can only hold names that Linux allows; an archive can claim anything.
"""

import re
from typing import Final

from judge_bundles.bundles.refusals import refusal

_DRIVE: Final = re.compile(rb"[A-Za-z]:")
_HERE: Final = re.compile(rb"(?:\./)*+")


def archive_path(raw: bytes, *, folder: bool) -> bytes:
    """Return the path a name in an archive stands for; the empty path is the bundle itself.

    A leading `./` and the slash after a folder go away. Raises `JudgementError` for every name
    that could mean something outside the bundle, or two things to two programs.
    """
    path = _without_root(raw, folder=folder)
    if not path:
        if folder and raw:
            return b""
        raise refusal("it has an empty name", raw)
    if reason := _fault(path):
        raise refusal(reason, raw)
    return path


def _without_root(raw: bytes, *, folder: bool) -> bytes:
    path = _HERE.sub(b"", raw, count=1)
    if folder and path == b".":
        return b""
    return path.removesuffix(b"/") if folder and path != b"/" else path


def _fault(path: bytes) -> str | None:
    components = path.split(b"/")
    faults = (
        (b"\0" in path, "its name holds a NUL byte"),
        (b"\\" in path, "its name holds a backslash, a folder separator to some programs"),
        (not components[0], "its name is absolute"),
        (_DRIVE.fullmatch(components[0]), "its name starts with a drive letter"),
        (b".." in components, "its name climbs out of a folder with '..'"),
        (b"" in components or b"." in components, "its name has an empty or '.' component"),
    )
    return next((reason for is_at_fault, reason in faults if is_at_fault), None)
