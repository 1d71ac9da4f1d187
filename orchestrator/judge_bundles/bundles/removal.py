"""Remove a folder whatever is in it: modes without rights, names of any bytes, any depth.

Links are unlinked, never followed. Folders are moved up to the top one by one and emptied there, so
that neither the length of a path nor the number of open descriptors grows with the depth.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from judge_bundles.bundles.descriptors import READ_FOLDER

_LOOK_AT_FOLDER: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Remove the folder at `path` and everything in it; one that is gone already is fine.

    Raises OSError when the operating system refuses for another reason than modes.
    """
    try:
        top = _open_with_all_rights(path)
    except FileNotFoundError:
        return
    try:
        while folders := _unlink_all_but_folders(top):
            for name in folders:
                _dissolve(name, top)
    finally:
        os.close(top)
    path.rmdir()


def _dissolve(name: bytes, top: int) -> None:
    """Remove the folder `name` of `top`, moving the folders in it up into `top` first."""
    folder = _open_with_all_rights(name, top)
    try:
        for below in _unlink_all_but_folders(folder):
            os.close(_open_with_all_rights(below, folder))
            os.rename(below, secrets.token_hex(16), src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)


def _unlink_all_but_folders(folder: int) -> list[bytes]:
    """Remove everything but folders from an open folder and return the names of those."""
    folders = []
    with os.scandir(folder) as entries:
        names = [
            (os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries
        ]
    for name, is_folder in names:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


def _open_with_all_rights(name: Path | bytes, parent: int | None = None) -> int:
    """Open a folder, giving its owner all rights first: moving and emptying it needs them."""
    look = os.open(name, _LOOK_AT_FOLDER, dir_fd=parent)
    try:
        with suppress(OSError):  # where it matters, opening below says why it cannot be done
            Path(f"/proc/self/fd/{look}").chmod(0o700)
        return os.open(".", READ_FOLDER, dir_fd=look)
    finally:
        os.close(look)
