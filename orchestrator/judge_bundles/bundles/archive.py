"""Open an archive and tell by its content what it is; its name only made it a candidate."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from judge_bundles.bundles.budget import UnpackMeter, archive_allowance
from judge_bundles.bundles.descriptors import READ_FILE
from judge_bundles.bundles.gzip_stream import GZIP_MAGIC, GzipStream
from judge_bundles.bundles.member import Member
from judge_bundles.bundles.refusals import over_limit, refusal
from judge_bundles.bundles.tar_members import tar_members
from judge_bundles.bundles.zip_members import ZIP_MAGICS, zip_members
from judge_bundles.limits import IntakeLimits

ARCHIVE_SUFFIXES: Final = (".tar.gz", ".tgz", ".tar", ".zip")


def archive_suffix(name: str) -> str:
    """Return the ending that makes `name` a candidate, as it is spelled there, or nothing."""
    lowered = name.lower()
    for suffix in ARCHIVE_SUFFIXES:
        if lowered.endswith(suffix) and len(lowered) > len(suffix):
            return name[-len(suffix) :]
    return ""


@contextmanager
def archive_members(source: str, limits: IntakeLimits) -> Iterator[Iterator[Member]]:
    """Open the archive at `source` and give its members, which are read as they are asked for.

    Raises `JudgementError` for a file that is no archive or too large, OSError for one that cannot
    be opened, among them a link.
    """
    descriptor = os.open(source, READ_FILE)
    try:
        yield _members(descriptor, _size(descriptor, limits), limits)
    finally:
        os.close(descriptor)


def _size(descriptor: int, limits: IntakeLimits) -> int:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise refusal("it is no regular file")
    if not status.st_size:
        raise refusal("the archive is empty: it has 0 bytes")
    if status.st_size > archive_allowance(limits):
        what = f"the archive itself has {status.st_size:,} bytes"
        raise over_limit(what, limits.max_total_bytes, "--max-total-bytes")
    return status.st_size


def _members(descriptor: int, size: int, limits: IntakeLimits) -> Iterator[Member]:
    meter = UnpackMeter(size, limits)
    head = os.pread(descriptor, 4, 0)
    if head.startswith(ZIP_MAGICS):
        return zip_members(descriptor, size, limits, meter)
    reader = _Reader(descriptor, size)
    if head.startswith(GZIP_MAGIC):
        return tar_members(GzipStream(reader.read, meter), meter)
    return tar_members(reader, meter)


class _Reader:
    """Bytes of a file from its start, never more than it had when it was opened."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self._left = size

    def read(self, size: int) -> bytes:
        pieces = []
        wanted = min(size, self._left)
        while wanted > 0 and (piece := os.read(self._descriptor, wanted)):
            pieces.append(piece)
            wanted -= len(piece)
            self._left -= len(piece)
        return b"".join(pieces)
