"""Read the central directory of a zip archive, strictly: one archive, nothing around it.

Programs disagree about zips with two directories, bytes before the first or after the last part, or
counts that do not fit; such an archive is refused rather than read in one of its meanings. Memory is
bounded by the number of members a bundle may have.
"""

import os
import struct
from dataclasses import dataclass
from typing import Final

from judge_bundles.bundles.refusals import over_limit, refusal
from judge_bundles.bundles.zip_extra import ZIP64, extra_fields, unicode_path

_END: Final = struct.Struct("<4s4H2LH")
_END_MAGIC: Final = b"PK\x05\x06"
_END64_LOCATOR: Final = struct.Struct("<4sLQL")
_END64_LOCATOR_MAGIC: Final = b"PK\x06\x07"
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_END64_MAGIC: Final = b"PK\x06\x06"
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_ENTRY_MAGIC: Final = b"PK\x01\x02"
_MAX_COMMENT_BYTES: Final = 0xFFFF
_IN_EXTRA: Final = 0xFFFFFFFF
_IN_END64: Final = (0xFFFF, 0xFFFFFFFF)
_FLAG_UTF8: Final = 0x800
_UNIX_HOSTS: Final = frozenset({3, 19})


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """What the central directory says of one member; sizes and `offset` in bytes.

    `stored_name` is the name as it stands in the archive, `name` the Linux name it stands for.
    """

    stored_name: bytes
    name: bytes
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    mode: int
    offset: int


@dataclass(frozen=True, slots=True)
class ZipDirectory:
    """Where the central directory lies and how many entries it claims."""

    offset: int
    size: int
    count: int


def find_directory(descriptor: int, archive_size: int) -> ZipDirectory:
    """Find the central directory from the end of the archive. Raises `JudgementError`."""
    position, end = _find_end(descriptor, archive_size)
    _, disk, first_disk, here, count, size, offset, _ = _END.unpack(end)
    start = position
    locator = _locator(descriptor, position)
    if locator is not None:
        start, wide = _read_end64(descriptor, position, locator)
        for narrow, full in zip((disk, first_disk, here, count, size, offset), wide, strict=True):
            if narrow != full and narrow not in _IN_END64:
                raise refusal("the zip archive has two ends that disagree")
        disk, first_disk, here, count, size, offset = wide
    if disk or first_disk or here != count:
        raise refusal("the zip archive is one part of several")
    if offset + size != start:
        raise refusal("the zip archive is damaged, or other data stands before or inside it")
    return ZipDirectory(offset, size, count)


def directory_entries(descriptor: int, directory: ZipDirectory, most: int) -> list[ZipEntry]:
    """Return the entries in their order, at most `most` of them. Raises `JudgementError`."""
    entries: list[ZipEntry] = []
    position, end = directory.offset, directory.offset + directory.size
    while position < end:
        if len(entries) == most:
            raise over_limit("the archive has too many members", most, "--max-members")
        entry, position = _read_entry(descriptor, position, end)
        entries.append(entry)
    if len(entries) != directory.count:
        why = f"the zip archive claims {directory.count:,} members and lists {len(entries):,}"
        raise refusal(why)
    return entries


def read_exactly(descriptor: int, size: int, position: int) -> bytes:
    """Return `size` bytes of the archive; raises `JudgementError` where it has fewer."""
    data = os.pread(descriptor, size, position) if position >= 0 else b""
    if len(data) < size:
        raise refusal("the zip archive is damaged or truncated")
    return data


def _find_end(descriptor: int, archive_size: int) -> tuple[int, bytes]:
    """Return position and bytes of the one end record whose comment reaches the end of the file."""
    tail_size = min(archive_size, _END.size + _MAX_COMMENT_BYTES)
    tail = read_exactly(descriptor, tail_size, archive_size - tail_size)
    found = []
    index = tail.rfind(_END_MAGIC)
    while index >= 0:
        if index + _END.size <= len(tail):
            end = tail[index : index + _END.size]
            if index + _END.size + _END.unpack(end)[-1] == len(tail):
                found.append((archive_size - tail_size + index, end))
        index = tail.rfind(_END_MAGIC, 0, index)
    if not found:
        raise refusal("the zip archive is truncated, or other data follows it")
    if len(found) > 1:
        raise refusal("the zip archive has two ends and could be read as two different archives")
    return found[0]


