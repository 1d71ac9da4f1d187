"""What the judge has been shown so far: which bytes of which file, and which other answers.

Coverage and the check of quotes rest on this record alone, never on what the model says it read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.verdict import Coverage, FileCoverage
from judge_prechecks.names import parse

MAX_NEVER_OPENED_NAMED = 200
"""Files named as never opened; the total is always given."""


@dataclass(slots=True)
class Looks:
    """Grows with each tool reply. `sizes` holds the size in bytes of every file, by printable name."""

    sizes: Mapping[str, int]
    _ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _answers: dict[str, list[str]] = field(default_factory=dict)
    _media: set[str] = field(default_factory=set)
    successful: int = 0

    def record(self, reply: ToolReply, named: str | None) -> None:
        """Take in one reply. `named` is the file whose values it states without quoting its bytes."""
        if reply.error_kind is not None:
            return
        self.successful += 1
        for shown in reply.shown:
            if shown.file in self.sizes:
                self._ranges[shown.file] = _merged(
                    self._ranges.get(shown.file, []), (shown.start, shown.end)
                )
        if named is not None and not reply.shown:
            self._answers.setdefault(named, []).append(reply.text)
        if reply.media:
            self._media |= {shown.file for shown in reply.shown}

    def resolve(self, named: str) -> str | None:
        """Return the file meant: the exact name, else the only one that ends with it."""
        stripped = named.removeprefix("./")
        if stripped in self.sizes:
            return stripped
        wanted = parse(stripped)
        matches = [name for name in self.sizes if f"/{parse(name)}".endswith(f"/{wanted}")]
        return matches[0] if len(matches) == 1 else None

    def opened(self, file: str) -> bool:
        """Tell whether anything of that file's content was shown."""
        return file in self._ranges or file in self._answers or file in self._media

    def opened_as_media(self, file: str) -> bool:
        """Tell whether that file was shown as an image or document."""
        return file in self._media

    def was_shown(self, file: str, start: int, end: int) -> bool:
        """Tell whether bytes `start` to `end` of a file were all shown."""
        return any(low <= start and end <= high for low, high in self._ranges.get(file, ()))

    def answers(self, file: str) -> tuple[str, ...]:
        """Answers about a file that quote no byte range of it, such as the values of a query."""
        return tuple(self._answers.get(file, ()))

    def fraction(self, file: str) -> float:
        """Share of the file's bytes that were shown, from 0 to 1."""
        return FileCoverage(file, self.sizes[file], self._shown_bytes(file)).fraction

    def coverage(self) -> Coverage:
        """Return what was opened how far, and what was not."""
        opened = sorted({*self._ranges, *self._answers, *self._media})
        never = [file for file in self.sizes if not self.opened(file)]
        return Coverage(
            opened=tuple(
                FileCoverage(file, self.sizes[file], self._shown_bytes(file)) for file in opened
            ),
            never_opened=tuple(never[:MAX_NEVER_OPENED_NAMED]),
            never_opened_total=len(never),
        )

    def _shown_bytes(self, file: str) -> int:
        size = self.sizes[file]
        return sum(min(high, size) - min(low, size) for low, high in self._ranges.get(file, ()))


def _merged(ranges: list[tuple[int, int]], new: tuple[int, int]) -> list[tuple[int, int]]:
    """Return disjoint sorted ranges covering what `ranges` and `new` cover."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted([*ranges, new]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
