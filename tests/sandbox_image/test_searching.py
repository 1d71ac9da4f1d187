"""A search by blocks finds what a search line by line finds, and its ranges are those of the lines."""

import os
import re
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_image.bundle import Bundle
from sandbox_image.candidates import Candidates
from sandbox_image.limits import BLOCK_BYTES, PIECE_BYTES, ROW_CHARACTERS
from sandbox_image.reading import opened_text
from sandbox_image.searching import Row, rows

PATTERNS = [
    "a",
    "^a",
    "a$",
    "^$",
    "a*",
    r"\bab\b",
    r"\Aa",
    r"a\Z",
    "[^a]",
    "a.b",
    r"a\s*b",
    "(?!a)b",
    "(?<!a)b",
    "(?i)A",
    r"\W",
    "a|b$",
    "b(?=$)",
    r"\Bb",
    "",
]
TEXTS = st.lists(st.text(alphabet="ab \r\t", max_size=5), max_size=8).map("\n".join)


def found(content: bytes, pattern: str, context: int, root: Path) -> list[Row]:
    (root / "t").write_bytes(content)
    with closing(Bundle(os.fspath(root))) as bundle, opened_text(bundle, "t") as file:
        return list(rows(file, re.compile(pattern), context))


def content_of(row: Row, content: bytes) -> str:
    """The bytes of a row without the line break, which every line but a last one has."""
    raw = content[row.start : row.end]
    assert raw.endswith(b"\n") or row.end == len(content)
    return raw.decode().removesuffix("\n")


@given(TEXTS, st.sampled_from(PATTERNS))
def test_strides_find_the_lines_that_each_line_by_itself_finds(text: str, pattern: str) -> None:
    lines = text.split("\n")
    compiled = re.compile(pattern)
    candidates = Candidates(compiled, text)
    expected = [
        index
        for index, line in enumerate(lines)
        if compiled.search(line, 0, len(line) - line.endswith("\r"))
    ]
    got = []
    index = candidates.next(lines, 0)
    while index < len(lines):
        got.append(index)
        index = candidates.next(lines, index + 1)

    assert got == expected
    assert candidates.any() or not expected


@settings(deadline=None)
@given(
    lines=st.lists(st.sampled_from(["hit", "no", "", "ö"]), min_size=1, max_size=14),
    context=st.integers(0, 3),
)
def test_rows_are_those_of_a_plain_search(
    lines: list[str], context: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = "\n".join(lines).encode()
    hits = [number for number, line in enumerate(lines, 1) if "hit" in line]
    wanted = sorted(
        {
            near
            for hit in hits
            for near in range(hit - context, hit + context + 1)
            if 1 <= near <= len(lines)
        }
    )
    # A file that ends with a line break has no further line after it.
    if lines[-1] == "":
        wanted = [number for number in wanted if number < len(lines)]

    result = found(content, "hit", context, tmp_path_factory.mktemp("rows"))

    assert [row.line for row in result] == wanted
    assert [row.line for row in result if row.matches] == hits
    assert all(content_of(row, content) == row.shown for row in result)


def test_context_reaches_across_blocks(tmp_path: Path) -> None:
    line = b"x" * 99 + b"\n"
    before = BLOCK_BYTES // 100
    content = line * before + b"hit\n" + line * before + b"hit\n" + line * 3

    result = found(content, "hit", 2, tmp_path)

    numbers = [row.line for row in result]
    first, second = before + 1, 2 * before + 2
    assert numbers == [*range(first - 2, first + 3), *range(second - 2, second + 3)]
    assert all(content_of(row, content) == row.shown for row in result)


def test_every_line_around_a_block_edge_is_found(tmp_path: Path) -> None:
    content = b"".join(b"line %07d\n" % number for number in range(2 * BLOCK_BYTES // 13))

    result = found(content, r"line \d*7$", 0, tmp_path)

    assert len(result) == sum(1 for number in range(2 * BLOCK_BYTES // 13) if number % 10 == 7)
    assert all(content_of(row, content) == row.shown for row in result)


@pytest.mark.parametrize("length", [ROW_CHARACTERS, ROW_CHARACTERS + 1])
def test_a_line_is_shown_whole_up_to_its_limit(tmp_path: Path, length: int) -> None:
    [row] = found(b"y" * (length - 3) + b"hit", "hit", 0, tmp_path)

    assert row.shown.startswith("…") is (length > ROW_CHARACTERS)
    assert row.end == length


def test_a_line_longer_than_a_piece_keeps_its_number(tmp_path: Path) -> None:
    content = b"first\n" + "ö".encode() * PIECE_BYTES + b"hit\nhit\n"

    result = found(content, "hit", 0, tmp_path)

    assert [row.line for row in result] == [2, 3]
    assert [row.shown for row in result] == ["…hit", "hit"]
    assert all(content[row.start : row.end] == b"hit\n" for row in result)
