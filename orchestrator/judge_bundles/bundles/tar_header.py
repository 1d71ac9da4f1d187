"""Read the headers of a tar archive: the 512-byte blocks, GNU long names and pax records.

The standard library parses one block; what comes before a member to rename or resize it is read
here, since its reader takes as many bytes into memory as a header claims.
"""

import re
import tarfile
from dataclasses import dataclass
from typing import Final, Protocol

from judge_bundles.bundles.budget import UnpackMeter
from judge_bundles.bundles.refusals import refusal
from judge_bundles.limits import MAX_TAR_HEADER_BYTES

BLOCK_BYTES: Final = 512
_ZERO_BLOCK: Final = bytes(BLOCK_BYTES)
_GNU_MAGIC: Final = b"ustar  "
_PAX_TYPES: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_LENGTH: Final = re.compile(rb"([1-9][0-9]{0,8}) ")
_PAX_SIZE: Final = re.compile(rb"[0-9]{1,20}")
_NO_ARCHIVE: Final = "its content is neither a zip nor a tar archive, whatever its name says"
_SPARSE: Final = "it is stored as a sparse file; pack it again without --sparse"


class ByteSource(Protocol):
    """Where the bytes of a tar archive come from."""

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer only at the end."""


@dataclass(frozen=True, slots=True)
class TarHeader:
    """What the headers of one member say: its raw name, its type flag, its claimed size."""

    name: bytes
    type: bytes
    size: int


@dataclass(slots=True)
class _Extension:
    """What the headers before a member say about it."""

    name: bytes | None = None
    size: int | None = None
    pending: bool = False

    def rename(self, name: bytes) -> None:
        if self.name is not None:
            raise refusal("its headers give it two names", name)
        self.name = name
        self.pending = True

    def resize(self, size: int, header: bytes) -> None:
        if self.size is not None:
            raise refusal("its headers give it two sizes", self.name or header)
        self.size = size

    def apply_pax(self, records: list[tuple[bytes, bytes]], header: bytes) -> None:
        self.pending = True
        for key, value in records:
            if key == b"path":
                self.rename(value)
            elif key == b"size":
                self.resize(_pax_size(value, header), header)
            elif key.startswith(b"GNU.sparse."):
                raise refusal(_SPARSE, self.name or header)


def read_header(source: ByteSource, meter: UnpackMeter) -> TarHeader | None:
    """Return the headers of the next member; None at the end mark of the archive.

    `meter` counts extended headers, and knows the member before, which a refusal names. Raises
    `JudgementError`.
    """
    last = meter.member
    extension = _Extension()
    while (block := _block(source, last)) != _ZERO_BLOCK:
        plain = _parse(block, last)
        if plain.type in _PAX_TYPES:
            extension.apply_pax(_pax_records(_body(source, plain, meter), plain.name), plain.name)
        elif plain.type == tarfile.XGLTYPE:
            _check_global(_pax_records(_body(source, plain, meter), plain.name), plain.name)
        elif plain.type == tarfile.GNUTYPE_LONGNAME:
            extension.rename(_body(source, plain, meter).rstrip(b"\0"))
        elif plain.type == tarfile.GNUTYPE_LONGLINK:
            _body(source, plain, meter)
            extension.pending = True
        else:
            return _combine(plain, extension)
    if extension.pending:
        raise refusal("the archive ends after the extended header of a member", last)
    return None


def _combine(plain: TarHeader, extension: _Extension) -> TarHeader:
    name = plain.name if extension.name is None else extension.name
    size = plain.size if extension.size is None else extension.size
    if plain.type == tarfile.GNUTYPE_SPARSE:
        raise refusal(_SPARSE, name)
    if size < 0:
        raise refusal("its header claims a negative size", name)
    old_folder = plain.type == tarfile.AREGTYPE and name.endswith(b"/")
    return TarHeader(name, tarfile.DIRTYPE if old_folder else plain.type, size)


def _block(source: ByteSource, last: bytes | None) -> bytes:
    block = source.read(BLOCK_BYTES)
    if not block:
        raise refusal("the tar archive has no end mark: it is truncated", last)
    if len(block) < BLOCK_BYTES:
        if last is None:
            raise refusal(_NO_ARCHIVE)
        raise refusal("the tar archive ends in the middle of a header: it is truncated", last)
    return block


def _parse(block: bytes, last: bytes | None) -> TarHeader:
    try:
        parsed = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError) as error:
        why = f"no tar header follows it ({error})" if last is not None else _NO_ARCHIVE
        raise refusal(why, last) from error
    name, prefix = _text(block[0:100]), _text(block[345:500])
    if prefix and not block.startswith(_GNU_MAGIC, 257):
        name = prefix + b"/" + name
    return TarHeader(name, parsed.type, parsed.size)


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _body(source: ByteSource, header: TarHeader, meter: UnpackMeter) -> bytes:
    """Return the content of an extended header, which is bounded, and skip its padding."""
    if not 0 <= header.size <= MAX_TAR_HEADER_BYTES:
        why = f"its extended header claims {header.size:,} bytes (at most {MAX_TAR_HEADER_BYTES:,})"
        raise refusal(why, header.name)
    meter.count_header(BLOCK_BYTES + padded_size(header.size))
    padded = source.read(padded_size(header.size))
    if len(padded) < padded_size(header.size):
        raise refusal("the tar archive ends in its extended header: it is truncated", header.name)
    return padded[: header.size]


def padded_size(size: int) -> int:
    """Return `size` rounded up to whole blocks."""
    return -(-size // BLOCK_BYTES) * BLOCK_BYTES


def _pax_records(body: bytes, header: bytes) -> list[tuple[bytes, bytes]]:
    """Split the body of a pax header into keys and values, both as raw bytes."""
    records = []
    position = 0
    while position < len(body):
        length = _PAX_LENGTH.match(body, position)
        end = position + int(length[1]) if length else 0
        if not length or end > len(body) or body[end - 1 : end] != b"\n" or end <= length.end():
            raise refusal("its pax header is damaged", header)
        key, equals, value = body[length.end() : end - 1].partition(b"=")
        if not equals:
            raise refusal("its pax header is damaged", header)
        records.append((key, value))
        position = end
    return records


def _pax_size(value: bytes, header: bytes) -> int:
    if not _PAX_SIZE.fullmatch(value):
        raise refusal("its pax header claims a size that is no number", header)
    return int(value)


def _check_global(records: list[tuple[bytes, bytes]], header: bytes) -> None:
    """Refuse a global header that would rename or resize every member; comments are fine."""
    for key, _ in records:
        if key in (b"path", b"size") or key.startswith(b"GNU.sparse."):
            raise refusal("a global pax header sets the name or the size of all members", header)
