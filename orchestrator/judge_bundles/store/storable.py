r"""Make any text or JSON fit to be kept: no secrets, and nothing a database cannot hold.

Lone surrogates become their escapes in text; NUL, which PostgreSQL refuses, does too in plain
columns and stays `\u0000` in JSON. Nothing here judges or shortens what was said, except JSON that
no reader could load again: nesting without end and integers of thousands of digits.
"""

import hashlib
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any, Final

from judge_bundles import escape, log
from judge_bundles.limits import MAX_STORED_DEPTH

_WRITABLE_BITS: Final = 1024  # surely writable; the interpreter looks at digits, not bits
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
TOO_DEEP: Final = "[nested too deeply to be stored]"


def text(value: str) -> str:
    """Return `value` for a plain text column."""
    cleaned: str = escape.json_value(log.redact(value))
    return cleaned.replace("\0", "\\u0000")


def stored_id(name: str) -> str:
    """Return the form in which an entry id or rule name is kept; almost always `name` itself.

    A name that has to be changed gets a suffix made of its hash, so that two bundles which differ
    only in what was redacted stay two. A form once made is its own form.
    """
    cleaned = text(name)
    if cleaned == name:
        return name
    return f"{cleaned}~{sha256(name)[:12]}"


def entry_key(entry_id: str) -> str:
    """Return the short name of an entry id, which may itself be too long for an index."""
    return sha256(stored_id(entry_id))


def sha256(value: str) -> str:
    """Return the SHA-256 of any text, lone surrogates included, in hex."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def json_text(value: Any) -> str:
    """Return `value` as compact ASCII JSON."""
    try:
        written = _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _tamed(value)
    return written if _is_tame(written) else _tamed(value)


def pack(value: Any) -> bytes:
    """Return `value` as compressed JSON."""
    return zlib.compress(json_text(value).encode("ascii"))


def unpack(data: bytes) -> Any:
    """Return the JSON value that `pack` was given."""
    return json.loads(zlib.decompress(data))


def number(value: Any) -> Any:
    """Return a scalar that is no string in a form every JSON reader takes."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > _WRITABLE_BITS:
        return _writable_integer(value)
    return value


def _writable_integer(value: int) -> int | str:
    try:
        str(value)
    except ValueError:  # more digits than the interpreter writes or reads
        return f"[an integer of {value.bit_length()} bits]"
    return value


def _is_tame(written: str) -> bool:
    """Tell whether JSON text may stay as it is; when in doubt it may not.

    Most verdicts may, and looking at their text takes a tenth of the time of walking through them.
    Without a backslash every string stands in the text as it is, so that redacting finds the same.
    """
    return (
        "\\" not in written
        and written.count("[") + written.count("{") <= MAX_STORED_DEPTH
        and log.redact(written) == written
    )


def _tamed(value: Any) -> str:
    strings: list[str] = []
    plain = _plain(value, strings, MAX_STORED_DEPTH)
    # All strings at once: redacting each alone would cost more than writing the verdict. A match
    # cannot begin in one and end in the next, since neither a key nor a variable holds a NUL.
    joined = "\0".join(strings)
    if log.redact(joined) != joined:
        plain = log.redact_value(plain)
    if escape.json_value(joined) != joined:
        plain = escape.json_value(plain)
    return _encode(plain)


def _plain(value: Any, strings: list[str], depth: int) -> Any:
    """Copy JSON within the limits, noting every string on the way."""
    if isinstance(value, str):
        strings.append(value)
        return value
    if isinstance(value, (Mapping, list, tuple)):
        return TOO_DEEP if depth == 0 else _plain_container(value, strings, depth - 1)
    return number(value)


def _plain_container(
    value: Mapping[str, Any] | list[Any] | tuple[Any, ...], strings: list[str], depth: int
) -> Any:
    if isinstance(value, Mapping):
        strings.extend(value)
        return {key: _plain(item, strings, depth) for key, item in value.items()}
    return [_plain(item, strings, depth) for item in value]
