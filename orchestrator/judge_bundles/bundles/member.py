"""What a source of members hands to the copy: one member after the other, never all at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from judge_prechecks.tree import SkippedKind

MemberKind = Literal["file", "folder", "closed", "clutter"] | SkippedKind
"""`closed`: a folder that may not be read. `clutter`: what operating systems leave behind."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a folder or an archive.

    `path` is relative, with `/`, as raw bytes; `size` is what the source claims, in bytes. `chunks`
    is the content of a file: to be read at most once, before the next member is asked for.
    """

    path: bytes
    kind: MemberKind
    size: int = 0
    chunks: Iterable[bytes] = ()
