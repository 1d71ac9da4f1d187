"""Read documents and other text from disk: bounded, a regular file, UTF-8 and nothing else.

These files are written by the operator, so links are followed; a bundle is never read here.
"""

import os
import stat
from pathlib import Path, PurePath
from typing import Final

from judge_bundles.documents.document import DocumentLimits, Node, UnreadableDocumentError
from judge_bundles.documents.json_document import read_json
from judge_bundles.documents.yaml_document import read_yaml

_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def read_document(path: Path, limits: DocumentLimits) -> Node:
    """Return the document in a file, or raise `UnreadableDocumentError`."""
    return parse_document(read_bytes(path, limits.max_bytes), path.name, limits)


def parse_document(content: bytes, file_name: str, limits: DocumentLimits) -> Node:
    """Return the document in the bytes of a file: JSON or YAML by suffix, else by how it begins."""
    text = decoded(content)
    suffix = PurePath(file_name).suffix.lower()
    if suffix == ".json" or (suffix not in {".yaml", ".yml"} and text.lstrip()[:1] in {"{", "["}):
        return read_json(text, limits)
    return read_yaml(text, limits)


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file without its byte order mark, or raise UnreadableDocumentError."""
    return decoded(read_bytes(path, max_bytes))


def decoded(content: bytes) -> str:
    """Return UTF-8 as text without its byte order mark, or raise UnreadableDocumentError."""
    if content.startswith(_UTF16_MARKS):
        raise UnreadableDocumentError("not UTF-8 but UTF-16: save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Places in the error are those of `error.object`, which has no byte order mark.
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise UnreadableDocumentError(
            f"not UTF-8 (byte 0x{byte:02x}): save it as UTF-8", line
        ) from error


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a regular file, or raise UnreadableDocumentError."""
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableDocumentError("not a regular file: save it as one")
            content = file.read(max_bytes + 1)
    except IsADirectoryError as error:
        raise UnreadableDocumentError("it is a folder: name the file itself") from error
    except FileNotFoundError as error:
        raise UnreadableDocumentError("no such file: check the path") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnreadableDocumentError(f"cannot be read ({reason}): check the path") from error
    except ValueError as error:  # a NUL in the name
        raise UnreadableDocumentError("its name holds a NUL: check the path") from error
    if len(content) > max_bytes:
        raise UnreadableDocumentError(f"larger than {max_bytes} bytes: make it shorter")
    return content


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a FIFO at once, to be refused, instead of waiting for its other end."""
    return os.open(path, flags | os.O_NONBLOCK)
