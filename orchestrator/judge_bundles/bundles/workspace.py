"""The private place of one run for its snapshots, gone when the run is over."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from judge_bundles.bundles.removal import remove_tree


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder that only its owner may enter (mode 0700), under a random ASCII name."""

    path: Path

    @classmethod
    def create(cls, parent: Path | None = None) -> Self:
        """Make a new one in `parent`, by default the system's folder for temporary files."""
        return cls(Path(tempfile.mkdtemp(prefix="judge-bundles-", dir=parent)).resolve())

    def remove(self) -> None:
        """Remove it with everything in it; doing so twice is fine."""
        remove_tree(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()
