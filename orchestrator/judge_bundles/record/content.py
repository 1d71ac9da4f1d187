"""One file of a bundle as a value: its text, or a mapping that says why there is none.

What is text, and in which encoding, is decided as by the tools of the agent judge: UTF-16 with its
mark; UTF-8 unless it is full of control characters; else Latin-1 when it has hardly any. Bytes of a
UTF-8 text that are no character become U+FFFD.
"""

import codecs
import re
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from judge_bundles.limits import RECORD_SNIFFED_BYTES
from judge_prechecks.names import show
from judge_prechecks.tree import File, Tree

Content = str | dict[str, Any]
"""The text of a file, or what `without_text` returns."""
Reason = Literal["_binary", "_too_large", "_unreadable", "_missing"]

_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CONTROL: Final = bytes([*(set(range(0x20)) - set(b"\t\n\r\f\b\x1b")), 0x7F])
_CHARACTER_OF_SEVERAL_BYTES: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_MOST_BYTES_OF_A_CHARACTER: Final = 4


def without_text(reason: Reason, path: str, size: int | None = None) -> dict[str, Any]:
    """Return what stands for a file whose text is not given; `path` is in its printable form."""
    sizes = {} if size is None else {"size": size}
    return {reason: True, "path": path, "name": PurePosixPath(path).name, **sizes}


def reason(content: dict[str, Any]) -> str:
    """Return in words why a file has no text."""
    return next(iter(content)).removeprefix("_").replace("_", " ")


def read_content(tree: Tree, file: File, max_bytes: int) -> Content:
    """Return the text of one file of the tree, whole, or why there is none."""
    path = show(file.path)
    try:
        data = tree.read(file, max_bytes if file.size <= max_bytes else RECORD_SNIFFED_BYTES)
    except OSError:
        return without_text("_unreadable", path, file.size)
    whole = file.size <= max_bytes and len(data) <= max_bytes
    text = decoded(data if whole else data[:RECORD_SNIFFED_BYTES], whole=whole)
    if text is None:
        return without_text("_binary", path, file.size)
    return text if whole else without_text("_too_large", path, file.size)


def read_beginning(tree: Tree, file: File, max_characters: int) -> tuple[Content, bool]:
    """Return the beginning of a file, and whether that is all of it."""
    most = max(max_characters * _MOST_BYTES_OF_A_CHARACTER, RECORD_SNIFFED_BYTES)
    try:
        data = tree.read(file, most)
    except OSError:
        return without_text("_unreadable", show(file.path), file.size), True
    text = decoded(data[:most], whole=len(data) <= most)
    if text is None:
        return without_text("_binary", show(file.path), file.size), True
    return text[:max_characters], len(data) <= most and len(text) <= max_characters


def decoded(data: bytes, *, whole: bool = True) -> str | None:
    """Return bytes as text, or None when they are none; not `whole`, an end may be cut off."""
    if data.startswith(codecs.BOM_UTF32_LE):
        return None
    if codec := _UTF16.get(data[:2]):
        return _strict(data[2:], codec, whole=whole)
    controls = len(data) - len(data.translate(None, _CONTROL))
    text = _strict(data, "utf-8", whole=whole)
    if controls * 10 > 3 * len(data) if text is not None else controls * 50 > len(data):
        return None
    if text is None:
        several = _CHARACTER_OF_SEVERAL_BYTES.search(data)
        text = data.decode("utf-8" if several else "latin-1", "replace")
    return text.removeprefix("\ufeff")


def _strict(data: bytes, codec: str, *, whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final=whole)
    except UnicodeDecodeError:
        return None
