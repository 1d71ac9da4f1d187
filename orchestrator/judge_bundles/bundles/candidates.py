"""Tell by name and kind what could be a bundle, without opening it."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from judge_bundles.bundles.archive import archive_suffix
from judge_bundles.bundles.folder_members import special_kind

_IS_LINK: Final = "the bundle itself is a link, and links are never followed"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bundle before it has an id.

    `source` is where it lies, RUNS included as it was typed; `relative` its path below RUNS;
    `suffix` what makes it an archive.
    """

    source: Path
    relative: str
    kind: Literal["folder", "archive"]
    suffix: str = ""
    refused: str | None = None


def candidate_at(path: Path, relative: str) -> Candidate | None:
    """Return what lies at `path` as a candidate; None for a loose file."""
    mode = mode_of(path)
    is_link = stat.S_ISLNK(mode)
    refused = _IS_LINK if is_link else None
    if stat.S_ISDIR(mode) or (is_link and path.is_dir()):
        return Candidate(path, relative, "folder", refused=refused)
    suffix = archive_suffix(path.name)
    if not suffix:
        return None
    if not is_link and not stat.S_ISREG(mode):
        refused = f"the archive is no regular file but of kind {special_kind(mode)}"
    return Candidate(path, relative, "archive", suffix, refused)


def mode_of(path: Path) -> int:
    """Return the mode of `path` itself; 0, which is no kind of file, when it cannot be had."""
    try:
        return int(path.lstat().st_mode)
    except OSError:
        return 0
