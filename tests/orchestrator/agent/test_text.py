"""What is text, and how it reads, is the same for the host as for the tool server in the sandbox."""

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.agent import text as host
from sandbox_image import text as server

# bytes, and the content both show, without a byte order mark; None: not text
CASES: list[tuple[bytes, str | None]] = [
    (b"", ""),
    (b"plain\n", "plain\n"),
    ("größer\n".encode(), "größer\n"),
    (b"\xef\xbb\xbfmarked\n", "marked\n"),
    ("größer\n".encode("latin-1"), "größer\n"),
    ("vérifié\n".encode() + b"\xff tail\n", "vérifié\n\\xff tail\n"),
    ("größer".encode() + b"\xe2\x82", "größer\\xe2\\x82"),
    (b"\xc3\x28 alone", "Ã( alone"),
    (b"\xed\xa0\x80 half a pair", "í\xa0\x80 half a pair"),
    (b"\xf4\x90\x80\x80 beyond Unicode", "ô\x90\x80\x80 beyond Unicode"),
    (b"\xc0\xaf overlong", "À¯ overlong"),
    ("é".encode() + b"\xf0\xc3\xa9", "é\\xf0é"),
    (b"some words and\0more words\n", "some words and␀more words\n"),
    ("\ufeffeins\n".encode("utf-16-le"), "eins\n"),
    ("\ufeffzwei 😀\0\n".encode("utf-16-be"), "zwei 😀␀\n"),
    ("\ufeffeins".encode("utf-16-le") + b"x", None),
    (b"\xff\xfe\x00\xd8", None),
    ("\ufeffeins".encode("utf-32-le"), None),
    ("\ufeffeins".encode("utf-32-be"), None),
    (b"\0\1\2\3", None),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
    (bytes(range(256)) * 10, None),
    (b"\1" * 30 + b"x" * 70, "\1" * 30 + "x" * 70),
    (b"\1" * 31 + b"x" * 69, None),
    (b"\x7f" * 2 + b"\xe4" * 98, "\x7f" * 2 + "ä" * 98),
    (b"\x7f" * 3 + b"\xe4" * 97, None),
    (b"\t\f\b\x1b" * 50 + b"x", "\t\f\b\x1b" * 50 + "x"),
    (b"x" * (256 * 1024 - 1) + "ö\n".encode(), "x" * (256 * 1024 - 1) + "ö\n"),
    (b"\xff" + b"x" * (256 * 1024 - 2) + "ö".encode(), "\\xff" + "x" * (256 * 1024 - 2) + "ö"),
]


def by_the_host(raw: bytes) -> tuple[str, str] | None:
    text = host.decode(raw)
    return None if text is None else (text.codec, text.content)


def by_the_server(raw: bytes) -> tuple[str, str] | None:
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.flush()
        text = server.examine(file.fileno())
    if text is None:
        return None
    content = server.decode(raw, text.codec)
    return text.codec, server.visible(content[1:] if text.marked else content)


@pytest.mark.parametrize(("raw", "content"), CASES)
def test_the_host_and_the_server_read_a_file_alike(raw: bytes, content: str | None) -> None:
    told = by_the_server(raw)
    assert by_the_host(raw) == told
    assert (told and told[1]) == content


FRAGMENTS = [b"a", b"\n", b"\0", b"\1", b"\xc3", b"\xa9", b"\xe2\x82\xac", b"\xf0\x9f", b"\x98\x80"]
MARKS = [b"\xff", b"\xfe", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xed\xa0\x80", b"words "]
HOSTILE = st.lists(st.sampled_from([*FRAGMENTS, *MARKS]), max_size=40).map(b"".join)


@settings(max_examples=500)
@given(HOSTILE | st.binary(max_size=80))
def test_no_bytes_are_read_differently(raw: bytes) -> None:
    assert by_the_host(raw) == by_the_server(raw)


@given(st.text(max_size=30), st.sampled_from(["utf-8", "latin-1", "utf-16-le", "utf-16-be"]))
def test_characters_lead_back_to_their_bytes(characters: str, codec: str) -> None:
    raw = characters.encode(codec, "replace" if codec == "latin-1" else "surrogatepass")
    text = host.Text(raw, codec)
    assert text.length(text.characters(0, len(raw))) == len(raw)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
def test_line_breaks_are_counted_between_offsets(codec: str) -> None:
    # U+0A0A and U+0A00 hold the byte of a line break and are none.
    content = "eins\n\u0a0a\u0a00zwei\n" * 50_000
    raw = content.encode(codec)
    text = host.Text(raw, codec)
    assert text.newlines(0, len(raw)) == 100_000
    assert text.newlines(len("eins\n".encode(codec)), len(raw)) == 99_999


def test_the_beginning_of_a_file_may_end_within_a_character() -> None:
    for codec in ("utf-8", "utf-16"):
        cut = "größer 😀".encode(codec)[:-1]
        text = host.decode(cut, whole=False)
        assert text is not None
        assert text.content.startswith("größer")
    assert host.decode("größer 😀".encode("utf-16")[:-1]) is None
