"""Zip archives whose parts contradict each other, or that hold what Linux has no name for."""

import random
import stat
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from judge_bundles.limits import RATIO_EXEMPT_BYTES
from tests.hostile.more_cases import SECRET, Ground, Outcome, add, case, good_zip
from tests.orchestrator.bundles.archives import DOS, UNIX, Zip, deflate, gzipped

HELLO: Final = b"hello world"


def extra(identity: int, data: bytes) -> bytes:
    """Return one extra field."""
    return struct.pack("<2H", identity, len(data)) + data


def unicode_path(stored: bytes, name: bytes) -> bytes:
    """Return the extra field by which Info-ZIP gives a member another name."""
    return extra(0x7075, struct.pack("<BL", 1, zlib.crc32(stored)) + name)


def mode(kind: int) -> int:
    """Return external attributes for a Unix kind of file."""
    return (kind | 0o777) << 16


# One member behind the good ones: its name, its content and what `Zip.add` is told besides.
Member = tuple[bytes, bytes, dict[str, Any], Outcome, str]
MEMBERS: Final[dict[str, Member]] = {
    "name_backslash": (b"a\\..\\..\\x", b"", {"host": DOS}, "refused", "backslash"),
    "name_drive": (b"c:/x", b"", {"host": DOS}, "refused", "drive letter"),
    "name_network_share": (b"//server/x", b"", {}, "refused", "absolute"),
    "name_root": (b"/", b"", {}, "refused", "absolute"),
    "name_empty": (b"", b"", {}, "refused", "empty name"),
    "name_climbs_from_a_dot": (b"./../x", b"", {}, "refused", "'..'"),
    "name_of_a_null_device": (b"NUL/con.txt", b"x", {}, "taken", "NUL/con.txt"),
    "name_no_utf8": (b"\xc3\x28", b"", {"flags": 0x800}, "refused", "UTF-8"),
    "name_of_surrogates": (b"\xed\xa0\x80", b"", {"flags": 0x800}, "refused", "UTF-8"),
    "name_overlong_slash": (b"..\xc0\xafx", b"", {"flags": 0x800}, "refused", "UTF-8"),
    "name_code_page_437": (b"\xb0\xff.txt", b"x", {"host": DOS}, "taken", "\u2591\u00a0.txt"),
    "name_linux_bytes": (b"\xff\xfe", b"x", {"host": UNIX}, "taken", "\udcff\udcfe"),
    "name_255_bytes": (b"n" * 255, b"x", {}, "taken", "n" * 255),
    "name_256_bytes": (b"n" * 256, b"x", {}, "refused", "--max-name-bytes"),
    "name_64_levels": (b"d/" * 63 + b"x", b"x", {}, "taken", "d/" * 63 + "x"),
    "name_65_levels": (b"d/" * 64 + b"x", b"x", {}, "refused", "--max-depth"),
    "name_grows_past_the_limit": (b"\xb0" * 86, b"", {"host": DOS}, "refused", "--max-name-bytes"),
    "folder_with_content": (b"d/", b"x", {}, "refused", "folder by its name"),
    "folder_by_mode_with_content": (
        b"d",
        b"x",
        {"attributes": mode(stat.S_IFDIR)},
        "refused",
        "folder by its name",
    ),
    "symlink": (b"l.json", b"/etc", {"attributes": mode(stat.S_IFLNK)}, "fails", "symlink"),
    "symlink_made_by_dos": (
        b"l.json",
        b"/etc",
        {"attributes": mode(stat.S_IFLNK), "host": DOS},
        "fails",
        "symlink",
    ),
    "device": (b"d.json", b"", {"attributes": mode(stat.S_IFBLK)}, "fails", "device"),
    "fifo": (b"f.json", b"", {"attributes": mode(stat.S_IFIFO)}, "fails", "fifo"),
    "unknown_kind": (b"k.json", b"", {"attributes": mode(0o170000)}, "fails", "special file"),
    "strongly_encrypted": (b"e", HELLO, {"flags": 0x41}, "refused", "encrypted"),
    "masked_headers": (b"e", HELLO, {"flags": 0x2000}, "refused", "encrypted"),
    "method_deflate64": (b"m", HELLO, {"method": 9}, "refused", "'m': it is packed by method 9"),
    "method_bzip2": (b"m", HELLO, {"method": 12}, "refused", "method 12"),
    "method_lzma": (b"m", HELLO, {"method": 14}, "refused", "method 14"),
    "method_zstandard": (b"m", HELLO, {"method": 93}, "refused", "method 93"),
    "method_aes": (b"m", HELLO, {"method": 99}, "refused", "method 99"),
    "other_name_inside": (b"n", HELLO, {"local_name": b"/etc/x"}, "refused", "disagree"),
    "other_size_inside": (b"n", HELLO, {"local_size": 5}, "refused", "disagree"),
    "larger_than_it_says": (b"n", HELLO * 99, {"claimed_size": 9}, "refused", "9 bytes it claims"),
    "smaller_than_it_says": (b"n", HELLO, {"claimed_size": 10**6}, "refused", "does not unpack"),
    "claims_four_gigabytes": (b"n", HELLO, {"claimed_size": 0xFFFFFFFE}, "refused", "'n'"),
    "wrong_checksum": (b"n", HELLO, {"crc": 7}, "refused", "'n': its checksum does not fit"),
    "no_deflate_data": (b"n", HELLO, {"packed": b"\xff" * 20}, "refused", "'n': it is damaged"),
    "deflate_cut": (b"n", HELLO, {"packed": deflate(HELLO)[:-2]}, "refused", "truncated"),
    "deflate_with_a_tail": (
        b"n",
        HELLO,
        {"packed": deflate(HELLO) + SECRET},
        "refused",
        "other data follows its content",
    ),
    "header_elsewhere": (b"n", HELLO, {"offset": 5}, "refused", "no header where"),
    "header_past_the_end": (b"n", HELLO, {"offset": 0xFFFFFFF0}, "refused", "truncated"),
    "header_of_another": (b"n", HELLO, {"offset": 0}, "refused", "disagree"),
    "zip64_size_missing": (b"n", HELLO, {"claimed_size": 0xFFFFFFFF}, "refused", "zip64"),
    "zip64_size_huge": (
        b"n",
        HELLO,
        {"claimed_size": 0xFFFFFFFF, "extra": extra(1, b"\xff" * 8)},
        "refused",
        "'n'",
    ),
    "zip64_size_true": (
        b"n",
        HELLO,
        {"claimed_size": 0xFFFFFFFF, "extra": extra(1, struct.pack("<Q", len(HELLO)))},
        "taken",
        "n",
    ),
    "unicode_path_climbs": (
        b"\x80",
        HELLO,
        {"host": DOS, "extra": unicode_path(b"\x80", b"../x")},
        "refused",
        "'../x'",
    ),
    "unicode_path_of_another_name": (
        b"n",
        HELLO,
        {"extra": unicode_path(b"other", b"../x")},
        "taken",
        "n",
    ),
    "unicode_path_is_a_duplicate": (
        b"\x80",
        HELLO,
        {"host": DOS, "extra": unicode_path(b"\x80", b"report.md")},
        "refused",
        "twice",
    ),
    "extra_field_cut": (b"n", HELLO, {"extra": b"\x01\x00\xff\xff"}, "taken", "n"),
    "name_twice": (b"report.md", HELLO, {}, "refused", "'report.md': the archive holds"),
    "name_twice_by_a_dot": (b"./report.md", HELLO, {}, "refused", "twice"),
    "names_that_differ_in_case": (b"Report.md", HELLO, {}, "taken", "Report.md"),
}


