"""Quotes are found in the parts of a text that are looked through, whatever lies at their edges."""

import unicodedata
from itertools import islice
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.agent.haystack import BLOCK_BYTES, Haystack, comparable
from judge_bundles.agent.text import Text, decode


def text(raw: bytes) -> Text:
    decoded = decode(raw)
    assert decoded is not None
    return decoded


def lines(
    raw: bytes, quote: str, near: int = 1, ranges: list[tuple[int, int]] | None = None
) -> tuple[int, int] | None:
    span = Haystack(text(raw), ranges or [(0, len(raw))]).nearest(comparable(quote), near)
    return span and (span.line_start, span.line_end)


@pytest.mark.parametrize(
    ("content", "quote", "found"),
    [
        ("uses unvalidated input", "validated input", False),
        ("uses validated inputs", "validated input", False),
        ("uses validated_input", "validated", False),
        ("(validated input)", "validated input", True),
        ("validated input", "validated input", True),
        ("f(validated, input)", "(validated,", True),
        ('{"n":30}', '"n":3', False),
        ("naïveté", "naïvet", False),
        ("日本語のテキスト", "テキスト", True),
        ("보고서는 좋다", "보고서", True),
        ("версия", "ерсия", False),
        ("第3章", "3", True),
    ],
)
def test_a_quote_neither_begins_nor_ends_within_a_word(
    content: str, quote: str, found: bool
) -> None:
    assert (lines(content.encode(), quote) is not None) is found


Form = Literal["NFC", "NFD"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("quoted", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_the_same(form: Form, quoted: Form) -> None:
    content = "Vorwort\nÜberprüfung für den Käufer\n각주\n"
    raw = unicodedata.normalize(form, content).encode()
    for line, quote in ((2, "Überprüfung für"), (3, "각주")):
        assert lines(raw, unicodedata.normalize(quoted, quote)) == (line, line)


def test_what_is_shown_for_bytes_that_are_no_character_is_found() -> None:
    raw = "größer\n".encode() + b"cut \xe2\x82 here\0end\n" + b"more words\n" * 5
    assert lines(raw, "cut \\xe2\\x82 here␀end") == (2, 2)


def test_a_quote_may_not_join_parts_that_do_not_touch() -> None:
    raw = b"one two\nmiddle\nthree four\n"
    apart, touching = [(0, 8), (15, 26)], [(0, 8), (8, 26)]
    assert lines(raw, "two three", ranges=apart) is None
    assert lines(raw, "three four", ranges=apart) == (3, 3)
    assert lines(raw, "two middle three", ranges=[(0, 26)]) == (1, 3)
    assert lines(raw, "two middle", ranges=touching) is None  # parts that touch are given as one


def test_the_edge_of_what_was_shown_is_no_end_of_a_word() -> None:
    raw = b"uses unvalidated inputs\n"
    start, end = raw.index(b"validated"), raw.index(b"s\n")
    assert lines(raw, "validated input", ranges=[(start, end)]) is None
    assert lines(raw, "unvalidated inputs", ranges=[(start - 2, end + 1)]) == (1, 1)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("glue", [" ", "\n", "-", "\t \n\n  "])
def test_a_quote_across_the_edge_of_a_block_is_found(codec: str, glue: str) -> None:
    for shift in range(-3, 4):
        head = "x" * (BLOCK_BYTES - 20 + shift)
        content = f"top\n{head}{glue}over the{glue}edge of it{glue}{head}"
        quote = f"over the{glue}edge of it"
        raw = content.encode(codec)
        first = 2 + glue.count("\n")
        assert lines(raw, quote) == (first, first + glue.count("\n"))


def test_a_very_long_word_is_found_whole_and_not_in_part() -> None:
    word = "a" * (2 * BLOCK_BYTES) + "b" + "a" * BLOCK_BYTES
    assert lines(f"top\n{word}\nend".encode(), "b") is None
    assert lines(f"top\n{word}\nend".encode(), word) == (2, 2)


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from(["ab", "b", "é", "日", "-", "(", "\xa0"]), max_size=60),
    gaps=st.lists(st.sampled_from(["", " ", "\n", "  \n"]), min_size=60, max_size=60),
    window=st.tuples(st.integers(0, 59), st.integers(1, 8)),
    codec=st.sampled_from(["utf-8", "utf-16"]),
)
def test_whatever_stands_between_two_spaces_is_found_on_its_lines(
    words: list[str], gaps: list[str], window: tuple[int, int], codec: str
) -> None:
    content = "".join(f"{word}{gap}" for word, gap in zip(words, gaps, strict=False))
    pieces = content.split()
    quoted = list(islice(pieces, window[0], window[0] + window[1]))
    if not quoted:
        return
    found = lines(content.encode(codec), " ".join(quoted), near=10**6)
    assert found is not None
    between = content.split("\n")[found[0] - 1 : found[1]]
    assert comparable(" ".join(quoted)) in comparable(" ".join(between))


def test_collapsing_keeps_words_words_for_every_code_point() -> None:
    for code in range(0x110000):
        character = chr(code)
        blank = character.isspace()
        assert (comparable(character) == "") is blank, hex(code)


@pytest.mark.parametrize(("near", "line"), [(1, 2), (2, 2), (5, 2), (6, 8), (8, 8), (10**9, 8)])
def test_the_place_that_begins_nearest_is_taken(near: int, line: int) -> None:
    raw = b"1\nthe hit\n3\n4\n5\n6\n7\nthe hit\n9\n"
    assert lines(raw, "the hit", near) == (line, line)


def test_the_stated_line_itself_is_nearest_however_long_it_is() -> None:
    raw = b"the hit\n" + b"long words " * 9000 + b"the hit\n"
    assert lines(raw, "the hit", 2) == (2, 2)


def test_late_places_count_when_only_they_were_shown() -> None:
    line = b"status=200 ok\n"
    raw = line * 100_000
    late = [(len(raw) - 3 * len(line), len(raw))]
    assert lines(raw, "status=200 ok", 5, late) == (99_998, 99_998)
    assert lines(raw, "status=200 ok", 5, [(0, len(raw))]) == (5, 5)
    assert lines(raw, "status=200 ok", 77_777) == (77_777, 77_777)
