"""Look a quote up in the snapshot, independently of what the judge says about it.

Whitespace is collapsed on both sides. Of several places the one nearest to the stated lines is
taken, among those that were shown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from judge_bundles.agent.looks import Looks
from judge_bundles.agent.text import Text

MAX_PLACES: Final = 2_000
"""Occurrences of one quote that are compared; a quote found more often says nothing."""
MIN_QUOTE_CHARACTERS: Final = 4
"""Visible characters below which a quote must be a whole line."""

Failure = Literal["absent", "not_shown", "too_short"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: lines from 1, both inclusive."""

    line_start: int
    line_end: int


def locate(quote: str, text: Text, file: str, near_line: int, looks: Looks) -> Place | Failure:
    """Return the place of `quote` in a file that was shown, or why there is none."""
    words = quote.split()
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    too_short = sum(len(word) for word in words) < MIN_QUOTE_CHARACTERS
    best: tuple[int, Place] | None = None
    failure: Failure = "absent"
    for start, end, place in _places(pattern, text.content):
        if too_short and not _whole_lines(text.content, start, end):
            failure = "too_short"
        elif not _shown(text, file, start, end, quote, looks):
            failure = "not_shown"
        elif best is None or abs(place.line_start - near_line) < best[0]:
            best = (abs(place.line_start - near_line), place)
    return best[1] if best else failure


def _places(pattern: re.Pattern[str], content: str) -> Iterator[tuple[int, int, Place]]:
    line, counted = 1, 0
    for number, match in enumerate(pattern.finditer(content)):
        if number == MAX_PLACES:
            return
        start, end = match.span()
        line += content.count("\n", counted, start)
        counted = start
        yield start, end, Place(line, line + content.count("\n", start, end))


def _shown(text: Text, file: str, start: int, end: int, quote: str, looks: Looks) -> bool:
    if looks.was_shown(file, text.byte_offset(start), text.byte_offset(end)):
        return True
    collapsed = " ".join(quote.split())
    return any(collapsed in " ".join(answer.split()) for answer in looks.answers(file))


def _whole_lines(content: str, start: int, end: int) -> bool:
    before = content.rfind("\n", 0, start) + 1
    after = content.find("\n", end)
    line = content[before : after if after >= 0 else len(content)]
    return not content[before:start].strip() and not line[end - before :].strip()
