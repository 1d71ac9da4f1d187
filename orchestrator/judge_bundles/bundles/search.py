"""Walk through RUNS and collect what could be a bundle; links below RUNS are never followed."""

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from judge_bundles.bundles.candidates import Candidate, candidate_at, mode_of
from judge_bundles.bundles.patterns import BundlePattern
from judge_bundles.errors import UserError
from judge_prechecks.names import is_clutter, show


class Search:
    """What was found so far: candidates, the names of loose files, and what went wrong."""

    def __init__(self, patterns: Sequence[BundlePattern]) -> None:
        self.found: list[Candidate] = []
        self.loose: list[str] = []
        self.warnings: list[str] = []
        self._patterns = patterns
        self._seen: set[Path] = set()

    def look_into(self, run: str, *, single: bool) -> None:
        """Add what one RUNS holds: it is a collection, or itself one bundle.

        Raises `UserError` when it does not exist or cannot be read.
        """
        root = Path(run)
        if _is_folder(root, run) and not single:
            self._walk(root)
        else:
            named = root if root.name not in {"", ".."} else root.resolve()
            self._add(root, named.name or str(named), root.parent.resolve() / root.name)

    def _walk(self, root: Path) -> None:
        real = root.resolve()
        first = len(self.found)
        pending: list[tuple[str, ...]] = [()]
        while pending:
            above = pending.pop()
            for name in self._names(root.joinpath(*above), is_root=not above):
                names = (*above, name)
                path = root.joinpath(*names)
                if any(pattern.fits(names) for pattern in self._patterns):
                    self._add(path, "/".join(names), real.joinpath(*names))
                elif self._is_worth_entering(names) and stat.S_ISDIR(mode_of(path)):
                    pending.append(names)
        self.found[first:] = sorted(self.found[first:], key=lambda item: os.fsencode(item.relative))

    def _is_worth_entering(self, names: tuple[str, ...]) -> bool:
        return any(pattern.fits_below(names) for pattern in self._patterns)

    def _names(self, folder: Path, *, is_root: bool) -> list[str]:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if not is_clutter(entry.name)]
        except OSError as error:
            problem = f"'{show(str(folder))}' cannot be searched for bundles: {error.strerror}"
            if is_root:
                raise UserError(problem) from error
            self.warnings.append(problem)
            return []
        return sorted(names, key=os.fsencode)

    def _add(self, path: Path, relative: str, real: Path) -> None:
        candidate = candidate_at(path, relative)
        if candidate is None:
            self.loose.append(relative)
        elif real in self._seen:
            self.warnings.append(f"'{show(str(path))}' was given twice and is judged once")
        else:
            self._seen.add(real)
            self.found.append(candidate)


def _is_folder(root: Path, run: str) -> bool:
    """Look at RUNS itself, which may be reached through a link."""
    try:
        if not run:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return stat.S_ISDIR(root.stat().st_mode)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"RUNS '{show(run)}' cannot be read: {reason}") from error
