import time
from collections.abc import Callable
from typing import Any

import pytest

from judge_bundles.agent.evidence import AROUND_BYTES, Finder, Place
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.text import decode
from judge_bundles.limits import MIB
from judge_bundles.sandbox.protocol import ByteRange, ToolReply

CONTENT = "# Title\n\nThe first finding\nis supported.\nNo issue.\nThe first finding\nx = 1\n"


def locate(
    quote: str,
    raw: bytes,
    *ranges: tuple[int, int],
    near: int = 1,
    stated: tuple[str, ...] = (),
) -> Place | str:
    looks = Looks({"f": len(raw)})
    looks.record(ToolReply("", tuple(ByteRange("f", *one) for one in ranges)), None)
    looks.record(ToolReply("", stated=stated), "f")
    return Finder(looks, lambda _: decode(raw)).locate(quote, "f", near)


def find(quote: str, content: str = CONTENT, near: int = 1) -> tuple[int, int] | str:
    raw = content.encode()
    return lines(locate(quote, raw, (0, len(raw)), near=near))


def lines(place: Place | str) -> tuple[int, int] | str:
    return place if isinstance(place, str) else (place.line_start, place.line_end)


@pytest.mark.parametrize(
    ("quote", "near", "expected"),
    [
        ("The first finding\nis supported.", 1, (3, 4)),
        ("The   first\tfinding is\n\nsupported.", 1, (3, 4)),
        ("Title The", 1, (1, 3)),
        ("The first finding", 1, (3, 3)),
        ("The first finding", 6, (6, 6)),
        ("The second finding", 1, "absent"),
        ("the first finding", 1, "absent"),
        ("first find", 1, "absent"),
    ],
)
def test_a_quote_is_looked_up_with_whitespace_collapsed(
    quote: str, near: int, expected: tuple[int, int] | str
) -> None:
    assert find(quote, near=near) == expected


def test_special_characters_of_patterns_are_plain_text() -> None:
    assert find("a.c(*", "abc(\na.c(* d\n") == (2, 2)


def test_a_quote_that_was_not_shown_does_not_count() -> None:
    assert locate("x = 1", CONTENT.encode(), (0, 20)) == "not_shown"


def test_of_two_places_the_one_that_was_shown_is_taken() -> None:
    raw = CONTENT.encode()
    second = CONTENT.rindex("The first")
    assert lines(locate("The first finding", raw, (second, len(raw)), near=3)) == (6, 6)


def test_two_lines_that_one_search_showed_are_one_text() -> None:
    raw = b"one\ntwo\nthree\n"
    assert lines(locate("one two", raw, (0, 4), (4, 8))) == (1, 2)
    assert locate("one two three", raw, (0, 4), (8, 14)) == "not_shown"


def test_a_value_that_a_query_stated_was_shown() -> None:
    raw = b'{"summary": {"findings_count": 3, "other": 4}}'
    value = '{\n  "findings_count": 3,\n  "other": 4\n}'
    assert lines(locate('"findings_count": 3', raw, stated=(value,))) == (1, 1)
    assert locate('"summary"', raw, stated=(value,)) == "not_shown"


def test_what_two_values_make_together_was_not_stated() -> None:
    assert locate('"a" "b"', b'["a" "b"]', stated=('"a"', '"b"')) == "not_shown"


def test_a_value_that_the_file_words_otherwise_is_no_quote() -> None:
    assert locate('{"a": "é"}', b'{"a":"\\u00e9"}', stated=('{"a": "é"}',)) == "restated"


@pytest.mark.parametrize(
    ("quote", "expected"), [("No", "too_short"), ("ok", (2, 2)), ("No is", (1, 1))]
)
def test_a_very_short_quote_must_be_all_of_its_lines(
    quote: str, expected: tuple[int, int] | str
) -> None:
    assert find(quote, "No issue.\n  ok \nNo is\n", near=3 if quote == "No is" else 1) == (
        (3, 3) if quote == "No is" else expected
    )


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_places_are_right_in_every_encoding_the_tools_read(codec: str) -> None:
    content = "é first\nsecond é line\n"
    raw = content.encode(codec)
    head = len("é first\n".encode(codec))
    assert lines(locate("second é line", raw, (head, len(raw)))) == (2, 2)
    assert locate("second é line", raw, (head + 2, len(raw))) == "not_shown"


def test_one_hostile_byte_makes_no_file_unquotable() -> None:
    for raw in ("résumé vérifié ".encode() + b"\xff tail\n", b"a log of words\0 and more words\n"):
        quote = "résumé vérifié" if raw[0] == ord("r") else "log of words␀ and more"
        assert lines(locate(quote, raw, (0, len(raw)))) == (1, 1)


def test_what_is_not_text_has_no_quotes() -> None:
    assert locate("IHDR", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", (0, 16)) == "not_text"


def test_a_place_comes_with_its_full_lines_and_those_next_to_them() -> None:
    place = locate("first finding\nis", CONTENT.encode(), (0, len(CONTENT)))
    assert place == Place(
        3, 4, before="", lines="The first finding\nis supported.", after="No issue."
    )
    place = locate("x = 1", CONTENT.encode(), (0, len(CONTENT)))
    assert place == Place(7, 7, before="The first finding", lines="x = 1", after="")


def test_of_a_very_long_line_only_so_much_comes_with_a_place() -> None:
    raw = b"x" * 10_000 + b" the quote " + b"y" * 10_000
    place = locate("the quote", raw, (0, len(raw)))
    assert isinstance(place, Place)
    assert len(place.lines) == 2 * AROUND_BYTES + len("the quote")


def seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


@pytest.mark.parametrize(
    ("unit", "quote"),
    [
        (b"0 ", "0 " * 900 + "1"),
        (b"a", "a" * 1999 + "b"),
        (b"ab ", "ab " * 600 + "a"),
        (b"x" * 80 + b"\nERROR timeout\n", "ERROR timeout"),
        ("größer ERROR timeout\n".encode(), "ERROR timeout"),
    ],
)
def test_the_time_for_a_quote_grows_no_faster_than_the_file(unit: bytes, quote: str) -> None:
    small, large = (unit * (size // len(unit)) for size in (MIB // 2, 4 * MIB))
    first = max(seconds(lambda: locate(quote, small, (0, len(small)))), 0.02)
    # Eight times the text; a quadratic search takes sixty-four times as long.
    assert seconds(lambda: locate(quote, large, (0, len(large)))) < 24 * first


def test_many_quotes_of_one_file_are_looked_up_in_one_preparation() -> None:
    raw = b"word after word after word\n" * (4 * MIB // 27)
    looks = Looks({"f": len(raw)})
    looks.record(ToolReply("", (ByteRange("f", 0, len(raw)),)), None)
    finder = Finder(looks, lambda _: decode(raw))
    first = seconds(lambda: finder.locate("after word after", "f", 9))
    many = seconds(lambda: [finder.locate("after word after", "f", 9 * n) for n in range(100)])
    assert many < 10 * first