def with_member(parts: Member, ground: Ground, name: str) -> Path:
    member, content, options, *_ = parts
    return ground.archive(f"{name}.zip", good_zip().add(member, content, **options).build())


for _name, _parts in MEMBERS.items():
    add(f"zip_{_name}", _parts[3], _parts[4], partial(with_member, _parts))


def written_as_a_pipe(descriptor: Callable[[int, int, int], bytes]) -> bytes:
    """Return a zip with one member more, whose sizes stand only behind its content."""
    archive = good_zip()
    before = len(archive.body)
    archive.add(b"piped.txt", HELLO, flags=8)
    local = struct.pack("<3L", 0, 0, 0)
    body = archive.body
    body = body[: before + 14] + local + body[before + 26 :]
    archive.body = body + descriptor(zlib.crc32(HELLO), len(deflate(HELLO)), len(HELLO))
    return archive.build()


def end_record(archive: bytes) -> bytes:
    return archive[-22:]


GOOD_ZIP: Final = good_zip().build()
ONLY_HIDDEN: Final = Zip().add(b"hidden.md", HELLO)
WHOLE: Final[dict[str, tuple[bytes, Outcome, str]]] = {
    "descriptor": (
        written_as_a_pipe(lambda *numbers: struct.pack("<4s3L", b"PK\7\x08", *numbers)),
        "taken",
        "piped.txt",
    ),
    "descriptor_lies": (
        written_as_a_pipe(lambda crc, packed, _: struct.pack("<4s3L", b"PK\7\x08", crc, packed, 7)),
        "refused",
        "'piped.txt'",
    ),
    "descriptor_missing": (written_as_a_pipe(lambda *_: b""), "taken", "piped.txt"),
    "descriptor_too_long": (written_as_a_pipe(lambda *_: bytes(99)), "refused", "'piped.txt'"),
    "something_before": (b"#!/bin/sh\n" + GOOD_ZIP, "refused", ""),
    "magic_before": (b"PK\3\4" + GOOD_ZIP, "refused", "other data"),
    "something_behind": (GOOD_ZIP + b"x", "refused", "other data follows"),
    "end_twice": (GOOD_ZIP + end_record(GOOD_ZIP), "refused", ""),
    "end_of_another_in_the_comment": (
        good_zip().build(comment=ONLY_HIDDEN.build()),
        "refused",
        "two ends",
    ),
    "end_without_directory_in_the_comment": (
        good_zip().build(comment=b"PK\5\6" + bytes(18)),
        "refused",
        "two ends",
    ),
    "comment_of_64_kilobytes": (good_zip().build(comment=b"c" * 65_535), "taken", "report.md"),
    "comment_cut": (good_zip().build(comment=b"cccc")[:-1], "refused", "truncated"),
    "directory_past_the_end": (
        GOOD_ZIP[:-10] + struct.pack("<L", 0x7FFFFFFF) + GOOD_ZIP[-6:],
        "refused",
        "damaged",
    ),
    "directory_of_nothing": (
        GOOD_ZIP[:-14] + bytes(8) + GOOD_ZIP[-6:],
        "refused",
        "the zip archive",
    ),
    "count_too_small": (good_zip().build(count=1), "refused", "claims 1 members and lists 3"),
    "count_too_large": (good_zip().build(count=4), "refused", "claims 4 members and lists 3"),
    "cut_in_the_directory": (GOOD_ZIP[:-60], "refused", "truncated"),
    "cut_in_content": (GOOD_ZIP[:50], "refused", "truncated"),
    "no_end": (GOOD_ZIP[:-22], "refused", "truncated"),
    "only_an_end": (GOOD_ZIP[-22:], "refused", ""),
    "spanned_marker": (b"PK\x07\x08" + GOOD_ZIP, "refused", "neither a zip nor a tar"),
    "tar_inside": (gzipped(GOOD_ZIP), "refused", "neither a zip nor a tar"),
}


