import contextlib
import time
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.documents.document import (
    DocumentLimits,
    KeyPath,
    UnreadableDocumentError,
    line_of,
    plain,
)
from judge_bundles.documents.yaml_document import FAST_PARSER, read_yaml
from judge_bundles.limits import MAX_YAML_ALIASES, MIB

LIMITS = DocumentLimits(max_bytes=1 * MIB, max_depth=64)

PARSERS = pytest.mark.parametrize("parser", [yaml.SafeLoader, FAST_PARSER])


@PARSERS
@pytest.mark.parametrize(
    ("word", "value"),
    [
        *[(word, word) for word in ("yes", "no", "on", "off", "y", "NO", "012", "0o14", "0x1F")],
        *[(word, word) for word in ("1_000", "12:30", "2024-01-01", "+1", ".5", "1.", ".inf")],
        *[(word, word) for word in (".nan", "NaN", "tRue", "=", "<<")],
        *[("'true'", "true"), ('"1"', "1"), ("''", ""), ("'null'", "null")],
        *[("true", True), ("False", False), ("null", None), ("~", None), ("", None)],
        *[("0", 0), ("-7", -7), ("1.5", 1.5), ("1e3", 1000.0), ("-0", 0)],
    ],
)
def test_a_plain_word_is_a_value_only_where_it_looks_like_json(
    parser: Any, word: str, value: Any
) -> None:
    read = plain(read_yaml(f"key: {word}\n", LIMITS, parser))
    assert read == {"key": value}
    assert isinstance(read, dict)
    assert type(read["key"]) is type(value)


@PARSERS
def test_keys_are_always_text(parser: Any) -> None:
    assert plain(read_yaml("on: 1\n1: 2\ntrue: 3\n2024-01-01: 4\n", LIMITS, parser)) == {
        "on": 1, "1": 2, "true": 3, "2024-01-01": 4,
    }  # fmt: skip


@PARSERS
def test_blocks_and_flow_and_comments_read_as_usual(parser: Any) -> None:
    text = "a: |\n  one\n  two\nb: [1, {c: 'd'}] # note\ne: >-\n  f\n  g\n"
    assert plain(read_yaml(text, LIMITS, parser)) == {
        "a": "one\ntwo\n",
        "b": [1, {"c": "d"}],
        "e": "f g",
    }


@PARSERS
@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "the file is empty", None),
        ("# only a note\n", "the file is empty", None),
        ("a: 1\n---\nb: 2\n", "the file holds more than one document", 2),
        ("a: 1\nb: 2\na: 3\n", "key `a` is given twice (first on line 1)", 3),
        ("a: 1\n'a': 3\n", "key `a` is given twice (first on line 1)", 2),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys (`<<`) are not supported: write the keys out", 3),
        ("? [a]\n: 1\n", "a key must be plain text", 1),
        ("a: &x 1\n*x : 2\n", "a key must be plain text", 2),
        ("a: &x [*x]\n", "the alias `*x` stands before the end of what it names", 1),
        ("a: *x\n", "the alias `*x` stands before the end of what it names", 1),
        ("a: !!python/none\n", "the tag `tag:yaml.org,2002:python/none` is not supported: write the plain value", 1),
        ("a: !!str 1\n", "the tag `tag:yaml.org,2002:str` is not supported: write the plain value", 1),
        ("a: !local [1]\n", "the tag `!local` is not supported: write the plain value", 1),
        ("a: 1e999\n", "the number 1e999 is too large", 1),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", "%TAG is not supported: write plain values", 1),
        ("# x\n%TAG !a! b\n---\na: 1\n", "%TAG is not supported: write plain values", 2),
        ("# x\r%TAG !a! b\r---\ra: 1\n", "%TAG is not supported: write plain values", 1),
    ],
)  # fmt: skip
def test_text_outside_the_json_part_of_yaml_is_refused_with_its_line(
    parser: Any, text: str, message: str, line: Any
) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_yaml(text, LIMITS, parser)
    assert (caught.value.message, caught.value.line) == (message, line)


@PARSERS
@pytest.mark.parametrize(
    "text", ["%YAML 1.1\n---\na: '%TAG'\n", "a: |\n %TAG !a! b\n", "a: 50%TAG\n", "a: b %TAG\n"]
)
def test_what_only_looks_like_a_directive_is_text(parser: Any, text: str) -> None:
    assert "%TAG" in str(plain(read_yaml(text, LIMITS, parser)))


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\x85", "\u2028", "\u2029"])
def test_directives_without_end_are_refused_before_the_parser_compares_them(
    line_break: str,
) -> None:
    text = line_break.join(f"%TAG !a{number}! b" for number in range(50_000))
    started = time.process_time()
    with pytest.raises(UnreadableDocumentError, match="%TAG"):
        read_yaml(f"{text}{line_break}--- a", DocumentLimits(1 << 20, 9))
    assert time.process_time() - started < 1  # the parser would take 20 seconds


@PARSERS
@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1\n", 2), ("a: 1\n b: 2\n", 2), ("a: 'x\n", 2), ("a:\n\t- 1\n", 2)],
)
def test_broken_yaml_is_refused_with_its_line(parser: Any, text: str, line: Any) -> None:
    with pytest.raises(UnreadableDocumentError, match="not valid YAML") as caught:
        read_yaml(text, LIMITS, parser)
    assert caught.value.line == line


