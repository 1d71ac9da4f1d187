"""Look quotes up in the snapshot, independently of what the judge says about them.

A quote is looked for in what the judge was shown and nowhere else: in the byte ranges of the file
that tools showed, or, if a query stated it as a value, in the whole file. Each file is made ready
once for all quotes of a submission, and each quote is one pass over that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from judge_bundles.agent.haystack import Haystack, Span, comparable
from judge_bundles.agent.kept import Kept
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.text import Text
from judge_bundles.limits import MIB

MIN_QUOTE_CHARACTERS: Final = 4
"""Visible characters below which a quote must be all that stands on its lines."""
MAX_KEPT_CHARACTERS: Final = 64 * MIB
"""Of all files that are kept ready while the quotes of one submission are looked up."""
AROUND_BYTES: Final = 2_000
"""Of the lines around a quote, on either side."""

Failure = Literal["absent", "not_shown", "too_short", "restated", "not_text"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: lines from 1, both inclusive, and the text around it.

    `lines` are those lines in full, `before` and `after` the ones next to them; of each no more
    than `AROUND_BYTES` from the quote.
    """

    line_start: int
    line_end: int
    before: str
    lines: str
    after: str


class Finder:
    """Finds the quotes of one submission."""

    def __init__(self, looks: Looks, read_text: Callable[[str], Text | None]) -> None:
        self._looks = looks
        self._read_text = read_text
        self._ready: Kept[Haystack] = Kept(MAX_KEPT_CHARACTERS, lambda ready: len(ready.text))
        self._stated: dict[str, str] = {}

    def locate(self, quote: str, file: str, near_line: int) -> Place | Failure:
        """Return the place of `quote` that is nearest to a line, or why there is none."""
        text = self._read_text(file)
        if text is None:
            return "not_text"
        needle = comparable(quote)
        shown = self._looks.text_ranges(file)
        span = self._ready.get(f"shown/{file}", lambda: Haystack(text, shown)).nearest(
            needle, near_line
        )
        if span is None and needle in self._stated_values(file):
            whole = ((0, len(text.raw)),)
            span = self._ready.get(f"whole/{file}", lambda: Haystack(text, whole)).nearest(
                needle, near_line
            )
            if span is None:
                return "restated"
        if span is None:
            return "absent" if self._looks.fraction(file) == 1 else "not_shown"
        place = _place(text, span)
        short = sum(not character.isspace() for character in quote) < MIN_QUOTE_CHARACTERS
        return "too_short" if short and comparable(place.lines) != needle else place

    def _stated_values(self, file: str) -> str:
        if file not in self._stated:
            values = self._looks.stated(file)
            self._stated[file] = "\n".join(comparable(value) for value in values)
        return self._stated[file]


def _place(text: Text, span: Span) -> Place:
    head = text.characters(max(text.mark_bytes, span.start - AROUND_BYTES), span.start)
    tail = text.characters(span.end, span.end + AROUND_BYTES)
    *before, first = head.split("\n")
    last, *after = tail.split("\n")
    return Place(
        span.line_start,
        span.line_end,
        before=before[-1] if before else "",
        lines=first + text.characters(span.start, span.end) + last,
        after=after[0] if after else "",
    )
