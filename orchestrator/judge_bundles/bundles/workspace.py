"""The private place of one run for its snapshots, gone when the run is over.

A process that is killed cannot clean up; the next one does it. A process keeps its workspace locked
for as long as it lives, so that no living run is ever touched.
"""

import fcntl
import os
import re
import secrets
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from judge_bundles.bundles.removal import remove_tree
from judge_bundles.log import get_logger

PREFIX: Final = "judge-bundles-"
_NAME_BYTES: Final = 8
_NAME: Final = re.compile(re.escape(PREFIX) + f"[0-9a-f]{{{2 * _NAME_BYTES}}}")
_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder that only its owner may enter (mode 0700), under a random ASCII name."""

    path: Path
    _lock: int

    @classmethod
    def create(cls, parent: Path | None = None) -> Self:
        """Make a new one in `parent`, by default the system's folder for temporary files."""
        folder = Path(parent or tempfile.gettempdir()).resolve()
        while True:
            path = folder / (PREFIX + secrets.token_hex(_NAME_BYTES))
            path.mkdir(mode=0o700)
            if (lock := _locked(path)) is not None:
                return cls(path, lock)

    def remove(self) -> None:
        """Remove it with everything in it; doing so twice is fine."""
        try:
            remove_tree(self.path)
        except OSError as error:  # the next run's sweep tries again
            get_logger().warning("workspace_not_removed", path=str(self.path), reason=str(error))
        with suppress(OSError):
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()


def sweep(parent: Path | None = None) -> int:
    """Remove the workspaces of this user whose process is gone; return how many."""
    folder = Path(parent or tempfile.gettempdir())
    return sum(_remove_if_dead(path) for path in folder.iterdir() if _NAME.fullmatch(path.name))


def _locked(path: Path) -> int | None:
    """Lock a folder just made; None when a sweep has found it before that and removed it."""
    try:
        lock = os.open(path, _OPEN)
    except FileNotFoundError:
        return None
    fcntl.flock(lock, fcntl.LOCK_EX)  # who sweeps holds it for a moment
    if path.exists():
        return lock
    os.close(lock)
    return None


def _remove_if_dead(path: Path) -> bool:
    try:
        owner = os.open(path, _OPEN)
    except OSError:
        return False  # a link, or already gone
    try:
        status = os.fstat(owner)
        if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) != 0o700:
            return False
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(path)
    except OSError:
        return False  # its process lives
    finally:
        os.close(owner)
    return True
