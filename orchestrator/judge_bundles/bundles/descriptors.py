"""Reach folders below a root by descriptor, one component at a time, never through a link.

Paths are only ever resolved one name at a time against an open folder, so a link that is swapped in
is refused by the kernel, and the length of the whole path does not matter.
"""

import os
from types import TracebackType
from typing import Final, Self

READ_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
READ_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderCursor:
    """One open folder at a time below `root`, which it opens itself and closes at the end.

    With `create` the folders on the way are made, mode 0700, where they are missing. Two
    descriptors are open at most, however deep the tree.
    """

    def __init__(self, root: str | os.PathLike[str] | int, *, create: bool = False) -> None:
        """Open the folder `root`: a path whose last component is no link, or a descriptor."""
        self._create = create
        self._root = os.dup(root) if isinstance(root, int) else os.open(root, READ_FOLDER)
        self._folder: int | None = None
        self._path = b""

    def open(self, path: bytes) -> int:
        """Return a descriptor of the folder `path`, good until the next call.

        Raises OSError: ENOTDIR where a component is a link or a file.
        """
        if self._folder is not None and self._path == path:
            return self._folder
        if self._folder is not None and self._path and path.startswith(self._path + b"/"):
            start, rest = self._folder, path[len(self._path) + 1 :]
            self._folder = None
        else:
            self._release()
            start, rest = os.dup(self._root), path
        self._folder = self._descend(start, rest.split(b"/") if rest else [])
        self._path = path
        return self._folder

    def close(self) -> None:
        """Close everything; the cursor is of no further use."""
        self._release()
        os.close(self._root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _release(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _descend(self, folder: int, components: list[bytes]) -> int:
        """Walk from `folder`, which this closes, down to the last component."""
        for component in components:
            try:
                if self._create:
                    _make_folder(component, folder)
                below = os.open(component, READ_FOLDER, dir_fd=folder)
            finally:
                os.close(folder)
            folder = below
        return folder


def _make_folder(name: bytes, parent: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except FileExistsError:
        return  # opening it decides whether it is a folder
