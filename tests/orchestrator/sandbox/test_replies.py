"""What a tool server says is an answer in every detail, or it is a fault of the sandbox."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.protocol import ByteRange, Media, ToolReply
from judge_bundles.sandbox.replies import parse_hello, parse_reply

FINE: dict[str, Any] = {
    "id": 7,
    "text": "one\n",
    "shown": [{"file": "a", "start": 0, "end": 4}],
    "media": [{"kind": "image", "media_type": "image/png", "data": "AAAA"}],
    "cut": True,
    "error_kind": None,
}


def encoded(**changes: Any) -> bytes:
    return json.dumps({**FINE, **changes}).encode()


def test_a_whole_reply_is_read() -> None:
    assert parse_reply(encoded(), 7) == ToolReply(
        text="one\n",
        shown=(ByteRange("a", 0, 4),),
        media=(Media("image", "image/png", "AAAA"),),
        cut=True,
    )


@pytest.mark.parametrize(("end", "taken"), [(20, True), (21, False)])
def test_no_more_bytes_are_shown_than_a_text_has_room_for(end: int, taken: bool) -> None:
    line = encoded(text="four", media=[], shown=[{"file": "a", "start": 0, "end": end}])
    if taken:
        assert parse_reply(line, 7).shown == (ByteRange("a", 0, end),)
    else:
        with pytest.raises(JudgementError, match="more than it sent"):
            parse_reply(line, 7)


def test_values_stated_are_read() -> None:
    assert parse_reply(encoded(text="a: x\n1\n2", stated=["1", "2"]), 7).stated == ("1", "2")
    assert parse_reply(encoded(), 7).stated == ()


@pytest.mark.parametrize(("pages", "read"), [(1, 1), (500, 500), (None, None)])
def test_pages_counted_are_read(pages: int | None, read: int | None) -> None:
    media = {**FINE["media"][0], "pages": pages}
    assert parse_reply(encoded(media=[media]), 7).media[0].pages == read


def test_a_refusal_is_a_reply() -> None:
    assert parse_reply(encoded(error_kind="not_found"), 7).error_kind == "not_found"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"fine",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b"{}",
        encoded(id=8),
        encoded(id=None),
        encoded(id="7"),
        encoded(extra=1),
        encoded(text=None),
        encoded(text=["x"]),
        encoded(cut=1),
        encoded(error_kind="whatever"),
        encoded(error_kind=[]),
        encoded(shown={}),
        encoded(shown=["a"]),
        encoded(shown=[{"file": "a", "start": 4, "end": 0}]),
        encoded(shown=[{"file": "a", "start": -1, "end": 0}]),
        encoded(shown=[{"file": "a", "start": False, "end": 1}]),
        encoded(shown=[{"file": 1, "start": 0, "end": 1}]),
        encoded(shown=[{"file": "a", "start": 0, "end": 1, "more": 1}]),
        encoded(media=[{"kind": "image", "media_type": "text/html", "data": ""}]),
        encoded(media=[{"kind": "page", "media_type": "image/png", "data": ""}]),
        encoded(media=[{"kind": [], "media_type": "image/png", "data": ""}]),
        encoded(media=[{"kind": "image", "media_type": {}, "data": ""}]),
        encoded(media=[{"kind": "image", "media_type": "image/png", "data": "é"}]),
        encoded(media=[{**FINE["media"][0], "pages": 0}]),
        encoded(media=[{**FINE["media"][0], "pages": True}]),
        encoded(media=[{**FINE["media"][0], "pages": "1"}]),
        encoded(media=["pages"]),
        encoded(shown=[{"file": "a", "start": 0, "end": 25}]),
        encoded(shown=[{"file": "a", "start": 0, "end": 13}] * 2),
        encoded(shown=[{"file": "a", "start": 0, "end": 10**300}]),
        encoded(text=float("nan")),
        encoded(cut=float("inf")),
        encoded().replace(b'"cut"', b'"text": "twice", "cut"'),
        encoded().replace(b'"start": 0', b'"start": 0, "start": 1'),
        encoded().replace(b'"end": 4', b'"end": ' + b"9" * 5_000),
        encoded().replace(b'"end": 4', b'"end": ' + b"[" * 50_000 + b"]" * 50_000),
        encoded().decode().encode("utf-16"),
        encoded()[:-1],
        encoded() + encoded(),
        encoded(stated="one"),
        encoded(stated=[1]),
        encoded(stated=["two"]),
        encoded(stated=["one", "one"]),
    ],
)
def test_anything_else_is_a_fault_of_the_sandbox(line: bytes) -> None:
    with pytest.raises(JudgementError) as raised:
        parse_reply(line, 7)
    assert raised.value.kind == "sandbox_protocol"


def test_the_number_one_is_not_true() -> None:
    with pytest.raises(JudgementError):
        parse_reply(encoded(id=True), 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(FINE)), JSON))
def test_no_reply_raises_anything_but_the_fault(changes: dict[str, Any]) -> None:
    with contextlib.suppress(JudgementError):
        assert isinstance(parse_reply(encoded(**changes), 7), ToolReply)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b'{"hello": 1}',
        b'{"hello": {}}',
        b'{"hello": {"protocol": 2}}',
        b'{"hello": {"protocol": 1}, "x": 1}',
    ],
)
def test_a_greeting_has_the_protocol_and_nothing_beside_it(line: bytes) -> None:
    with pytest.raises(JudgementError) as raised:
        parse_hello(line)
    assert raised.value.kind == "sandbox_protocol"


def test_a_greeting_is_read() -> None:
    assert parse_hello(b'{"hello": {"protocol": 1, "uid": 5}}')["uid"] == 5
