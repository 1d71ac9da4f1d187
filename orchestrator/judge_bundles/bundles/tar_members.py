"""Stream a tar archive member by member: forward only, nothing extracted by a library.

Whatever is no regular file and no folder has a kind and no content. The whole stream is read to its
end, so that a damaged or truncated archive is refused however late the damage lies.
"""

import tarfile
from collections.abc import Iterator
from typing import Final

from judge_bundles.bundles.budget import UnpackMeter
from judge_bundles.bundles.member import Member, MemberKind
from judge_bundles.bundles.member_names import archive_path
from judge_bundles.bundles.refusals import refusal, shown
from judge_bundles.bundles.tar_header import (
    BLOCK_BYTES,
    ByteSource,
    TarHeader,
    padded_size,
    read_header,
)
from judge_bundles.limits import INTAKE_CHUNK_BYTES

_KINDS: Final[dict[bytes, MemberKind]] = {
    tarfile.REGTYPE: "file",
    tarfile.AREGTYPE: "file",
    tarfile.CONTTYPE: "file",
    tarfile.DIRTYPE: "folder",
    tarfile.SYMTYPE: "symlink",
    tarfile.LNKTYPE: "hardlink",
    tarfile.FIFOTYPE: "fifo",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
}


def tar_members(source: ByteSource, meter: UnpackMeter) -> Iterator[Member]:
    """Yield the members of the tar archive in `source`. Raises `JudgementError`."""
    while header := read_header(source, meter):
        meter.member = header.name
        kind = _kind(header)
        content = _Content(source, header)
        path = archive_path(header.name, folder=kind == "folder")
        yield Member(path, kind, header.size, content.chunks())
        content.skip_rest()
    _expect_zeros(source)


def _kind(header: TarHeader) -> MemberKind:
    kind = _KINDS.get(header.type)
    if kind is None:
        flag = shown(header.type)
        raise refusal(f"it has the type '{flag}', which is not understood", header.name)
    if kind != "file" and header.size:
        raise refusal(f"it is of kind {kind} and claims content", header.name)
    return kind


class _Content:
    """The content of one member, delivered once; what nobody asked for is skipped."""

    def __init__(self, source: ByteSource, header: TarHeader) -> None:
        self._source = source
        self._name = header.name
        self._left = header.size
        self._padding = padded_size(header.size) - header.size

    def chunks(self) -> Iterator[bytes]:
        while self._left:
            chunk = self._source.read(min(self._left, INTAKE_CHUNK_BYTES))
            if not chunk:
                raise refusal("the archive ends inside it: it is truncated", self._name)
            self._left -= len(chunk)
            yield chunk

    def skip_rest(self) -> None:
        for _ in self.chunks():
            pass
        if len(self._source.read(self._padding)) < self._padding:
            raise refusal("the archive ends after it: it is truncated", self._name)


def _expect_zeros(source: ByteSource) -> None:
    """Read to the end: after the end mark only the padding of the last record may follow."""
    while chunk := source.read(BLOCK_BYTES * 20):
        if chunk.strip(b"\0"):
            raise refusal("something other than padding follows the end of the tar archive")