def _locator(descriptor: int, end_position: int) -> int | None:
    """Return where the zip64 end record lies, if there is one."""
    position = end_position - _END64_LOCATOR.size
    if position < 0:
        return None
    magic, disk, offset, _ = _END64_LOCATOR.unpack(
        read_exactly(descriptor, _END64_LOCATOR.size, position)
    )
    if magic != _END64_LOCATOR_MAGIC:
        return None
    if disk:
        raise refusal("the zip archive is one part of several")
    return int(offset)


def _read_end64(
    descriptor: int, end_position: int, position: int
) -> tuple[int, tuple[int, int, int, int, int, int]]:
    end = end_position - _END64_LOCATOR.size
    if not 0 <= position <= end - _END64.size:
        raise refusal("the zip archive is damaged: its zip64 end is not where it says")
    magic, size, _, _, disk, first_disk, here, count, directory_size, offset = _END64.unpack(
        read_exactly(descriptor, _END64.size, position)
    )
    if magic != _END64_MAGIC or position + 12 + size != end:
        raise refusal("the zip archive is damaged: its zip64 end is not where it says")
    return position, (disk, first_disk, here, count, directory_size, offset)


def _read_entry(descriptor: int, position: int, end: int) -> tuple[ZipEntry, int]:
    fixed = _ENTRY.unpack(read_exactly(descriptor, _ENTRY.size, position))
    (magic, made_by, _, flags, method, _, _, crc, packed, size, *lengths) = fixed
    name_size, extra_size, comment_size, disk, _, attributes, offset = lengths
    after = position + _ENTRY.size + name_size + extra_size + comment_size
    if magic != _ENTRY_MAGIC or after > end:
        raise refusal("the zip archive is damaged: its directory is not one")
    variable = read_exactly(descriptor, name_size + extra_size, position + _ENTRY.size)
    stored_name = variable[:name_size]
    extra = variable[name_size:]
    wide = _widen([size, packed, offset], extra, stored_name)
    if disk:
        raise refusal("the zip archive is one part of several", stored_name)
    name = _linux_name(stored_name, flags, extra, host=made_by >> 8)
    mode = attributes >> 16
    return ZipEntry(stored_name, name, flags, method, crc, wide[1], wide[0], mode, wide[2]), after


def _widen(values: list[int], extra: bytes, name: bytes) -> list[int]:
    """Replace each value that says so by its 64-bit form in the zip64 extra field."""
    wide = next((data for identity, data in extra_fields(extra) if identity == ZIP64), b"")
    position = 0
    widened = []
    for value in values:
        if value != _IN_EXTRA:
            widened.append(value)
            continue
        if position + 8 > len(wide):
            raise refusal("its zip64 header is missing", name)
        widened.append(int.from_bytes(wide[position : position + 8], "little"))
        position += 8
    return widened


def _linux_name(stored: bytes, flags: int, extra: bytes, *, host: int) -> bytes:
    """Return the name as Linux bytes: as they are from Unix, else from code page 437.

    Info-ZIP stores the bytes of a Linux name without saying that they are UTF-8, and gives a name
    of another system its UTF-8 form beside it.
    """
    unicode = unicode_path(extra, stored)
    if flags & _FLAG_UTF8:
        if unicode is not None and unicode != stored:
            raise refusal("its headers give it two names", stored)
        return _utf8(stored)
    if unicode is not None:
        return _utf8(unicode)
    return stored if host in _UNIX_HOSTS else stored.decode("cp437").encode("utf-8")


def _utf8(name: bytes) -> bytes:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refusal("its name says that it is UTF-8 and is not", name) from error
    return name
