"""Read what a tool server says, believing nothing: anything that is not exactly an answer is a fault.

The server runs beside hostile data; its replies are checked for form, size and identity.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn, get_args

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.protocol import ByteRange, Media, ToolErrorKind, ToolReply

PROTOCOL: Final = 1
_CHARACTER_BYTES: Final = 4
"""What one character shown takes at most in a file."""
_ERROR_KINDS: Final = frozenset(get_args(ToolErrorKind))
_MEDIA_TYPES: Final = {
    "image": frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"}),
    "document": frozenset({"application/pdf"}),
}
_REPLY_KEYS: Final = frozenset({"id", "text", "shown", "media", "cut", "error_kind"})


def parse_hello(line: bytes) -> Mapping[str, Any]:
    """Return the facts of the server's first line."""
    message = _object(line)
    hello = message.get("hello")
    if set(message) != {"hello"} or not isinstance(hello, dict):
        _refuse("its first line is no greeting")
    if hello.get("protocol") != PROTOCOL:
        _refuse(f"it speaks protocol {str(hello.get('protocol'))[:20]!a}, not {PROTOCOL}")
    return hello


def parse_reply(line: bytes, number: int) -> ToolReply:
    """Return the reply to request `number`."""
    message = _object(line)
    if set(message) - {"stated"} != _REPLY_KEYS:
        _refuse("its reply has other keys than a reply has")
    if message["id"] != number or isinstance(message["id"], bool):
        _refuse("it replied to another request")
    error_kind = message["error_kind"]
    if error_kind is not None and _typed(error_kind, str) not in _ERROR_KINDS:
        _refuse("it refused for an unknown reason")
    text = _typed(message["text"], str)
    media = tuple(_media(item) for item in _typed(message["media"], list))
    return ToolReply(
        text=text,
        shown=_shown(message["shown"], text, media),
        media=media,
        cut=_typed(message["cut"], bool),
        error_kind=error_kind,
        stated=_stated(message.get("stated", []), text),
    )


def _object(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(
            line.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        _refuse("its reply is not JSON")
    found: dict[str, Any] = _typed(message, dict)
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in one object twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _shown(items: Any, text: str, media: Iterable[Media]) -> tuple[ByteRange, ...]:
    """Return the ranges shown; together they have no more bytes than the answer has room for."""
    ranges = tuple(_range(item) for item in _typed(items, list))
    room = _CHARACTER_BYTES * (len(text) + 1) + sum(len(one.data) for one in media)
    if sum(shown.end - shown.start for shown in ranges) > room:
        _refuse("it claims to have shown more than it sent")
    return ranges


def _range(item: Any) -> ByteRange:
    found = _keyed(item, "file", "start", "end")
    start, end = _typed(found["start"], int), _typed(found["end"], int)
    if not 0 <= start <= end:
        _refuse("it showed a range of bytes that cannot be")
    return ByteRange(_typed(found["file"], str), start, end)


def _stated(items: Any, text: str) -> tuple[str, ...]:
    """Return the values stated; each stands in the text, and none twice, so they are no longer."""
    values = tuple(_typed(item, str) for item in _typed(items, list))
    if sum(len(value) for value in values) > len(text) or not all(
        value in text for value in values
    ):
        _refuse("it states values that its text does not have")
    return values


def _media(item: Any) -> Media:
    pages = item.pop("pages", None) if isinstance(item, dict) else None
    found = _keyed(item, "kind", "media_type", "data")
    kind, media_type, data = (_typed(found[name], str) for name in ("kind", "media_type", "data"))
    if media_type not in _MEDIA_TYPES.get(kind, ()):
        _refuse("it sent media of an unknown type")
    if not data.isascii():
        _refuse("it sent media that are not base64")
    if pages is not None and _typed(pages, int) < 1:
        _refuse("it counts pages that cannot be")
    return Media(kind, media_type, data, pages)


def _keyed(item: Any, *keys: str) -> dict[str, Any]:
    found: dict[str, Any] = _typed(item, dict)
    if set(found) != set(keys):
        _refuse("its reply has other keys than a reply has")
    return found


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        _refuse("its reply has values of the wrong type")
    return value


def _refuse(what: str) -> NoReturn:
    raise JudgementError("sandbox_protocol", f"The tool server cannot be understood: {what}.")
