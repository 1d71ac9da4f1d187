"""Find a regular expression in the lines of text files, in a child process that can be ended."""

from __future__ import annotations

import re
from typing import Any

from sandbox_image import child
from sandbox_image.answers import Answer, Shown, ToolError
from sandbox_image.arguments import Arguments, Flag, Number, Text
from sandbox_image.bundle import Bundle
from sandbox_image.globs import select
from sandbox_image.limits import (
    CHILD_SECONDS,
    CONTENT_CHARACTERS,
    DEFAULT_MATCHES,
    MAX_CONTEXT_LINES,
    MAX_MATCHES,
    MAX_PATTERN_CHARACTERS,
    PIECE_BYTES,
)
from sandbox_image.names import brief, show
from sandbox_image.reading import opened_text
from sandbox_image.registry import tool
from sandbox_image.searching import Row, rows

_NOT_SEARCHED = frozenset({"not_text", "unreadable"})
_ROW_EXTRA = 16
"""Characters of a line number and of what separates rows."""


@tool(
    pattern=Text(required=True, longest=MAX_PATTERN_CHARACTERS),
    glob=Text(),
    ignore_case=Flag(),
    context=Number(0),
    max_matches=Number(1),
)
def search_files(bundle: Bundle, arguments: Arguments) -> Answer:
    """Lines are shown as `number: line`, context as `number- line`, each file under its name."""
    pattern = arguments.text("pattern")
    flags = re.IGNORECASE if arguments.flag("ignore_case") else 0
    context = min(arguments.number("context", 0), MAX_CONTEXT_LINES)
    most = min(arguments.number("max_matches", DEFAULT_MATCHES), MAX_MATCHES)
    paths = select(arguments.text("glob", "**/*"), bundle.files)

    def work(emit: child.Emit) -> None:
        _search(bundle, paths, _compiled(pattern, flags), context, most, emit)

    outcome = child.run(work)
    result = Result(paths)
    for event in outcome.events:
        result.add(event)
    return result.answer(timed_out=outcome.timed_out)


def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolError("bad_pattern", f"not a regular expression: {error}") from None


def _search(
    bundle: Bundle,
    paths: list[str],
    pattern: re.Pattern[str],
    context: int,
    most: int,
    emit: child.Emit,
) -> None:
    """Report `["at", n]` as the n-th file begins, its rows, and why the search stopped early."""
    room, left = CONTENT_CHARACTERS, most
    for number, path in enumerate(paths):
        emit(["at", number])
        try:
            with opened_text(bundle, path) as file:
                if file.text.size > PIECE_BYTES:
                    emit(["long"])
                for row in rows(file, pattern, context):
                    room -= len(row.shown) + _ROW_EXTRA
                    if room < 0 or (row.matches and not left):
                        emit(["stopped"])
                        return
                    left -= row.matches
                    emit(["row", *row])
        except ToolError as error:
            if error.kind not in _NOT_SEARCHED:
                raise
            emit(["skipped"])
        except OSError:
            emit(["skipped"])


class Result:
    """Builds the answer from the child's reports."""

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths
        self._at = 0
        self._lines: list[str] = []
        self._shown: list[Shown] = []
        self._last: tuple[int, int] | None = None
        self._matches = 0
        self._counts = {"skipped": 0, "long": 0, "stopped": 0}

    def add(self, event: list[Any]) -> None:
        """Take in one report."""
        if event[0] == "at":
            self._at = event[1]
        elif event[0] == "row":
            self._add_row(Row(*event[1:]))
        else:
            self._counts[event[0]] += 1

    def _add_row(self, row: Row) -> None:
        path = self._paths[self._at]
        if self._last is None or self._last[0] != self._at:
            self._lines += ["", show(path)]
        elif self._last[1] + 1 < row.line:
            self._lines.append("    --")
        self._lines.append(f"{row.line:>6}{':' if row.matches else '-'} {row.shown}")
        self._shown.append(Shown(path, row.start, row.end))
        self._matches += row.matches
        self._last = (self._at, row.line)

    def answer(self, *, timed_out: bool) -> Answer:
        """Return what was found. A search that ended in time without a match says so."""
        if timed_out and not self._matches:
            raise ToolError(
                "timed_out", f"{self._timed_out()} Use a simpler pattern or fewer files."
            )
        files = len({shown.file for shown in self._shown})
        head = [f"Matching lines: {self._matches:,}, in {files:,} of {len(self._paths):,} files."]
        if timed_out:
            head.append(f"Cut: {self._timed_out()}")
        if self._counts["stopped"]:
            head.append("Cut: there are more; narrow the pattern or the glob.")
        if self._counts["skipped"]:
            head.append(f"{self._counts['skipped']:,} files are not text and were not searched.")
        if self._counts["long"]:
            head.append(
                f"Lines over {PIECE_BYTES:,} bytes are searched in pieces of that size; "
                "a match across two pieces is not found."
            )
        cut = timed_out or bool(self._counts["stopped"])
        return Answer("\n".join([*head, *self._lines]), shown=tuple(self._shown), cut=cut)

    def _timed_out(self) -> str:
        return (
            f"The search was ended after {CHILD_SECONDS:.0f} s in {brief(self._paths[self._at])}, "
            f"file {self._at + 1:,} of {len(self._paths):,}."
        )
