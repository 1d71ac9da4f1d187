"""Find the bundles below RUNS by their names, without opening any of them.

What is found here is only a candidate: whether an archive is one, and whether anything of a bundle
may be used, is decided when its snapshot is taken.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Final, Literal

from judge_bundles.bundles.archive import ARCHIVE_SUFFIXES
from judge_bundles.bundles.candidates import Candidate
from judge_bundles.bundles.entry_ids import unique_ids
from judge_bundles.bundles.patterns import BundlePattern
from judge_bundles.bundles.search import Search
from judge_bundles.errors import NoBundlesError, UserError
from judge_bundles.limits import MAX_NAMED_LOOSE_FILES
from judge_prechecks.names import show

_DIRECTLY_BELOW: Final = ("*",)
_WHAT_IS_A_BUNDLE: Final = (
    f"a bundle is a folder or an archive ({', '.join(ARCHIVE_SUFFIXES)});"
    " add --single to judge the given folder itself as one bundle"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One bundle of a run.

    `entry_id` is printable and unique in its run; `source` is the absolute path of the folder or archive,
    as `os.fsdecode` gives it. A bundle that is known to be refused says why in `refused`.
    """

    entry_id: str
    source: str
    kind: Literal["folder", "archive"]
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """The bundles found, in the order of RUNS and then of their names; `warnings` are printable."""

    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()


def discover(
    runs: Sequence[str | PathLike[str]], *, single: bool = False, patterns: Sequence[str] = ()
) -> Discovery:
    """Find the bundles in RUNS.

    `single` takes each folder of RUNS as one bundle; `patterns` are `--glob`, relative to each of
    them. Raises `NoBundlesError` when there is none, `UserError` when RUNS cannot be used.
    """
    if not runs:
        raise UserError("RUNS is missing: give a folder of bundles, or an archive")
    if single and patterns:
        raise UserError("--single and --glob exclude each other: leave one of them out")
    search = Search([BundlePattern.parse(pattern) for pattern in patterns or _DIRECTLY_BELOW])
    for run in runs:
        search.look_into(os.fsdecode(run), single=single)
    if not search.found:
        raise NoBundlesError(_nothing_found(runs, patterns, search.loose))
    warnings = list(search.warnings)
    if search.loose:
        warnings.append(f"{_listed(search.loose)} skipped: {_WHAT_IS_A_BUNDLE}")
    return Discovery(_entries(search.found, several=len(runs) > 1), tuple(warnings))


def _entries(found: Sequence[Candidate], *, several: bool) -> tuple[Entry, ...]:
    paths = [(str(item.source) if several else item.relative, item.suffix) for item in found]
    return tuple(
        Entry(entry_id, str(item.source.absolute()), item.kind, item.refused)
        for item, entry_id in zip(found, unique_ids(paths), strict=True)
    )


def _nothing_found(
    runs: Sequence[str | PathLike[str]], patterns: Sequence[str], loose: Sequence[str]
) -> str:
    where = ", ".join(f"'{show(os.fsdecode(run))}'" for run in runs[:MAX_NAMED_LOOSE_FILES])
    if loose:
        return f"no bundle in {where}, only {_listed(loose)}: {_WHAT_IS_A_BUNDLE}"
    if patterns:
        globs = ", ".join(f"'{show(pattern)}'" for pattern in patterns)
        return f"no bundle in {where}: nothing there matches --glob {globs}"
    return f"no bundle in {where}: {_WHAT_IS_A_BUNDLE}"


def _listed(loose: Sequence[str]) -> str:
    named = ", ".join(show(name) for name in loose[:MAX_NAMED_LOOSE_FILES])
    more = len(loose) - MAX_NAMED_LOOSE_FILES
    files = "1 loose file" if len(loose) == 1 else f"{len(loose):,} loose files"
    return f"{files} ({named}{f' and {more:,} more' if more > 0 else ''})"
