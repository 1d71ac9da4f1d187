"""Patterns choose files as the gate's rules say, in time that no pattern can blow up."""

import time

import pytest

from sandbox_image.answers import ToolError
from sandbox_image.globs import select
from sandbox_image.limits import MAX_GLOB_PARTS

PATHS = ["a.json", "out/a.json", "out/deep/b.json", "out/deep/report.md", "report.md", "x[1].txt"]


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("**/*", PATHS),
        ("**", PATHS),
        ("*", PATHS),
        ("*.json", ["a.json", "out/a.json", "out/deep/b.json"]),
        ("**/*.json", ["a.json", "out/a.json", "out/deep/b.json"]),
        ("out/*.json", ["out/a.json"]),
        ("./out/*.json", ["out/a.json"]),
        ("out/**", ["out/a.json", "out/deep/b.json", "out/deep/report.md"]),
        ("out/**/*.json", ["out/a.json", "out/deep/b.json"]),
        ("**/deep/**/b.json", ["out/deep/b.json"]),
        ("report.md", ["report.md"]),
        ("b.json", ["out/deep/b.json"]),
        ("deep/*", ["out/deep/b.json", "out/deep/report.md"]),
        ("deep/report.md", ["out/deep/report.md"]),
        ("?.json", ["a.json", "out/a.json", "out/deep/b.json"]),
        ("[!a].json", ["out/deep/b.json"]),
        ("A.json", []),
        ("ou", []),
        ("x[[]1].txt", ["x[1].txt"]),
        ("nothing/*", []),
    ],
)
def test_a_pattern_chooses(pattern: str, chosen: list[str]) -> None:
    assert select(pattern, PATHS) == chosen


def test_names_match_exactly_and_in_printable_form() -> None:
    paths = ["line\nbreak.txt", "\udcff.txt"]

    assert select("line\\n*", paths) == ["line\nbreak.txt"]
    assert select("line\n*", paths) == ["line\nbreak.txt"]
    assert select("\\xff.txt", paths) == ["\udcff.txt"]


@pytest.mark.parametrize("pattern", ["../*", "out/../*", "/etc/*", "out//x", ""])
def test_a_pattern_that_leads_out_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError) as raised:
        select(pattern, PATHS)
    assert raised.value.kind == "bad_input"


def test_a_pattern_has_a_limited_number_of_parts() -> None:
    longest = "/".join(["a"] * MAX_GLOB_PARTS)

    assert select(longest, [longest]) == [longest]
    with pytest.raises(ToolError, match="at most 32 parts"):
        select(f"{longest}/a", [longest])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("**/" * 200 + "b", "a/" * 60 + "c"),
        ("**/*a" * 30, "/".join(["a" * 60] * 60)),
        ("/".join(["**", "*a*"] * 16), "/".join(["a" * 60] * 60)),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    started = time.perf_counter()

    select(pattern, [path] * 10)

    assert time.perf_counter() - started < 5
