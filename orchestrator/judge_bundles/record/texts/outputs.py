"""The files of a bundle as markdown sections, bounded for each file and in all.

The main file comes first, then files nearer to the top. Content stands between fences longer than
any run of backticks in it, so that no file can pretend to be another section. Only the beginning of
a file is ever read here.
"""

import re
from typing import Final

from judge_bundles.limits import RECORD_MAX_OPENED_FOR_TEXT, TextBudgets
from judge_bundles.record.content import read_beginning, reason
from judge_bundles.record.record import Record
from judge_bundles.record.texts.cutting import (
    MAX_PATH_CHARACTERS,
    end_cut,
    line,
    listed,
    paragraphs,
)
from judge_prechecks.tree import File

_BACKTICKS: Final = re.compile("`{3,}")
_LONG_RUN: Final = re.compile("`{21,}")
_LONGEST_RUN: Final = 20
"""Longer runs of backticks are shortened, so that fences stay short."""
_LEAST_CHARACTERS: Final = 500
"""A file of which less would fit is named instead."""


def outputs(record: Record, budgets: TextBudgets) -> str:
    """Return the files, those that changed, and the names of all files that are not shown."""
    for_a_list = budgets.outputs // 8
    left = budgets.outputs - 2 * for_a_list
    sections: list[str] = []
    unshown: list[str] = []
    for number, file in enumerate(_ordered(record)):
        room = min(budgets.one_file, left)
        if room < _LEAST_CHARACTERS or number >= RECORD_MAX_OPENED_FOR_TEXT:
            unshown.append(_described(file))
            continue
        content, complete = read_beginning(record.artifacts.tree, file, room)
        if not isinstance(content, str):
            unshown.append(f"{_described(file)}: {reason(content)}")
            continue
        sections.append(_section(file, content, room, complete=complete))
        left -= len(sections[-1]) + 2
    sections.append(_list("## Files not shown", unshown, for_a_list))
    sections.append(_list("## Modified files", modified(record), for_a_list))
    return end_cut(paragraphs(sections) or "(the bundle holds no files)", budgets.outputs)


def modified(record: Record) -> list[str]:
    """Return the files that changed, for a list; one that is not in the bundle says so."""
    return [
        line(path, MAX_PATH_CHARACTERS) + (" (not in the bundle)" if file is None else "")
        for path, file in record.modified.items()
    ]


def _ordered(record: Record) -> list[File]:
    main = record.main_file
    rest = [file for file in record.artifacts.files if file is not main]
    rest.sort(key=lambda file: (file.path.count("/"), file.path))
    return rest if main is None else [main, *rest]


def _section(file: File, content: str, room: int, *, complete: bool) -> str:
    """Return the beginning of a file under its name, all of it when it is complete and fits."""
    content = _LONG_RUN.sub(
        lambda run: f"{run[0][:_LONGEST_RUN]}[… {len(run[0]):,} in all]", content
    )
    longest = max((len(run) for run in _BACKTICKS.findall(content)), default=2)
    fence = "`" * (longest + 1)
    head = f"### {_described(file)}\n\n{fence}\n"
    space = room - len(head) - len(fence) - 1
    if not complete or len(content) > space:
        mark = f"\n[… cut, {file.size:,} bytes in all]"
        content = f"{content[: max(0, space - len(mark))]}{mark}"
    return f"{head}{content}{'' if content.endswith(chr(10)) else chr(10)}{fence}"


def _described(file: File) -> str:
    return f"{line(file.path, MAX_PATH_CHARACTERS)} ({file.size:,} bytes)"


def _list(title: str, names: list[str], budget: int) -> str:
    lines = listed(names, budget - len(title) - 4)
    return "\n".join([title, "", *lines]) if names else ""
