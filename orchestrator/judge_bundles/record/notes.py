"""What a record noticed while it was read: broken lines, ambiguous files, budgets that were reached."""

from judge_bundles import escape
from judge_bundles.limits import RECORD_MAX_NOTES

_MAX_CHARACTERS = 500


class Notes:
    """Distinct one-line notes in the order in which they came up; the rest is counted."""

    __slots__ = ("_left_out", "_lines")

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}
        self._left_out = 0

    def add(self, text: str) -> None:
        """Keep a note; file names in it are in their printable form already."""
        line = text if text.isprintable() else escape.show_keeping_backslashes(text)
        line = line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1]}…"
        if line in self._lines:
            return
        if len(self._lines) == RECORD_MAX_NOTES:
            self._left_out += 1
        else:
            self._lines[line] = None

    @property
    def lines(self) -> tuple[str, ...]:
        """All notes so far."""
        more = (f"and {self._left_out:,} more notes",) if self._left_out else ()
        return (*self._lines, *more)
