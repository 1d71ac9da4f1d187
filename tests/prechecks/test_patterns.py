import fnmatch
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_prechecks.limits import MAX_PATTERN_CHARACTERS
from judge_prechecks.patterns import Pattern, fits, fits_below


def fits_path(pattern: str, path: str) -> bool:
    components = Pattern.compile(pattern).components
    assert components is not None
    return fits(components, path.split("/"))


@pytest.mark.parametrize(
    ("pattern", "path", "fitting"),
    [
        ("a/*.md", "a/x.md", True),
        ("a/*.md", "a/b/x.md", False),
        ("a/?.md", "a/x.md", True),
        ("a/?.md", "a/xy.md", False),
        ("a/?", "a/日", True),
        ("**/x", "x", True),
        ("**/x", "a/b/x", True),
        ("a/**/x", "a/x", True),
        ("a/**/x", "a/b/c/x", True),
        ("a/**/x", "b/x", False),
        ("a/**/b/**/x", "a/b/x", True),
        ("a/**/b/**/x", "a/c/x", False),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("**", "a/b", True),
        ("a/[0-9].md", "a/7.md", True),
        ("a/[0-9].md", "a/x.md", False),
        ("a/[!0-9].md", "a/x.md", True),
        ("a/[!0-9].md", "a/7.md", False),
        ("a/[]x]", "a/]", True),
        ("a/[^x]", "a/^", True),
        ("a/[^x]", "a/y", False),
        ("a/[z-a]*", "a/m", False),
        ("a/*", "A/x", False),
        ("a/*.MD", "a/x.md", False),
        ("a/.*", "a/.hidden", True),
        ("a/*", "a/.hidden", True),
        ("a/*", "a/line\nbreak", True),
        ("a/x**y", "a/x--y", True),
        ("./a//*.md", "a/x.md", True),
    ],
)
def test_wildcards_stay_inside_their_component(pattern: str, path: str, *, fitting: bool) -> None:
    assert fits_path(pattern, path) is fitting


@pytest.mark.parametrize("text", ["report.md", "a/[b", "a]", "{x,y}", "!x", "[a/b]"])
def test_a_text_without_a_complete_wildcard_is_literal(text: str) -> None:
    assert Pattern.compile(text).components is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (".", "no file"),
        ("/etc/passwd", "absolute"),
        ("C:/x", "absolute"),
        ("c:\\x", "absolute"),
        ("../x", r"'\.\.'"),
        ("a/../x", r"'\.\.'"),
        ("a/..", r"'\.\.'"),
        ("a\0b", "NUL"),
        ("out/", "folder"),
        ("x" * (MAX_PATTERN_CHARACTERS + 1), "longer"),
    ],
)
def test_a_text_that_can_name_no_member_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Pattern.compile(text)


def test_a_text_of_exactly_the_longest_length_is_taken() -> None:
    assert Pattern.compile("x" * MAX_PATTERN_CHARACTERS).path


@pytest.mark.parametrize("text", ["..x", "x..", "a...b/c", "a:b", "-x"])
def test_names_that_only_look_dangerous_are_taken(text: str) -> None:
    assert Pattern.compile(text).path == text


@pytest.mark.parametrize(
    ("pattern", "folder", "possible"),
    [
        ("**/*.json", "a/b", True),
        ("*.json", "a/b", True),
        ("a/*/x", "a", True),
        ("a/*/x", "a/b", True),
        ("a/*/x", "a/b/c", False),
        ("a/*/x", "b", False),
    ],
)
def test_it_is_known_whether_something_below_a_folder_could_fit(
    pattern: str, folder: str, *, possible: bool
) -> None:
    components = Pattern.compile(pattern).components
    assert components is not None
    assert fits_below(components, folder.split("/")) is possible


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/**/**/**/**/*a*a*a*a*b", "/".join(["a" * 60] * 60)),
        ("**/" * 200 + "x", "a/" * 300 + "y"),
        ("*a" * 100 + "/b*", "/".join(["a" * 250] * 4)),
        ("*?[!b]" * 40 + "b/x*", "a" * 255 + "/y"),
        ("**/a/" * 800 + "*", "a/" * 62 + "x"),
        ("**/*/" * 31 + "b*", "a/" * 62 + "x"),
        ("**/" + "a/" * 31 + "b*", "a/" * 62 + "x"),
    ],
)
def test_hostile_patterns_and_names_cost_little_time(pattern: str, path: str) -> None:
    started = time.process_time()
    for _ in range(20):
        fits_path(pattern, path)
    assert time.process_time() - started < 2


names = st.text(alphabet="ab.", min_size=1, max_size=4)
wild_parts = st.one_of(st.just("**"), st.text(alphabet="ab.*?", min_size=1, max_size=4))


@given(
    st.lists(wild_parts, min_size=2, max_size=5),
    st.lists(names, min_size=1, max_size=3),
    st.lists(names, min_size=1, max_size=4),
)
def test_what_fits_below_a_folder_could_fit_there(
    parts: list[str], folder: list[str], rest: list[str]
) -> None:
    try:
        pattern = Pattern.compile("/".join(parts))
    except ValueError:
        return
    if pattern.components is not None and fits(pattern.components, [*folder, *rest]):
        assert fits_below(pattern.components, folder)


@given(st.lists(wild_parts, min_size=2, max_size=5), st.lists(names, min_size=1, max_size=5))
def test_fitting_agrees_with_the_obvious_recursive_definition(
    parts: list[str], path: list[str]
) -> None:
    def expected(rest: list[str], left: list[str]) -> bool:
        if not rest:
            return not left
        if rest[0] == "**":
            return expected(rest[1:], left) or (bool(left) and expected(rest, left[1:]))
        return bool(left) and fnmatch.fnmatchcase(left[0], rest[0]) and expected(rest[1:], left[1:])

    try:
        pattern = Pattern.compile("/".join(parts))
    except ValueError:
        return
    if pattern.components is not None and "." not in parts:
        wanted = [*parts, "*"] if parts[-1] == "**" else parts
        assert fits(pattern.components, path) is expected(wanted, path)
