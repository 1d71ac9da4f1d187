"""What the judge has been shown so far: which bytes of which file, which values, which media.

Coverage and the check of quotes rest on this record alone, never on what the model says it read.
Only content counts: a list of names, a fact about a file, or a search without a match shows none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.verdict import Coverage, FileCoverage
from judge_prechecks.names import parse

MAX_NEVER_OPENED_NAMED = 200
"""Files named as never opened; the total is always given."""

Ranges = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Looks:
    """Grows with each tool reply. `sizes` holds the size in bytes of every file, by printable name."""

    sizes: Mapping[str, int]
    successful: int = 0
    """Replies that showed content of some file."""
    _ranges: dict[str, Ranges] = field(default_factory=dict)
    _text_ranges: dict[str, Ranges] = field(default_factory=dict)
    _stated: dict[str, list[str]] = field(default_factory=dict)
    _pages: dict[str, int | None] = field(default_factory=dict)
    _by_last_name: dict[str, list[str]] = field(default_factory=dict)

    def record(self, reply: ToolReply, named: str | None) -> None:
        """Take in one reply. `named` is the file whose values it states without quoting its bytes."""
        if reply.error_kind is not None:
            return
        found: dict[str, list[tuple[int, int]]] = {}
        for shown in reply.shown:
            if shown.file in self.sizes:
                found.setdefault(shown.file, []).append((shown.start, shown.end))
        for file, ranges in found.items():
            self._ranges[file] = _merged(self._ranges.get(file, ()), ranges)
            if reply.media:
                self._pages[file] = reply.media[0].pages
            else:
                self._text_ranges[file] = _merged(self._text_ranges.get(file, ()), ranges)
        if named is not None and reply.stated:
            self._stated.setdefault(named, []).extend(reply.stated)
        has_bytes = any(start < end for ranges in found.values() for start, end in ranges)
        self.successful += has_bytes or (named is not None and bool(reply.stated))

    def resolve(self, named: str) -> str | None:
        """Return the file meant: the exact name, else the only one that ends with it."""
        stripped = named.removeprefix("./")
        if stripped in self.sizes:
            return stripped
        if not self._by_last_name:
            for name in self.sizes:
                self._by_last_name.setdefault(_last(parse(name)), []).append(name)
        wanted = parse(stripped)
        candidates = self._by_last_name.get(_last(wanted), ())
        matches = [name for name in candidates if f"/{parse(name)}".endswith(f"/{wanted}")]
        return matches[0] if len(matches) == 1 else None

    def opened(self, file: str) -> bool:
        """Tell whether anything of that file's content was shown."""
        return file in self._ranges or file in self._stated

    def opened_as_media(self, file: str) -> bool:
        """Tell whether that file was shown as an image or document."""
        return file in self._pages

    def pages(self, file: str) -> int | None:
        """Return how many pages an image or document has; None where they cannot be counted."""
        return self._pages.get(file)

    def text_ranges(self, file: str) -> Ranges:
        """Return the byte ranges of a file that were shown as text, sorted, none touching another."""
        return self._text_ranges.get(file, ())

    def stated(self, file: str) -> tuple[str, ...]:
        """Return the values of a file that queries stated."""
        return tuple(self._stated.get(file, ()))

    def shown_bytes(self, file: str) -> int:
        """Count the bytes of a file that were shown, as text or as media."""
        size = self.sizes[file]
        return sum(min(high, size) - min(low, size) for low, high in self._ranges.get(file, ()))

    def fraction(self, file: str) -> float:
        """Share of the file's bytes that were shown, from 0 to 1."""
        return self._coverage(file).fraction

    def coverage(self) -> Coverage:
        """Return what was opened how far, and what was not."""
        opened = sorted({*self._ranges, *self._stated})
        never = [file for file in self.sizes if not self.opened(file)]
        return Coverage(
            opened=tuple(self._coverage(file) for file in opened),
            never_opened=tuple(never[:MAX_NEVER_OPENED_NAMED]),
            never_opened_total=len(never),
        )

    def _coverage(self, file: str) -> FileCoverage:
        return FileCoverage(file, self.sizes[file], self.shown_bytes(file))


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _merged(ranges: Ranges, new: Iterable[tuple[int, int]]) -> Ranges:
    """Return disjoint sorted ranges covering what `ranges` and `new` cover."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted([*ranges, *new]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
