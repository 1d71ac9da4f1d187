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
    """Walks through the lines of one block of text, forwards only."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._text = text
        self._pattern = pattern
        self._returns = "\r" in text
        self._stride = None if self._returns else _stride(pattern)
        self._line = 0
        self._position = 0

    def any(self) -> bool:
        """Tell whether some line may match, without a look at each."""
        return self._stride is None or self._stride.search(self._text) is not None

    def search(self, line: str) -> re.Match[str] | None:
        """Match one line as if it ended before a carriage return: `$` is to fit Windows files."""
        if not self._returns:
            return self._pattern.search(line)
        return self._pattern.search(line, 0, len(line) - line.endswith("\r"))

    def next(self, lines: list[str], index: int) -> int:
        """Return the first of the text's `lines` from `index` on that matches, else their number."""
        while index < len(lines):
            if self._stride is not None:
                index = self._leap(self._stride, lines, index)
            if index < len(lines) and self.search(lines[index]):
                return index
            index += 1
        return len(lines)

    def _leap(self, stride: re.Pattern[str], lines: list[str], index: int) -> int:
        self._position += sum(len(line) + 1 for line in lines[self._line : index])
        self._line = index
        match = stride.search(self._text, self._position)
        if match is None:
            return len(lines)
        return index + self._text.count("\n", self._position, match.start())


def _stride(pattern: re.Pattern[str]) -> re.Pattern[str] | None:
    if _MAY_SPAN_LINES.search(pattern.pattern):
        return None
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)
