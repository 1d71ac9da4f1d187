"""Find the builtin judges: `<category>/<name>.py` or `.md` below the package and each folder given.

Adding a file is all it takes. Names that begin with `_` or `.` and other suffixes are passed over;
everything else that cannot be a judge is refused, all of it at once.
"""

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from judge_bundles.documents.problems import Problem, problem_line, show_path
from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_CATALOGUE_FILES, MAX_RULE_PROBLEMS
from judge_bundles.rules.catalogue.builtin_file import Builtin, read_builtin

SHIPPED: Final = Path(__file__).resolve().parents[2] / "judges" / "builtin"
LOCAL: Final = "local"
"""The category of a file that lies in a folder of `--judges-dir` itself."""

_SUFFIXES: Final = frozenset({".py", ".md"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The judges by their bare names, in the order of their qualified ones."""

    builtins: Mapping[str, Builtin]

    def find(self, name: str) -> Builtin | None:
        """Return the judge called `name`, bare or as `category/name`; None when there is none."""
        builtin = self.builtins.get(name.rpartition("/")[2])
        return builtin if builtin and name in {builtin.name, builtin.qualified} else None

    def unknown(self, name: str) -> str:
        """Say that there is no judge `name`, which ones there are, and which may be meant."""
        bare = name.rpartition("/")[2]
        close = difflib.get_close_matches(bare[:100], list(self.builtins), n=1)
        hint = f": did you mean `{self.builtins[close[0]].qualified}`?" if close else "."
        there = ", ".join(one.qualified for one in self.builtins.values()) or "none"
        return f"there is no builtin judge `{name[:100]}`{hint} There are {there}"


def read_catalogue(folders: Sequence[Path] = ()) -> Catalogue:
    """Return the shipped judges and those in `folders`, or raise `RuleError` with every problem."""
    search = _Search()
    search.folder(SHIPPED, loose=False)
    seen = {_place(SHIPPED)}
    for folder in folders:
        if (place := _place(folder)) not in seen:
            seen.add(place)
            search.folder(folder, loose=True)
    if search.problems:
        raise RuleError("\n".join(_lines(search.problems)))
    found = sorted(search.found.values(), key=lambda builtin: builtin.qualified)
    return Catalogue({builtin.name: builtin for builtin in found})


def _place(folder: Path) -> str:
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):  # what is wrong with it is said when it is looked into
        return os.fspath(folder)


def _lines(problems: Sequence[tuple[Path, str]]) -> Iterator[str]:
    for path, message in problems[:MAX_RULE_PROBLEMS]:
        yield problem_line(path, Problem((), message))
    if len(problems) > MAX_RULE_PROBLEMS:
        yield f"and {len(problems) - MAX_RULE_PROBLEMS} more problems of builtin judges"


@dataclass(slots=True)
class _Search:
    found: dict[str, Builtin] = field(default_factory=dict)
    problems: list[tuple[Path, str]] = field(default_factory=list)
    files: int = 0

    def folder(self, folder: Path, *, loose: bool) -> None:
        """Take in a folder of categories; with `loose` also the files in it."""
        for entry in self._entries(folder):
            if _is_judge(entry):
                if loose:
                    self._file(entry, LOCAL)
            elif entry.is_symlink():
                # What is behind it may be anything; a link to no folder is nobody's judge.
                if entry.is_dir():
                    self._refuse(entry, "is a link: put the folder itself here")
            elif entry.is_dir():
                self._category(Path(entry.path))

    def _category(self, folder: Path) -> None:
        judges = [entry for entry in self._entries(folder) if _is_judge(entry)]
        if judges and not _NAME.fullmatch(folder.name):
            self.problems.append((folder, _bad_name("category")))
            return
        for entry in judges:
            self._file(entry, folder.name)

    def _file(self, entry: os.DirEntry[str], category: str) -> None:
        self.files += 1
        path = Path(entry.path)
        if self.files > MAX_CATALOGUE_FILES:
            if self.files == MAX_CATALOGUE_FILES + 1:
                self._refuse(entry, f"is one more than the {MAX_CATALOGUE_FILES} that are read")
        elif entry.is_symlink():
            self._refuse(entry, "is a link: put the file itself here")
        elif not _NAME.fullmatch(path.stem):
            self._refuse(entry, _bad_name("judge"))
        elif other := self.found.get(path.stem):
            self._refuse(entry, f"has the name of {show_path(other.file)}: rename one of the two")
        else:
            try:
                self.found[path.stem] = read_builtin(path, category)
            except ValueError as error:
                self._refuse(entry, str(error))

    def _refuse(self, entry: os.DirEntry[str], message: str) -> None:
        self.problems.append((Path(entry.path), message))

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                shown = [entry for entry in entries if not entry.name.startswith(("_", "."))]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name holds a NUL"
            self.problems.append((folder, f"cannot be looked into ({reason}): check the path"))
            return []
        return sorted(shown, key=lambda entry: entry.name)


def _is_judge(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is, by its name, the file of a judge; a folder is not, whatever its name."""
    return Path(entry.name).suffix in _SUFFIXES and not entry.is_dir(follow_symlinks=False)


def _bad_name(what: str) -> str:
    return f"the name of a {what} may have letters, digits, `_`, `.` and `-`: rename it"
