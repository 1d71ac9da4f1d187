import pytest

from judge_bundles.agent.evidence import Place, locate
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.text import Text, decode
from judge_bundles.sandbox.protocol import ByteRange, ToolReply

CONTENT = "# Title\n\nThe first finding\nis supported.\nNo issue.\nThe first finding\nx = 1\n"


def looks(raw: bytes, *ranges: tuple[int, int], answers: tuple[str, ...] = ()) -> Looks:
    made = Looks({"f": len(raw)})
    for start, end in ranges:
        made.record(ToolReply("", (ByteRange("f", start, end),)), None)
    for answer in answers:
        made.record(ToolReply(answer), "f")
    return made


def text(raw: bytes) -> Text:
    decoded = decode(raw)
    assert decoded is not None
    return decoded


def find(quote: str, content: str = CONTENT, near: int = 1, codec: str = "utf-8") -> Place | str:
    raw = content.encode(codec)
    return locate(quote, text(raw), "f", near, looks(raw, (0, len(raw))))


def test_a_quote_is_found_on_its_lines() -> None:
    assert find("The first finding\nis supported.") == Place(3, 4)


def test_whitespace_is_collapsed_on_both_sides() -> None:
    assert find("The   first\tfinding is\n\nsupported.") == Place(3, 4)


def test_of_several_places_the_one_nearest_to_the_stated_line_is_taken() -> None:
    assert find("The first finding", near=1) == Place(3, 3)
    assert find("The first finding", near=6) == Place(6, 6)


@pytest.mark.parametrize("quote", ["The second finding", "the first finding", "Title The"])
def test_what_is_not_in_the_file_is_absent(quote: str) -> None:
    expected = Place(1, 3) if quote == "Title The" else "absent"
    assert find(quote) == expected


def test_special_characters_of_patterns_are_plain_text() -> None:
    assert find("a.c(*", "abc(\na.c(* d\n") == Place(2, 2)


def test_a_quote_that_was_not_shown_does_not_count() -> None:
    raw = CONTENT.encode()
    assert locate("x = 1", text(raw), "f", 7, looks(raw, (0, 20))) == "not_shown"


def test_of_two_places_the_one_that_was_shown_is_taken() -> None:
    raw = CONTENT.encode()
    second = CONTENT.rindex("The first")
    assert locate("The first finding", text(raw), "f", 3, looks(raw, (second, len(raw)))) == Place(
        6, 6
    )


def test_a_value_that_a_query_stated_was_shown() -> None:
    raw = b'{"summary": {"findings_count": 3, "other": 4}}'
    seen = looks(raw, answers=('summary: {"findings_count": 3,\n "other": 4}',))
    assert locate('"findings_count": 3', text(raw), "f", 1, seen) == Place(1, 1)
    assert locate('"summary"', text(raw), "f", 1, seen) == "not_shown"


@pytest.mark.parametrize(
    ("quote", "expected"), [("No", "too_short"), ("ok", Place(2, 2)), ("No is", Place(1, 1))]
)
def test_a_very_short_quote_must_be_a_whole_line(quote: str, expected: Place | str) -> None:
    assert find(quote, "No issue.\n  ok \n") == expected


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_places_are_right_in_every_encoding_the_tools_read(codec: str) -> None:
    content = "é first\nsecond é line\n"
    raw = content.encode(codec)
    decoded = text(raw)
    start = decoded.byte_offset(content.index("second"))
    assert locate("second é line", decoded, "f", 1, looks(raw, (start, len(raw)))) == Place(2, 2)
    assert (
        locate("second é line", decoded, "f", 1, looks(raw, (start + 1, len(raw)))) == "not_shown"
    )


def test_binary_content_is_no_text() -> None:
    assert decode(b"\x89PNG\r\n\0\0") is None
