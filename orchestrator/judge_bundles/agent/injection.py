"""Find text in a bundle that speaks to whoever evaluates it.

A flag is information for people and never changes a verdict by itself; only a pass that rests on
nothing but such text is refused (see `review`). The work is bounded, and what was left out is said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from judge_bundles.agent.folding import fold
from judge_bundles.agent.injection_rules import Tries, find
from judge_bundles.agent.text import decode
from judge_bundles.limits import KIB, MIB
from judge_bundles.verdict import InjectionFlag
from judge_prechecks.names import show
from judge_prechecks.tree import File, Tree

MAX_FLAGS: Final = 50
MAX_SCANNED_FILE_BYTES: Final = 4 * MIB
"""Of a larger file only so much is scanned, from its beginning."""
MAX_SCANNED_BYTES: Final = 32 * MIB
"""In all, shared out so that no file's size keeps another from being scanned."""
MAX_PROSE_BYTES: Final = 24 * MIB
"""Of that, for files that people write text in; they come first."""
MAX_EXCERPT_CHARACTERS: Final = 200
_MAX_TRIES: Final = 1_000_000
_MIN_FILE_TRIES: Final = 2_000
_BYTES_A_TRY: Final = 16
"""Ordinary text needs fewer tries; text that needs more was made to."""
_PIECE_CHARACTERS: Final = 64 * KIB
_OVERLAP_CHARACTERS: Final = 512
"""Of two pieces, so that nothing hides on the edge between them."""
_PROSE: Final = frozenset(
    {"", ".md", ".markdown", ".txt", ".rst", ".html", ".htm", ".json", ".yaml", ".yml"}
)
_DATA: Final = frozenset(
    {".json", ".jsonl", ".ndjson", ".sarif", ".yaml", ".yml", ".toml", ".ini", ".csv", ".tsv"}
    | {".xml", ".log"}
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found, in the order of files and lines; `cut` when not all text was scanned."""

    flags: tuple[InjectionFlag, ...]
    cut: bool


def addresses_evaluator(text: str, file: str, *, lines: range | None = None) -> bool:
    """Tell whether `text`, quoted from `file`, speaks so plainly that it proves nothing.

    With `lines`, from 0, only what touches one of these lines of the text counts.
    """
    folded = fold(text)
    for found in find(folded, Tries(_MIN_FILE_TRIES), data=_is_data(file)):
        first = folded.count("\n", 0, found.start)
        last = first + folded.count("\n", found.start, found.end)
        if found.strong and (lines is None or (first < lines.stop and last >= lines.start)):
            return True
    return False


def scan(tree: Tree) -> tuple[InjectionFlag, ...]:
    """Return the places that speak to the evaluator, at most `MAX_FLAGS`."""
    return inspect(tree).flags


def inspect(tree: Tree) -> Scan:
    """Scan the names and the text of a bundle, what people write and what is small first."""
    flags = [flag for file in tree.files if (flag := _name_flag(file))][:MAX_FLAGS]
    tries = Tries(_MAX_TRIES)
    cut = len(flags) == MAX_FLAGS
    for file, allowance in _shares(tree):
        if len(flags) >= MAX_FLAGS:
            cut = True
            break
        found, left_out = _scan_file(tree, file, allowance, tries)
        flags += found
        cut = cut or left_out
    flags.sort(key=lambda flag: (flag.file, flag.line))
    return Scan(tuple(flags[:MAX_FLAGS]), cut or len(flags) > MAX_FLAGS)


def _shares(tree: Tree) -> Iterator[tuple[File, int]]:
    """Give each file its share in bytes. What small files leave over goes to larger ones."""
    prose = sorted((file for file in tree.files if _suffix(file.path) in _PROSE), key=_size)
    others = sorted((file for file in tree.files if _suffix(file.path) not in _PROSE), key=_size)
    used, first = 0, MAX_PROSE_BYTES if others else MAX_SCANNED_BYTES
    for files, limit in ((prose, first), (others, MAX_SCANNED_BYTES)):
        for number, file in enumerate(files):
            share = (limit - used) // (len(files) - number)
            allowance = min(file.size, share, MAX_SCANNED_FILE_BYTES)
            used += allowance
            yield file, allowance


def _scan_file(
    tree: Tree, file: File, allowance: int, tries: Tries
) -> tuple[list[InjectionFlag], bool]:
    """Return the flags of one file, and whether some of its text was left out."""
    with tree.open(file) as stream:
        text = decode(stream.read(allowance), whole=allowance == file.size)
    if text is None:
        return [], False
    own = Tries(min(tries.left, _MIN_FILE_TRIES + allowance // _BYTES_A_TRY))
    before = own.left
    flags = list(islice(_flags(text.content, show(file.path), own), MAX_FLAGS + 1))
    tries.left -= before - own.left
    return flags, allowance < file.size or own.left <= 0


def _flags(content: str, name: str, tries: Tries) -> Iterator[InjectionFlag]:
    """Yield one flag for each line."""
    line, flagged = 1, 0
    for start in range(0, len(content), _PIECE_CHARACTERS):
        piece = content[start : start + _PIECE_CHARACTERS + _OVERLAP_CHARACTERS]
        folded, line_end = fold(piece), 0
        for found in find(folded, tries, data=_is_data(name)):
            if found.start < line_end:
                continue
            line_start = folded.rfind("\n", 0, found.start) + 1
            line_end = _end_of_line(folded, found.start)
            number = folded.count("\n", 0, line_start)
            if line + number > flagged:
                flagged = line + number
                middle = (found.start + min(found.end, line_end)) / 2 - line_start
                excerpt = _around(piece.split("\n")[number], middle / max(line_end - line_start, 1))
                yield InjectionFlag(name, flagged, excerpt)
        line += piece.count("\n", 0, _PIECE_CHARACTERS)


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)


def _around(line: str, middle: float) -> str:
    """Return a line as it stands in the file, or as much as fits around `middle`, from 0 to 1."""
    shown = line.strip()
    if len(shown) <= MAX_EXCERPT_CHARACTERS:
        return shown
    wanted = round(middle * len(line)) - MAX_EXCERPT_CHARACTERS // 2
    low = max(0, min(wanted, len(line) - MAX_EXCERPT_CHARACTERS))
    part = line[low : low + MAX_EXCERPT_CHARACTERS]
    opened, left_open = low > 0, low + len(part) < len(line)
    return (
        ("…" if opened else "") + part[opened : len(part) - left_open] + ("…" if left_open else "")
    )


def _name_flag(file: File) -> InjectionFlag | None:
    """Return a flag for a name that speaks to the evaluator; other marks stand for spaces in it."""
    words = "".join(c if c.isalnum() else " " for c in file.path)
    if not any(find(fold(words), Tries(_MIN_FILE_TRIES), data=False)):
        return None
    name = show(file.path)
    return InjectionFlag(name, 1, _around(f"(file name) {name}", 0))


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _is_data(path: str) -> bool:
    return _suffix(path) in _DATA


def _size(file: File) -> int:
    return file.size
