"""Read JSON from a bundle: everything RFC 8259 forbids or leaves open is refused, with its place.

`decode` is the standard library's parser, kept honest by cheap measurements of the whole document
before and after it runs; only a document that breaks a rule is read again, by `json_fault`, to say
where. Nothing in a document can raise anything but `InvalidJsonError`.
"""

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from judge_prechecks.json_fault import InvalidJsonError, Rules, locate, lone_surrogate, position
from judge_prechecks.json_shape import has_digit_run, measure
from judge_prechecks.limits import (
    MAX_INTEGER_DIGITS,
    MAX_JSON_BYTES,
    MAX_JSON_DEPTH,
    MAX_JSON_DEPTH_EVER,
    MAX_JSON_NODES,
    SMALL_JSON_BYTES,
)
from judge_prechecks.outcome import JSON

__all__ = ["InvalidJsonError", "JsonOptions", "decode"]

_BOM: Final = b"\xef\xbb\xbf"
_OTHER_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class JsonOptions:
    """What is allowed; `duplicate_keys="last"` lets the last of equal keys win, as Python does."""

    duplicate_keys: Literal["error", "last"] = "error"
    max_bytes: int = MAX_JSON_BYTES
    max_depth: int = MAX_JSON_DEPTH
    max_nodes: int = MAX_JSON_NODES
    max_integer_digits: int = MAX_INTEGER_DIGITS

    def __post_init__(self) -> None:
        if self.max_depth > MAX_JSON_DEPTH_EVER:
            raise ValueError(f"max_depth must be at most {MAX_JSON_DEPTH_EVER}")


class _RefusedError(ValueError):
    """The parser met something that the locator will name."""


def decode(data: bytes, options: JsonOptions) -> JSON:
    """Return the value of a whole document, or raise `InvalidJsonError`.

    Want of memory says nothing about the document: `MemoryError` gets out.
    """
    if len(data) > options.max_bytes:
        raise InvalidJsonError(f"the document is larger than {options.max_bytes:,} bytes")
    data = data.removeprefix(_BOM)
    return _decode(data, _text(data), options)


def _decode(data: bytes, text: str, options: JsonOptions) -> JSON:
    try:
        return _parse(data, text, options)
    except RecursionError:
        pass  # whoever called has used up the stack: only `max_depth` may decide
    except ValueError:
        raise _located(text, options) from None
    with ThreadPoolExecutor(max_workers=1) as fresh_stack:
        value: JSON = fresh_stack.submit(_decode_at_once, data, text, options).result()
    return value


def _decode_at_once(data: bytes, text: str, options: JsonOptions) -> JSON:
    try:
        return _parse(data, text, options)
    except (ValueError, RecursionError):
        raise _located(text, options) from None


def _text(data: bytes) -> str:
    if data.startswith(_OTHER_BOMS) or data[:1] == b"\0" or data[1:4:2] == b"\0\0":
        raise InvalidJsonError("the document is UTF-16 or UTF-32, not UTF-8", 1, 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise InvalidJsonError(message, *position(before, len(before))) from None


def _located(text: str, options: JsonOptions) -> InvalidJsonError:
    rules = Rules(options.duplicate_keys == "error", options.max_depth, options.max_integer_digits)
    return locate(text, rules) or InvalidJsonError("the document cannot be read as JSON")


def _parse(data: bytes, text: str, options: JsonOptions) -> JSON:
    """Return the value; a `ValueError` means that something is wrong somewhere."""
    if lone_surrogate(text) is not None:
        raise _RefusedError
    digits = options.max_integer_digits
    max_digits = digits if has_digit_run(data, digits + 1) else None
    if _is_small(data, options):
        value: JSON = _checking_decoder(options.duplicate_keys, max_digits).decode(text)
        return value
    shape = measure(data)
    if shape.nodes > options.max_nodes:
        raise InvalidJsonError(f"the document has more than {options.max_nodes:,} values")
    if shape.depth > options.max_depth:
        raise _RefusedError
    if options.duplicate_keys == "last":
        value = _decoder(max_digits).decode(text)
    else:
        value = _parse_counting_members(text, max_digits, shape.members)
    return value


def _is_small(data: bytes, options: JsonOptions) -> bool:
    """Return whether a document is too small to reach the limits on depth and nodes."""
    return (
        len(data) <= min(SMALL_JSON_BYTES, options.max_nodes)
        and data.count(b"[") + data.count(b"{") <= options.max_depth
    )


@cache
def _checking_decoder(
    duplicate_keys: Literal["error", "last"], max_digits: int | None
) -> json.JSONDecoder:
    """Return a decoder that looks for duplicate keys in every object, for small documents."""
    hook = _unique if duplicate_keys == "error" else None
    return _decoder(max_digits, object_pairs_hook=hook)


def _parse_counting_members(text: str, max_digits: int | None, members: int) -> JSON:
    """Find duplicate keys by number: a member that replaced another is missing in the sum."""
    sizes: list[int] = []

    def count(value: dict[str, Any]) -> dict[str, Any]:
        sizes.append(len(value))
        return value

    value: JSON = _decoder(max_digits, object_hook=count).decode(text)
    if sum(sizes) != members:
        raise _RefusedError
    return value


def _decoder(max_digits: int | None, **hooks: Any) -> json.JSONDecoder:
    parse_int = None if max_digits is None else _whole(max_digits)
    return json.JSONDecoder(
        parse_int=parse_int, parse_float=_finite, parse_constant=_refuse, **hooks
    )


def _whole(max_digits: int) -> Callable[[str], int]:
    def parse_int(text: str) -> int:
        if len(text.lstrip("-")) > max_digits:
            raise _RefusedError
        return int(text)

    return parse_int


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _RefusedError
    return number


def _refuse(_constant: str) -> float:
    raise _RefusedError
