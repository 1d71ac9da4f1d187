"""Build archives that no archiver would write: every header field is under the test's control."""

import gzip
import io
import struct
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

UNIX: Final = 3
DOS: Final = 0
REGULAR: Final = 0o100644 << 16


def tar_member(
    name: bytes,
    content: bytes = b"",
    *,
    kind: bytes = tarfile.REGTYPE,
    size: int | None = None,
    link: str = "",
    mode: int = 0o644,
    owner: int = 0,
) -> bytes:
    """Return header and content of one member; `size` is what the header claims."""
    info = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
    info.type, info.linkname, info.mode = kind, link, mode
    info.uid = info.gid = owner
    info.size = len(content) if size is None else size
    header = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
    return header + content + bytes(-len(content) % 512)


def pax_header(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return an extended header with these records, as they are."""
    return tar_member(b"pax", records, kind=kind)


def pax_record(key: bytes, value: bytes) -> bytes:
    """Return one record with the right length in front."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest)
    while len(str(length)) + len(rest) != length:
        length = len(str(length)) + len(rest)
    return str(length).encode() + rest


def with_checksum(header: bytes) -> bytes:
    """Return a 512-byte header with its checksum put right."""
    blank = header[:148] + b" " * 8 + header[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]


def tar(*members: bytes, end: bytes = bytes(1024)) -> bytes:
    """Return an archive of members made by `tar_member`."""
    return b"".join(members) + end


def gzipped(data: bytes) -> bytes:
    """Return one gzip stream."""
    return gzip.compress(data, mtime=0)


@dataclass
class Zip:
    """A zip archive in the making."""

    body: bytes = b""
    directory: bytes = b""
    count: int = 0
    offsets: list[int] = field(default_factory=list)

    def add(
        self,
        name: bytes,
        content: bytes = b"",
        *,
        method: int = 8,
        flags: int = 0,
        attributes: int = REGULAR,
        host: int = UNIX,
        local_name: bytes | None = None,
        local_size: int | None = None,
        claimed_size: int | None = None,
        crc: int | None = None,
        packed: bytes | None = None,
        offset: int | None = None,
        extra: bytes = b"",
        local_method: int | None = None,
        local_flags: int | None = None,
        descriptor: bytes = b"",
    ) -> "Zip":
        """Add a member; `offset` points at another place of the body instead of a new one."""
        if packed is None:
            packed = deflate(content) if method == 8 else content
        crc = zlib.crc32(content) if crc is None else crc
        size = len(content) if claimed_size is None else claimed_size
        inner = name if local_name is None else local_name
        sizes = (crc, len(packed), size if local_size is None else local_size)
        if offset is None:
            offset = len(self.body)
            inner_flags = flags if local_flags is None else local_flags
            inner_method = method if local_method is None else local_method
            local = struct.pack(
                "<4s5H3L2H",
                *(b"PK\3\4", 20, inner_flags, inner_method, 0, 33),
                *(*sizes, len(inner), 0),
            )
            self.body += local + inner + packed + descriptor
        self.offsets.append(offset)
        self.directory += struct.pack(
            "<4s6H3L5H2L",
            *(b"PK\1\2", (host << 8) | 20, 20, flags, method, 0, 33),
            *(crc, len(packed), size, len(name), len(extra), 0, 0, 0, attributes, offset),
        )
        self.directory += name + extra
        self.count += 1
        return self

    def build(
        self, *, comment: bytes = b"", prefix: bytes = b"", suffix: bytes = b"", count: int = -1
    ) -> bytes:
        """Return the whole archive; `count` is what its end claims."""
        claimed = self.count if count < 0 else count
        end = struct.pack(
            "<4s4H2LH",
            *(b"PK\5\6", 0, 0, claimed, claimed),
            *(len(self.directory), len(self.body), len(comment)),
        )
        return prefix + self.body + self.directory + end + comment + suffix


def deflate(content: bytes) -> bytes:
    """Return raw deflate data."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflater.compress(content) + deflater.flush()


class Unseekable(io.RawIOBase):
    """A pipe as an archiver sees it: zipfile then writes sizes behind the content."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        chunk = bytes(data)  # type: ignore[call-overload]  # any buffer; typeshed's name for it is new
        self.written += chunk
        return len(chunk)


def write(path: Path, data: bytes) -> Path:
    """Write an archive and return where."""
    path.write_bytes(data)
    return path
