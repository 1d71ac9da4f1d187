"""Encodings are told apart by one rule, and every byte of a text file has its place in what is shown."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_image.limits import SCAN_BYTES
from sandbox_image.lines import line_at, line_start, whole_characters
from sandbox_image.text import Text, decode, encode, examine, visible


@contextmanager
def descriptor_of(content: bytes) -> Iterator[int]:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        yield file.fileno()


def examined(content: bytes) -> Text | None:
    with descriptor_of(content) as descriptor:
        return examine(descriptor)


@pytest.mark.parametrize(
    ("content", "codec", "broken"),
    [
        (b"", "utf-8", False),
        (b"plain\n", "utf-8", False),
        ("größer\n".encode(), "utf-8", False),
        (b"\xef\xbb\xbfmarked\n", "utf-8", False),
        ("größer\n".encode("latin-1"), "latin-1", False),
        ("größer\n".encode() + b"\xff\n", "utf-8", True),
        ("größer".encode()[:-1] + b"\xe2\x82", "utf-8", True),
        ("\ufeffeins\n".encode("utf-16-le"), "utf-16-le", False),
        ("\ufeffeins\n".encode("utf-16-be"), "utf-16-be", False),
        (b"a\0b" + b"c" * 20, "utf-8", False),
    ],
)
def test_text_is_recognised(content: bytes, codec: str, broken: bool) -> None:
    text = examined(content)

    assert text is not None
    assert (text.codec, text.broken, text.size) == (codec, broken, len(content))


@pytest.mark.parametrize(
    "content",
    [
        b"\0\1\2\3",
        bytes(range(256)) * 10,
        "\ufeffeins".encode("utf-16-le") + b"x",
        b"\xff\xfe\x00\xd8",
        "\ufeffeins".encode("utf-32-le"),
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + bytes(range(200)),
    ],
)
def test_what_is_not_text_is_not_read_as_text(content: bytes) -> None:
    assert examined(content) is None


@pytest.mark.parametrize(("controls", "is_text"), [(30, True), (31, False)])
def test_control_characters_in_utf8_are_borne_up_to_thirty_percent(
    controls: int, is_text: bool
) -> None:
    assert (examined(b"\1" * controls + b"x" * (100 - controls)) is not None) is is_text


@pytest.mark.parametrize(("controls", "is_text"), [(2, True), (3, False)])
def test_control_characters_in_latin1_are_borne_up_to_two_percent(
    controls: int, is_text: bool
) -> None:
    content = b"\1" * controls + b"\xe4" * (100 - controls)

    assert (examined(content) is not None) is is_text


def test_a_character_across_two_steps_of_the_scan_is_one() -> None:
    text = examined(b"x" * (SCAN_BYTES - 1) + "ö\n".encode())

    assert text is not None
    assert (text.codec, text.broken, text.lines) == ("utf-8", False, 1)


@given(st.binary(max_size=60))
def test_decoding_keeps_every_byte(raw: bytes) -> None:
    for codec in ("utf-8", "latin-1"):
        assert encode(decode(raw, codec), codec) == raw


@given(st.text(max_size=60))
def test_what_is_shown_is_the_text_itself(text: str) -> None:
    if "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text):
        assert visible(text) == text


def test_what_cannot_be_shown_has_a_stand_in() -> None:
    assert visible(decode(b"a\0b\xff", "utf-8")) == "a␀b\\xff"


LINES = st.lists(st.text(alphabet="aö😀\x00 \r", max_size=6), min_size=1, max_size=30)


@settings(deadline=None)
@given(LINES, st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]), st.booleans())
def test_line_starts_are_where_python_finds_them(lines: list[str], codec: str, ended: bool) -> None:
    whole = "\n".join(lines) + ("\n" if ended else "")
    content = (whole if codec == "utf-8" else "\ufeff" + whole).encode(codec)
    with descriptor_of(content) as descriptor:
        text = examine(descriptor)
        if text is None:
            return
        pieces = decode(content, text.codec).split("\n")
        starts = [0]
        for piece in pieces[:-1]:
            starts.append(starts[-1] + len(encode(piece + "\n", text.codec)))
        for number in range(1, text.lines + 1):
            assert line_start(descriptor, text, number) == starts[number - 1]
            if starts[number - 1] < text.size:
                assert line_at(descriptor, text, starts[number - 1]) == number
        # A file with nothing but a mark has no line, so the one after its last is the first.
        assert line_start(descriptor, text, text.lines + 1) == (text.size if text.lines else 0)


def test_lines_far_into_a_file_are_found() -> None:
    content = b"".join(b"%d\n" % number for number in range(200_000))
    assert len(content) > 4 * SCAN_BYTES
    with descriptor_of(content) as descriptor:
        text = examine(descriptor)
        assert text is not None
        assert text.lines == 200_000
        for number in (1, 2, 70_000, 123_456, 200_000):
            start = line_start(descriptor, text, number)
            assert os.pread(descriptor, 8, start).split(b"\n")[0] == b"%d" % (number - 1)
            assert line_at(descriptor, text, start) == number


@given(st.text(alphabet="aö日😀", min_size=1, max_size=20), st.integers(0, 90), st.integers(0, 90))
def test_a_window_is_widened_to_whole_characters(whole: str, start: int, length: int) -> None:
    for codec, content in (
        ("utf-8", whole.encode()),
        ("utf-16-le", ("\ufeff" + whole).encode("utf-16-le")),
    ):
        with descriptor_of(content) as descriptor:
            text = examine(descriptor)
            assert text is not None
            first, last = whole_characters(descriptor, text, start, start + length)

        content[first:last].decode(codec)
        assert first <= min(start, len(content))
        assert last >= min(start + length, len(content))
        assert min(start, len(content)) - first < 4
        assert last - min(start + length, len(content)) < 4
