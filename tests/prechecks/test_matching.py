import os
import time
from pathlib import Path

import pytest

from judge_prechecks.matching import Members
from judge_prechecks.patterns import Pattern
from judge_prechecks.tree import File, Skipped, SkippedKind, Tree


def found(pattern: str, *paths: str, skipped: dict[str, SkippedKind] | None = None) -> list[str]:
    files = tuple(File(path, 1) for path in paths)
    members = tuple(Skipped(path, kind) for path, kind in (skipped or {}).items())
    matches = Members(Tree(Path("/nowhere"), files, members)).find(Pattern.compile(pattern))
    return [file.path for file in matches.files] + [f"!{item.path}" for item in matches.skipped]


def fallback(pattern: str, *paths: str) -> str | None:
    tree = Tree(Path("/nowhere"), tuple(File(path, 1) for path in paths))
    return Members(tree).find(Pattern.compile(pattern)).fallback


@pytest.mark.parametrize(
    ("pattern", "paths", "matching"),
    [
        # literal: exact path, else basename, else suffix
        ("report.md", ["report.md", "out/report.md"], ["report.md"]),
        ("report.md", ["out/report.md"], ["out/report.md"]),
        ("report.md", ["a/report.md", "b/report.md"], ["a/report.md", "b/report.md"]),
        ("report.md", ["my-report.md"], []),
        ("report.md", ["Report.md"], []),
        ("out/report.md", ["out/report.md", "x/out/report.md"], ["out/report.md"]),
        ("out/report.md", ["x/out/report.md"], ["x/out/report.md"]),
        ("out/report.md", ["x/checkout/report.md", "report.md"], []),
        ("./report.md", ["report.md"], ["report.md"]),
        # wildcard without a slash: names at any depth
        ("*.md", ["a.md", "b/c.md", "b/c.txt"], ["a.md", "b/c.md"]),
        # wildcard with a slash: whole paths, else suffixes
        ("findings/*.json", ["findings/a.json", "x/findings/b.json"], ["findings/a.json"]),
        ("findings/*.json", ["x/findings/b.json"], ["x/findings/b.json"]),
        ("findings/*.json", ["myfindings/b.json"], []),
        ("**/*.json", ["a.json", "b/c.json", "b/c.md"], ["a.json", "b/c.json"]),
        # a name that is spelled like a wildcard is among what it matches
        ("app/[slug]/page.tsx", ["app/[slug]/page.tsx"], ["app/[slug]/page.tsx"]),
        ("[a].md", ["[a].md", "a.md"], ["[a].md", "a.md"]),
    ],
)
def test_a_pattern_finds_what_the_rules_say(
    pattern: str, paths: list[str], matching: list[str]
) -> None:
    assert found(pattern, *paths) == matching


def test_a_file_spelled_like_the_pattern_cannot_hide_the_others() -> None:
    """A bundle that knows its rule could otherwise put one good file in place of all."""
    assert found("**/*.json", "**/*.json", "broken.json") == ["**/*.json", "broken.json"]


@pytest.mark.parametrize(
    ("pattern", "path", "how"),
    [
        ("report.md", "report.md", None),
        ("report.md", "out/report.md", "its name"),
        ("out/report.md", "x/out/report.md", "the end of its path"),
        ("*.md", "out/report.md", None),
        ("**/*.md", "out/report.md", None),
        ("out/*.md", "x/out/report.md", "the end of its path"),
    ],
)
def test_a_match_by_fallback_is_marked(pattern: str, path: str, how: str | None) -> None:
    assert fallback(pattern, path) == how


def test_skipped_members_are_found_by_the_same_rules() -> None:
    links: dict[str, SkippedKind] = {"report.md": "symlink", "out/x.json": "fifo"}
    assert found("report.md", "out/report.md", skipped=links) == ["!report.md"]
    assert found("x.json", skipped=links) == ["!out/x.json"]
    assert found("*.json", "a.json", skipped=links) == ["a.json", "!out/x.json"]


@pytest.mark.parametrize(
    ("pattern", "hides"),
    [
        ("**/*.json", True),
        ("*.json", True),
        ("private/*.json", True),
        ("other/*.json", False),
        ("private/x.json", True),
        ("a.json", False),
    ],
)
def test_a_folder_that_could_not_be_listed_counts_where_it_could_hide_a_match(
    pattern: str, *, hides: bool
) -> None:
    closed: dict[str, SkippedKind] = {"private/": "unreadable"}
    assert ("!private/" in found(pattern, "a.json", "other/b.json", skipped=closed)) is hides


def test_a_name_that_json_cannot_write_is_found_by_its_printable_form() -> None:
    name = os.fsdecode(b"caf\xe9.md")
    assert found(r"caf\xe9.md", name) == [name]
    assert found(r"*\xe9.md", name) == [name]
    assert found(r"caf\xe9.md", name, r"caf\xe9.md") == [r"caf\xe9.md"]


def test_a_deep_wide_bundle_is_searched_in_little_time() -> None:
    paths = ["/".join(["a" * 20] * 40 + [f"{number}.json"]) for number in range(2_000)]
    started = time.process_time()
    assert len(found("**/**/**/*a*/**/*.json", *paths)) == 2_000
    assert not found("**/**/**/*a*a*a*b", *paths)
    assert time.process_time() - started < 5