def whole(data: bytes, ground: Ground, name: str) -> Path:
    return ground.archive(f"{name}.zip", data)


for _name, (_data, _outcome, _says) in WHOLE.items():
    add(f"zip_{_name}", _outcome, _says, partial(whole, _data))


@case("refused", "the directory does not know")
def zip_member_the_directory_does_not_know(ground: Ground, name: str) -> Path:
    archive = good_zip()
    archive.body += ONLY_HIDDEN.body
    return ground.archive(f"{name}.zip", archive.build())


@case("refused", "it shares bytes with another member")
def zip_bomb_of_shared_bytes(ground: Ground, name: str) -> Path:
    archive = good_zip().add(b"kernel", bytes(1 << 20))
    kernel = archive.offsets[-1]
    for _ in range(200):
        archive.add(b"kernel", bytes(1 << 20), offset=kernel)
    return ground.archive(f"{name}.zip", archive.build())


@case("refused", "it shares bytes with another member")
def zip_bomb_of_quoted_headers(ground: Ground, name: str) -> Path:
    """Each member stores the header of the next, and all share the last one's content."""
    kernel = Zip().add(b"z", bytes(1 << 20))
    body = kernel.body
    archive = Zip()
    for number in reversed(range(20)):
        quoting = Zip().add(b"q%02d" % number, body, method=0)
        archive.directory = quoting.directory + archive.directory
        body = quoting.body
    archive.body, archive.count = body, 20
    entries = [archive.directory[at : at + 49] for at in range(0, len(archive.directory), 49)]
    offsets = [33 * number for number in range(20)]
    moved = [
        entry[:42] + struct.pack("<L", at) + entry[46:]
        for entry, at in zip(entries, offsets, strict=True)
    ]
    archive.directory = b"".join(moved)
    return ground.archive(f"{name}.zip", archive.build())


@case("taken", "big.bin")
def zip_ratio_just_below_where_it_counts(ground: Ground, name: str) -> Path:
    content = bytes(RATIO_EXEMPT_BYTES - 4096)
    return ground.archive(f"{name}.zip", good_zip().add(b"big.bin", content).build())


@case("refused", "'big.bin': the archive unpacks to more than 200 times its size")
def zip_ratio_just_above(ground: Ground, name: str) -> Path:
    content = bytes(RATIO_EXEMPT_BYTES + 4096)
    return ground.archive(f"{name}.zip", good_zip().add(b"big.bin", content).build())


@case("taken", "weight.bin")
def zip_ratio_made_good_by_weight(ground: Ground, name: str) -> Path:
    archive = good_zip().add(b"big.bin", bytes(RATIO_EXEMPT_BYTES))
    archive.add(b"weight.bin", random.Random(1).randbytes(60_000))
    return ground.archive(f"{name}.zip", archive.build())


@case("refused", "the archive has too many members")
def zip_of_too_many_members(ground: Ground, name: str) -> Path:
    archive = good_zip()
    entries = [archive.directory]
    for number in range(20_010):
        archive.directory = b""
        archive.add(b"f/%d" % number, method=0, offset=0)
        entries.append(archive.directory)
    archive.directory = b"".join(entries)
    return ground.archive(f"{name}.zip", archive.build(count=(archive.count & 0xFFFF)))


@case("refused", "--max-members")
def zip_directory_of_endless_names(ground: Ground, name: str) -> Path:
    long_name = b"n" * 65_000
    entry = Zip().add(long_name, offset=0).directory
    archive = Zip(directory=entry * 1_000, count=1_000)
    archive.body = Zip().add(long_name).body
    return ground.archive(f"{name}.zip", archive.build())
