"""Write the private copy of a bundle, by descriptor, and hash each file on its way in.

Nothing of the source's modes, owners or times goes along. Existing names are never opened.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from judge_bundles.bundles.descriptors import WRITE_NEW_FILE, FolderCursor
from judge_bundles.bundles.manifest import FileRecord

FILE_MODE: Final = 0o444
FOLDER_MODE: Final = 0o555


class SnapshotWriter:
    """Fills the new folder `root`; a context manager that closes what it opened."""

    def __init__(self, root: Path) -> None:
        """Make the folder, which must not exist yet, for its owner alone until it is sealed."""
        root.mkdir(mode=0o700)
        self._cursor = FolderCursor(root, create=True)

    def folder(self, path: bytes) -> None:
        """Make a folder and those above it."""
        self._cursor.open(path)

    def file(self, path: bytes, chunks: Iterable[bytes]) -> FileRecord:
        """Write a new file and the folders above it; return its real size and hash."""
        folder, _, name = path.rpartition(b"/")
        descriptor = os.open(name, WRITE_NEW_FILE, 0o600, dir_fd=self._cursor.open(folder))
        digest = hashlib.sha256()
        size = 0
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                _write_all(file.fileno(), chunk)
            os.fchmod(file.fileno(), FILE_MODE)
        return FileRecord(path, size, digest.hexdigest())

    def seal(self, folders: Iterable[bytes]) -> None:
        """Make the given folders and the root readable by everyone and writable by nobody."""
        for path in (*folders, b""):
            os.fchmod(self._cursor.open(path), FOLDER_MODE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._cursor.close()


def _write_all(descriptor: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(descriptor, view) :]
