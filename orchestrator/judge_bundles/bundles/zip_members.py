"""Inflate the members of a zip archive one after the other, trusting no size and no order.

Before the first byte is unpacked, every member's own header is compared with the directory. No two
members may share bytes: fifty thousand entries over one small block would else become gigabytes. Nor
may anything stand between them that the directory does not know: programs that read from the front
would find other members there.
"""

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judge_bundles.bundles.budget import UnpackMeter
from judge_bundles.bundles.folder_members import special_kind
from judge_bundles.bundles.member import Member, MemberKind
from judge_bundles.bundles.member_names import archive_path
from judge_bundles.bundles.refusals import refusal
from judge_bundles.bundles.zip_directory import (
    ZipEntry,
    directory_entries,
    find_directory,
    read_exactly,
)
from judge_bundles.limits import INTAKE_CHUNK_BYTES, IntakeLimits

ZIP_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_STORED, _DEFLATED = 0, 8
_FLAGS_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_FLAG_SIZES_FOLLOW: Final = 0x8
_FLAG_PATCH: Final = 0x20
_DESCRIPTOR_MAGIC: Final = b"PK\x07\x08"
_DESCRIPTORS: Final = {
    form.size: form for form in map(struct.Struct, ("<3L", "<4s3L", "<L2Q", "<4sL2Q"))
}
"""What may follow a member whose sizes its header leaves open: with or without magic, 32 or 64 bits."""
_IN_EXTRA: Final = 0xFFFFFFFF
_MORE_FOLLOWS: Final = "other data follows its content"