@PARSERS
@pytest.mark.parametrize("text", ["a: \x07", 'a: "\\UFFFFFFFF"', 'a: "\\ud800"', "a: \ufffe"])
def test_what_is_no_character_is_refused(parser: Any, text: str) -> None:
    with pytest.raises(UnreadableDocumentError):
        read_yaml(text, LIMITS, parser)


@PARSERS
def test_aliases_are_taken_up_to_their_limit_and_not_past_it(parser: Any) -> None:
    def text(count: int) -> str:
        return "base: &a {b: 1}\nall:\n" + "- *a\n" * count

    read = plain(read_yaml(text(MAX_YAML_ALIASES), LIMITS, parser))
    assert isinstance(read, dict)
    assert read["all"] == [{"b": 1}] * MAX_YAML_ALIASES
    with pytest.raises(UnreadableDocumentError, match="more than 100 aliases"):
        read_yaml(text(MAX_YAML_ALIASES + 1), LIMITS, parser)


@PARSERS
def test_few_aliases_that_would_grow_without_measure_are_refused(parser: Any) -> None:
    text = "- &a [x,x,x,x,x,x,x,x]\n" + "".join(
        f"- &{name} [{','.join(['*' + previous] * 9)}]\n"
        for previous, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(UnreadableDocumentError, match="once aliases are expanded"):
        read_yaml(text, LIMITS, parser)


@PARSERS
@pytest.mark.parametrize("max_bytes", [103, 1 * MIB])
def test_the_expanded_size_is_taken_up_to_its_limit_and_not_past_it(
    parser: Any, max_bytes: int
) -> None:
    def text(length: int) -> str:
        return f"- &a {'x' * length}\n- *a\n"

    # Twice the text, one for each scalar and one for the list.
    limits = DocumentLimits(max_bytes=max_bytes, max_depth=1)
    most = (max_bytes - 3) // 2
    read_yaml(text(most), limits, parser)
    with pytest.raises(UnreadableDocumentError, match=f"larger than {max_bytes} bytes once alias"):
        read_yaml(text(most + 1), limits, parser)


@PARSERS
@pytest.mark.parametrize("depth", [4, 64])
def test_nesting_is_limited_also_by_way_of_aliases(parser: Any, depth: int) -> None:
    limits = DocumentLimits(max_bytes=1 * MIB, max_depth=depth)
    read_yaml("[" * depth + "]" * depth, limits, parser)
    half = depth // 2
    inner = "[" * half + "]" * half
    # The list around both, half as deep again, and the anchored half: exactly the limit.
    fits = "[" * (half - 1) + "*a" + "]" * (half - 1)
    read_yaml(f"- &a {inner}\n- {fits}\n", limits, parser)
    deep = "[" * (depth + 1) + "]" * (depth + 1)
    for text in (deep, "[" * 5000, f"- &a {inner}\n- [{fits}]\n"):
        with pytest.raises(UnreadableDocumentError, match="nest"):
            read_yaml(text, limits, parser)


@PARSERS
def test_each_value_knows_its_line(parser: Any) -> None:
    root = read_yaml("# note\na:\n  - 1\n  - b: 2\n\nc: {}\n", LIMITS, parser)
    assert [line_of(root, path) for path in [("a",), ("a", 0), ("a", 1, "b"), ("c", "d")]] == [
        2, 3, 4, 6,
    ]  # fmt: skip


@PARSERS
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: 1\na: 2\n", ()),
        ("a:\n  b:\n    - {c: 1, c: 2}\n", ("a", "b", 0)),
        ("a: {b: [0, 1e999]}\n", ("a", "b", 1)),
        ("a:\n- b: !local c\n", ("a", 0, "b")),
        ("a:\n- b: *c\n", ("a", 0, "b")),
        ("a: {<<: {}}\n", ("a",)),
    ],
)
def test_a_refusal_knows_under_which_key(parser: Any, text: str, path: KeyPath) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_yaml(text, LIMITS, parser)
    assert caught.value.path == path


def test_half_a_character_is_taken_where_the_limits_say_so() -> None:
    text = '"\\udc00": ["\\ud83d"]'
    careless = DocumentLimits(max_bytes=100, max_depth=2, lone_surrogates=True)
    assert plain(read_yaml(text, careless)) == {"\udc00": ["\ud83d"]}
    with pytest.raises(UnreadableDocumentError):
        read_yaml(text, LIMITS)


@settings(deadline=None)  # the machine may be busy
@given(st.text(max_size=60))
def test_no_text_does_anything_but_read_or_be_refused(text: str) -> None:
    for parser in (yaml.SafeLoader, FAST_PARSER):
        with contextlib.suppress(UnreadableDocumentError):
            read_yaml(text, LIMITS, parser)


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet="{}[]&*!|>-:?,#'\"%@` ab1\n\t\\ux", max_size=60))
def test_no_text_of_yaml_marks_does_anything_but_read_or_be_refused(text: str) -> None:
    for parser in (yaml.SafeLoader, FAST_PARSER):
        with contextlib.suppress(UnreadableDocumentError):
            read_yaml(text, LIMITS, parser)
