"""Count bytes while a bundle is read, and refuse before the byte too many is written.

A claimed size past a limit is reason enough to refuse, but a claimed size within the limits is
believed by nobody: what really arrives is counted.
"""

from collections.abc import Iterator

from judge_bundles.bundles.member import Member
from judge_bundles.bundles.refusals import over_limit
from judge_bundles.limits import (
    ARCHIVE_OVERHEAD_BYTES,
    MEMBER_OVERHEAD_BYTES,
    RATIO_EXEMPT_BYTES,
    IntakeLimits,
)


class ByteBudget:
    """The content bytes of one bundle: of each file, and of all together."""

    def __init__(self, limits: IntakeLimits) -> None:
        self._limits = limits
        self._total = 0

    def metered(self, member: Member) -> Iterator[bytes]:
        """Yield the content of a file chunk by chunk; a chunk past a limit is never yielded."""
        self._check(member.path, member.size, self._total + member.size)
        size = 0
        for chunk in member.chunks:
            size += len(chunk)
            self._total += len(chunk)
            self._check(member.path, size, self._total)
            yield chunk

    def _check(self, path: bytes, size: int, total: int) -> None:
        limits = self._limits
        if size > limits.max_file_bytes:
            what = f"it has at least {size:,} bytes"
            raise over_limit(what, limits.max_file_bytes, "--max-file-bytes", path)
        if total > limits.max_total_bytes:
            what = f"with it the bundle has at least {total:,} bytes"
            raise over_limit(what, limits.max_total_bytes, "--max-total-bytes", path)


class UnpackMeter:
    """What comes out of a compressed archive, against what the archive weighs on disk.

    `member` is the one being read; a source sets it so that a refusal can name it.
    """

    def __init__(self, archive_bytes: int, limits: IntakeLimits) -> None:
        self.member: bytes | None = None
        self._archive_bytes = archive_bytes
        self._limits = limits
        self._unpacked = 0
        self._headers = 0

    def count(self, size: int) -> None:
        """Add `size` unpacked bytes; raises `JudgementError` when they are too many."""
        self._unpacked += size
        ratio = self._limits.max_ratio
        if self._unpacked > max(RATIO_EXEMPT_BYTES, ratio * self._archive_bytes):
            what = f"the archive unpacks to more than {ratio:,} times its size"
            raise over_limit(what, ratio, "--max-ratio", self.member)
        if self._unpacked > archive_allowance(self._limits):
            what = f"the archive unpacks to more than {self._unpacked:,} bytes, headers included"
            raise over_limit(what, self._limits.max_total_bytes, "--max-total-bytes", self.member)

    def count_header(self, size: int) -> None:
        """Add `size` bytes that only describe members: reading them costs more than copying."""
        self._headers += size
        if self._headers > _header_allowance(self._limits):
            what = f"the archive has more than {self._headers - size:,} bytes of extended headers"
            raise over_limit(what, self._limits.max_members, "--max-members", self.member)


def archive_allowance(limits: IntakeLimits) -> int:
    """Return how many bytes an archive may weigh, packed or unpacked, headers included."""
    return limits.max_total_bytes + _header_allowance(limits)


def _header_allowance(limits: IntakeLimits) -> int:
    return limits.max_members * MEMBER_OVERHEAD_BYTES + ARCHIVE_OVERHEAD_BYTES