def zip_members(
    descriptor: int, archive_size: int, limits: IntakeLimits, meter: UnpackMeter
) -> Iterator[Member]:
    """Yield the members of the zip archive. Raises `JudgementError`."""
    directory = find_directory(descriptor, archive_size)
    meter.count_header(directory.size)
    entries = directory_entries(descriptor, directory, limits.max_members + 1)
    places = [_place(descriptor, entry) for entry in entries]
    _check_layout(descriptor, places, directory.offset)
    for place in places:
        entry = place.entry
        meter.member = entry.name
        kind = _kind(entry)
        path = archive_path(entry.name, folder=kind == "folder")
        yield Member(path, kind, entry.size, _chunks(descriptor, place, meter))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a member's bytes lie: its own header from `start`, its content up to `end`.

    `open_sizes`: its header leaves sizes to a descriptor behind the content.
    """

    entry: ZipEntry
    start: int
    content: int
    end: int
    open_sizes: bool


def _place(descriptor: int, entry: ZipEntry) -> _Place:
    if entry.flags & _FLAGS_ENCRYPTED:
        raise refusal("it is encrypted", entry.name)
    if entry.method not in (_STORED, _DEFLATED) or entry.flags & _FLAG_PATCH:
        raise refusal(f"it is packed by method {entry.method}, not by deflate", entry.name)
    local = _LOCAL.unpack(read_exactly(descriptor, _LOCAL.size, entry.offset))
    magic, _, flags, method, _, _, *numbers, name_size, extra_size = local
    if magic != ZIP_MAGICS[0]:
        raise refusal("there is no header where the directory says", entry.name)
    name = read_exactly(descriptor, name_size, entry.offset + _LOCAL.size)
    same = name == entry.stored_name and method == entry.method
    if not same or flags & _FLAGS_ENCRYPTED or not _sizes_agree(flags, numbers, entry):
        raise refusal("its header and the directory of the archive disagree", entry.name)
    content = entry.offset + _LOCAL.size + name_size + extra_size
    open_sizes = bool(flags & _FLAG_SIZES_FOLLOW)
    return _Place(entry, entry.offset, content, content + entry.packed_size, open_sizes)


def _sizes_agree(flags: int, numbers: list[int], entry: ZipEntry) -> bool:
    if flags & _FLAG_SIZES_FOLLOW:
        return True
    crc, packed, size = numbers
    return (
        crc == entry.crc
        and packed in (entry.packed_size, _IN_EXTRA)
        and size in (entry.size, _IN_EXTRA)
    )


def _check_layout(descriptor: int, places: list[_Place], directory_offset: int) -> None:
    """See that one member follows the other from the first byte up to the directory."""
    before: _Place | None = None
    for place in sorted(places, key=lambda place: (place.start, place.end)):
        if before is not None and place.start < before.end:
            raise refusal("it shares bytes with another member", place.entry.name)
        if place.end > directory_offset:
            raise refusal("it reaches into the directory of the archive", place.entry.name)
        _check_gap(descriptor, before, place.start)
        before = place
    _check_gap(descriptor, before, directory_offset)


def _check_gap(descriptor: int, before: _Place | None, until: int) -> None:
    size = until - (before.end if before else 0)
    if not size:
        return
    if before is None:
        raise refusal("the zip archive begins with a member that its directory does not know")
    form = _DESCRIPTORS.get(size) if before.open_sizes else None
    if form is None:
        raise refusal("something follows it that the directory does not know", before.entry.name)
    *magic, crc, packed, full = form.unpack(read_exactly(descriptor, size, before.end))
    entry = before.entry
    if magic not in ([], [_DESCRIPTOR_MAGIC]) or (crc, packed, full) != (
        entry.crc,
        entry.packed_size,
        entry.size,
    ):
        raise refusal("its descriptor and the directory of the archive disagree", entry.name)


def _kind(entry: ZipEntry) -> MemberKind:
    """Return the kind by the Unix mode, where there is one, and the slash after a folder.

    Some writers give a folder the mode of a file; without content that is harmless.
    """
    named_folder = entry.name.endswith(b"/")
    format_bits = stat.S_IFMT(entry.mode)
    if named_folder or stat.S_ISDIR(entry.mode):
        if entry.size or format_bits not in (0, stat.S_IFDIR, stat.S_IFREG):
            raise refusal("it is a folder by its name and something else by its header", entry.name)
        return "folder"
    return "file" if format_bits in (0, stat.S_IFREG) else special_kind(entry.mode)


def _chunks(descriptor: int, place: _Place, meter: UnpackMeter) -> Iterator[bytes]:
    entry = place.entry
    crc = size = 0
    for chunk in _unpacked(descriptor, place):
        size += len(chunk)
        crc = zlib.crc32(chunk, crc)
        meter.count(len(chunk))
        if size > entry.size:
            break
        yield chunk
    if size != entry.size:
        raise refusal(f"it does not unpack to the {entry.size:,} bytes it claims", entry.name)
    if crc != entry.crc:
        raise refusal("its checksum does not fit: it is damaged", entry.name)


def _unpacked(descriptor: int, place: _Place) -> Iterator[bytes]:
    packed = _packed(descriptor, place)
    if place.entry.method == _STORED or not place.entry.packed_size:
        return packed
    return _inflated(packed, place.entry.name)


def _packed(descriptor: int, place: _Place) -> Iterator[bytes]:
    for position in range(place.content, place.end, INTAKE_CHUNK_BYTES):
        yield read_exactly(descriptor, min(INTAKE_CHUNK_BYTES, place.end - position), position)


def _inflated(packed: Iterator[bytes], name: bytes) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for piece in packed:
            if inflater.eof:  # zlib would keep all that follows, and copy it with every piece
                raise refusal(_MORE_FOLLOWS, name)
            rest = piece
            while chunk := inflater.decompress(rest, INTAKE_CHUNK_BYTES):
                yield chunk
                rest = inflater.unconsumed_tail
    except zlib.error as error:
        raise refusal(f"it is damaged ({error})", name) from error
    if not inflater.eof:
        raise refusal("its content ends in the middle: it is truncated", name)
    if inflater.unused_data:
        raise refusal(_MORE_FOLLOWS, name)
