"""Find the next line that a pattern may match, many lines at a stride where that is safe.

A pattern of which no part can match a line break, and which looks at nothing beyond the line, finds
the same lines in a whole block of text as in each line by itself, only much faster. All others are
tried line by line.
"""

from __future__ import annotations

import re
from typing import Callable, Optional

Search = Callable[[str], Optional["re.Match[str]"]]

# Groups with options (look-around, flags, atomic), negated and white-space classes, anchors of the
# whole text, and possessive repeats. What is refused here without need only costs time.
_MAY_SPAN_LINES = re.compile(r"\(\?|\[\^|\\[sSWDAZBnr]|[*+?}]\+")


class Candidates:
    """Walks through one block. `lines` are the lines of `text`, which was split at line breaks."""

    def __init__(self, pattern: re.Pattern[str], text: str, lines: list[str]) -> None:
        self._text = text
        self._lines = lines
        self._returns = "\r" in text
        self._pattern = pattern
        self._stride = None if self._returns else _stride(pattern)
        self._line = 0
        self._position = 0

    def search(self, line: str) -> re.Match[str] | None:
        """Match one line as if it ended before a carriage return: `$` is to fit Windows files."""
        if not self._returns:
            return self._pattern.search(line)
        return self._pattern.search(line, 0, len(line) - line.endswith("\r"))

    def next(self, index: int) -> int:
        """Return the first line from `index` on that matches, or how many lines there are."""
        while index < len(self._lines):
            if self._stride is not None:
                index = self._leap(index)
            if index < len(self._lines) and self.search(self._lines[index]):
                return index
            index += 1
        return len(self._lines)

    def _leap(self, index: int) -> int:
        assert self._stride is not None
        self._position += sum(len(line) + 1 for line in self._lines[self._line : index])
        self._line = index
        match = self._stride.search(self._text, self._position)
        if match is None:
            return len(self._lines)
        return index + self._text.count("\n", self._position, match.start())


def _stride(pattern: re.Pattern[str]) -> re.Pattern[str] | None:
    if _MAY_SPAN_LINES.search(pattern.pattern):
        return None
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)
