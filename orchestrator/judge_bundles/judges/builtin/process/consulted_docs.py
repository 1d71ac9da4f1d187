"""The agent read enough of the files that `annotations.expected_files` lists.

Required fields: events, annotations.expected_files
Failure means: The agent worked without having looked into documents it was expected to consult.
"""

from collections.abc import Callable, Iterable
from typing import Literal

from judge_bundles.escape import line
from judge_bundles.record import Record, files_read
from judge_bundles.record.agent_paths import normalized

_MOST_NAMED = 20
_MAX_PATH_CHARACTERS = 200


def judge(
    outputs: Record,
    *,
    min_coverage: float = 0.8,  # share of the expected files that has to be consulted, 0 to 1
    match: Literal["suffix", "exact", "basename"] = "suffix",  # how paths are compared
    include_subagents: bool = True,  # count what subagents read
    include_grep: bool = True,  # count a file that was searched as consulted
    preloaded_files: list[str] = [],  # files the agent had in its context from the start
) -> tuple[bool, str]:
    """Compare what was read with what was expected, each expected file once."""
    if not 0 <= min_coverage <= 1:
        raise ValueError(f"min_coverage has to be a number from 0 to 1, not {min_coverage}")
    expected = _expected(outputs)
    if not expected:
        return True, "Nothing to verify: annotations.expected_files lists no files"
    seen = {
        read.normalized
        for read in files_read(outputs)
        if (include_subagents or read.subagent is None) and (include_grep or not read.searched)
    }
    missing = _missing(expected, seen | set(map(normalized, preloaded_files)), _MATCHES[match])
    consulted = len(expected) - len(missing)
    coverage = consulted / len(expected)
    counts = f"{consulted:,} of {len(expected):,} expected files consulted"
    said = [f"{counts} ({coverage:.1%}, at least {min_coverage:.1%} wanted)"]
    if missing:
        said.append(f"not consulted: {_named(missing)}")
    if outputs.trajectory is None or outputs.trajectory.format is None:
        said.append("the bundle holds no trace of what the agent read")
    return coverage >= min_coverage, "; ".join(said)


def _expected(outputs: Record) -> list[str]:
    """Return the expected paths, each once; TypeError or ValueError for anything else."""
    given = outputs["annotations"].get("expected_files")
    if given is None:
        return []
    if not isinstance(given, list):
        raise TypeError(
            f"annotations.expected_files has to be a list, not a {type(given).__name__}"
        )
    for number, path in enumerate(given):
        if not isinstance(path, str) or not path.strip():
            raise ValueError(f"annotations.expected_files[{number}] is no path")
    return list(dict.fromkeys(normalized(path) for path in given))


def _missing(
    expected: Iterable[str], seen: Iterable[str], matches: Callable[[str, str], bool]
) -> list[str]:
    """Return the expected files that nothing seen matches; what matches has the same name at least."""
    by_name: dict[str, list[str]] = {}
    for path in seen:
        by_name.setdefault(_name(path), []).append(path)
    return [
        path
        for path in expected
        if not any(matches(one, path) for one in by_name.get(_name(path), ()))
    ]


def _is_end(read: str, expected: str) -> bool:
    """Whether the components of `expected` are the last ones of `read`."""
    return read == expected or read.endswith(f"/{expected}")


def _is_same(read: str, expected: str) -> bool:
    return read == expected


def _has_same_name(read: str, expected: str) -> bool:
    return _name(read) == _name(expected)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


_MATCHES: dict[str, Callable[[str, str], bool]] = {
    "suffix": _is_end,
    "exact": _is_same,
    "basename": _has_same_name,
}


def _named(paths: list[str]) -> str:
    shown = [line(path, limit=_MAX_PATH_CHARACTERS) for path in paths[:_MOST_NAMED]]
    more = [f"and {len(paths) - _MOST_NAMED:,} more"] if len(paths) > _MOST_NAMED else []
    return ", ".join([*shown, *more])
