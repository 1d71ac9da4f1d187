"""Parts of a text made ready to look many quotes up in, each in one pass, and the way back.

Text and quotes are compared in one form: as the tools show it, in NFC, whitespace collapsed, and
with a mark on both sides of each word, so that a quote cannot begin or end inside one. Since words
stay words, a place is led back to the file by counting words from the beginning of its block.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from judge_bundles.agent.text import Text, visible
from judge_bundles.limits import KIB

BLOCK_BYTES: Final = 64 * KIB
"""A place is remembered for each; it costs one look at a block to find where a quote stands."""
_FIRST_REACH: Final = 64 * KIB
"""Characters looked back for an earlier place at first; more as long as none is found."""
_MARK: Final = "\0"
_BREAK: Final = "\n"
"""Between parts that do not touch; no quote contains it."""
# Scripts without spaces between words, or with endings that are written onto them: South-East Asian
# scripts, kana, Han, Hangul. A quote may begin anywhere in them.
_UNSPACED: Final = (
    "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u318f\u31f0-\u31ff\u3400-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
_WORD: Final = re.compile(rf"([^\W{_UNSPACED}]+)")
_SPACED: Final = re.compile(r"\S+")


class Span(NamedTuple):
    """Where a quote stands: lines from 1, both inclusive; the bytes of its words."""

    line_start: int
    line_end: int
    start: int
    end: int


class _Block(NamedTuple):
    """Characters from byte `start` on, and those just before and after, empty at the file's ends."""

    start: int
    characters: str
    before: str
    after: str


def comparable(characters: str) -> str:
    """Return text in the form in which it is compared."""
    shown = unicodedata.normalize("NFC", visible(characters))
    # Split at a group, words and what is between them alternate.
    return _MARK.join(_WORD.split(" ".join(shown.split())))


class Haystack:
    """Some byte ranges of a text, sorted and apart. `text` is their comparable form."""

    def __init__(self, text: Text, ranges: Iterable[tuple[int, int]]) -> None:
        self._source = text
        # Of each block: where it begins in `text` and in the file, where it ends, and its line.
        self._at, self._starts, self._ends, self._lines = (array("Q") for _ in range(4))
        self.text = "".join(self._parts(ranges))

    def nearest(self, needle: str, line: int) -> Span | None:
        """Return the place of a comparable text that begins nearest to a line."""
        target = self._position_of(line)
        places = (self._last_before(needle, target), self.text.find(needle, target))
        spans = [self._span(place, place + len(needle) - 1) for place in places if place >= 0]
        return min(spans, key=lambda span: abs(span.line_start - line), default=None)

    def _parts(self, ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
        length, line, counted = 0, 1, 0
        for start, end in ranges:
            glue = _BREAK
            for block in _blocks(self._source, max(start, self._source.mark_bytes), end):
                line += self._source.newlines(counted, block.start)
                counted = block.start
                if block.characters[0].isspace():
                    glue = glue or " "
                part = _without_false_edges(comparable(block.characters), block)
                if not part:
                    continue
                self._remember(length + len(glue), block, line)
                yield glue + part
                length += len(glue) + len(part)
                glue = " " if block.characters[-1].isspace() else ""

    def _remember(self, position: int, block: _Block, line: int) -> None:
        self._at.append(position)
        self._starts.append(block.start)
        self._ends.append(block.start + self._source.length(block.characters))
        self._lines.append(line)

    def _position_of(self, line: int) -> int:
        """Return where a line begins in `text`, or, if it is not there, what follows it."""
        if not self._at:
            return 0
        block = max(bisect_left(self._lines, line) - 1, 0)
        breaks = max(line - self._lines[block], 0)
        lines = self._characters(block).split("\n", breaks)
        before = lines[:-1] if len(lines) == breaks + 1 else lines
        return self._at[block] + len(comparable("\n".join(before)))

    def _last_before(self, needle: str, target: int) -> int:
        """Return the last place that begins before `target`, or -1; nearer parts are tried first."""
        reach, stop = _FIRST_REACH, target + len(needle) - 1
        while True:
            low, last = max(0, target - reach), -1
            place = self.text.find(needle, low, stop)
            while place >= 0:
                last, place = place, self.text.find(needle, place + len(needle), stop)
            if last >= 0 or low == 0:
                return last
            reach *= 8

    def _span(self, first: int, last: int) -> Span:
        line_start, start, _ = self._word_at(first)
        line_end, _, end = self._word_at(last)
        return Span(line_start, line_end, start, end)

    def _word_at(self, position: int) -> tuple[int, int, int]:
        """Return line, first byte and end of the word that a position of `text` belongs to."""
        block = bisect_right(self._at, position) - 1
        characters = self._characters(block)
        passed = self.text.count(" ", self._at[block], position)
        word = next(islice(_SPACED.finditer(characters), passed, None))
        start = self._starts[block] + self._source.length(characters[: word.start()])
        line = self._lines[block] + characters.count("\n", 0, word.start())
        return line, start, start + self._source.length(word[0])

    def _characters(self, block: int) -> str:
        return self._source.characters(self._starts[block], self._ends[block])


def _blocks(text: Text, start: int, end: int) -> Iterator[_Block]:
    """Cut a range into blocks, at whitespace where there is any."""
    start, end = start + start % 2 * text.wide, min(end, len(text.raw))
    decoder = getincrementaldecoder(text.codec)(text.errors)
    carried, before = "", text.characters(max(text.mark_bytes, start - 4), start)[-1:]
    following = text.characters(end, end + 4)[:1]
    for position in range(start, end, BLOCK_BYTES):
        last = position + BLOCK_BYTES >= end
        step = text.raw[position : min(position + BLOCK_BYTES, end)]
        characters = carried + decoder.decode(step, final=last and not text.wide)
        cut = len(characters) if last else _cut(characters)
        carried = characters[cut:]
        if cut:
            yield _Block(start, characters[:cut], before, carried[:1] or following)
            start += text.length(characters[:cut])
            before = characters[cut - 1]


def _cut(characters: str) -> int:
    """Return where a block may end: before whitespace, else before what joins nothing before it."""
    cut = max(characters.rfind(" "), characters.rfind("\n"))
    if cut <= 0:
        cut = len(characters) - 1
        while cut > 0 and unicodedata.combining(characters[cut]):
            cut -= 1
    return cut


def _without_false_edges(part: str, block: _Block) -> str:
    """Take the marks away where a word goes on beyond the block."""
    if _goes_on(block.before, block.characters[0]):
        part = part.removeprefix(_MARK)
    if _goes_on(block.characters[-1], block.after):
        part = part.removesuffix(_MARK)
    return part


def _goes_on(left: str, right: str) -> bool:
    return bool(_WORD.fullmatch(visible(left)[-1:]) and _WORD.fullmatch(visible(right)[:1]))
