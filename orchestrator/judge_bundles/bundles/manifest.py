r"""What a bundle consists of, and the digest that follows from it.

The digest is SHA-256 over one record for each file and each skipped member, sorted by the bytes of
their paths (docs/bundles.md gives the format to people who want to compute it elsewhere):

    file\0PATH\0SIZE\0SHA256\n          SIZE in decimal, SHA256 in lower-case hexadecimal
    skipped\0PATH\0KIND\n

A path holds no NUL, so no two manifests have the same bytes. Folders, times, modes, order and the
form of an archive are not in it.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from judge_prechecks.tree import SkippedKind

_VERSION: Final = b"judge-bundles manifest 1\n"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One regular file: raw relative path, size in bytes, SHA-256 in hexadecimal."""

    path: bytes
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """One member that was not copied: a link, a device, something unreadable."""

    path: bytes
    kind: SkippedKind


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything in a bundle, each part sorted by path; `folders` are not part of the digest."""

    files: tuple[FileRecord, ...]
    skipped: tuple[SkippedRecord, ...]
    folders: tuple[bytes, ...]

    def digest(self) -> str:
        """Return `sha256:` and 64 hexadecimal digits."""
        records = [(file.path, _file_record(file)) for file in self.files]
        records += [(member.path, _skipped_record(member)) for member in self.skipped]
        canonical = hashlib.sha256(_VERSION)
        for _, record in sorted(records):
            canonical.update(record)
        return f"sha256:{canonical.hexdigest()}"


def _file_record(file: FileRecord) -> bytes:
    fields = (b"file", file.path, str(file.size).encode(), file.sha256.encode())
    return b"\0".join(fields) + b"\n"


def _skipped_record(member: SkippedRecord) -> bytes:
    return b"\0".join((b"skipped", member.path, member.kind.encode())) + b"\n"
