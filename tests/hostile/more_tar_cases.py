"""Tar archives that lie about names, sizes, kinds and their own end."""

import bz2
import lzma
import random
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tests.hostile.more_cases import (
    GOOD,
    REPORT,
    SECRET,
    Ground,
    Outcome,
    add,
    case,
    good_members,
)
from tests.orchestrator.bundles.archives import (
    gzipped,
    pax_header,
    pax_record,
    tar,
    tar_member,
    with_checksum,
)

LINK, HARD_LINK, FOLDER = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
GNU_SPARSE: Final = b"".join(
    pax_record(b"GNU.sparse." + key, value)
    for key, value in ((b"major", b"1"), (b"minor", b"0"), (b"name", b"s"), (b"realsize", b"9" * 9))
)


def pax(**records: bytes) -> bytes:
    """Return an extended header with these records."""
    return pax_header(b"".join(pax_record(key.encode(), value) for key, value in records.items()))


def sized(name: bytes, field: bytes) -> bytes:
    """Return a header whose size field has these twelve bytes."""
    header = tar_member(name)
    return with_checksum(header[:124] + field + header[136:])


def link(name: bytes, target: str, kind: bytes = LINK) -> bytes:
    """Return a link."""
    return tar_member(name, kind=kind, link=target)


# What stands behind the good files. Members that are taken or skipped are named by their path.
BEHIND: Final[dict[str, tuple[bytes, Outcome, str]]] = {
    "pax_size_hides_a_member": (
        pax(size=b"512") + tar_member(b"a.txt", b"", size=0) + tar_member(b"../x"),
        "taken",
        "a.txt",
    ),
    "pax_size_zero_shows_a_member": (
        pax(size=b"0") + tar_member(b"a.txt", tar_member(b"../hidden", b"x")),
        "refused",
        "'../hidden'",
    ),
    "pax_size_twice": (
        pax_header(pax_record(b"size", b"0") + pax_record(b"size", b"3"))
        + tar_member(b"a", b"abc"),
        "refused",
        "two sizes",
    ),
    "pax_size_in_two_headers": (
        pax(size=b"0") + pax(size=b"3") + tar_member(b"a", b"abc"),
        "refused",
        "two sizes",
    ),
    "pax_size_huge": (pax(size=b"9" * 20) + tar_member(b"a"), "refused", "--max-file-bytes"),
    "pax_size_hexadecimal": (pax(size=b"0x10") + tar_member(b"a"), "refused", "no number"),
    "pax_size_with_underscore": (pax(size=b"1_0") + tar_member(b"a"), "refused", "no number"),
    "pax_size_empty": (pax(size=b"") + tar_member(b"a"), "refused", "no number"),
    "pax_size_of_a_link": (pax(size=b"512") + link(b"a", "b"), "refused", "claims content"),
    "pax_path_empty": (pax(path=b"") + tar_member(b"a"), "refused", "empty name"),
    "pax_path_absolute": (pax(path=b"/etc/x") + tar_member(b"a"), "refused", "absolute"),
    "pax_path_and_gnu_name": (
        pax(path=b"good")
        + tar_member(b"n", b"../x\0", kind=tarfile.GNUTYPE_LONGNAME)
        + tar_member(b"a"),
        "refused",
        "two names",
    ),
    "pax_path_of_newlines": (pax(path=b"a\nb=c\n") + tar_member(b"x"), "taken", "a\nb=c\n"),
    "pax_linkpath_out": (pax(linkpath=b"/etc/passwd") + link(b"l", "x"), "taken", "l"),
    "pax_global_size": (
        pax_header(pax_record(b"size", b"0"), tarfile.XGLTYPE) + tar_member(b"a"),
        "refused",
        "global pax header",
    ),
    "pax_global_sparse": (
        pax_header(GNU_SPARSE, tarfile.XGLTYPE) + tar_member(b"a"),
        "refused",
        "global pax header",
    ),
    "pax_sparse": (pax_header(GNU_SPARSE) + tar_member(b"s", b"1\n0\n9\n"), "refused", "sparse"),
    "gnu_sparse": (tar_member(b"s", b"x", kind=tarfile.GNUTYPE_SPARSE), "refused", "sparse"),
    "gnu_name_with_nul_inside": (
        tar_member(b"n", b"good\0/../../x\0", kind=tarfile.GNUTYPE_LONGNAME) + tar_member(b"a"),
        "refused",
        "NUL",
    ),
    "gnu_name_of_nothing": (
        tar_member(b"n", b"\0\0", kind=tarfile.GNUTYPE_LONGNAME) + tar_member(b"a"),
        "refused",
        "empty name",
    ),
    "multi_volume": (tar_member(b"m", kind=b"M"), "refused", "type 'M'"),
    "volume_label": (tar_member(b"v", kind=b"V"), "refused", "type 'V'"),
    "type_of_a_control_character": (tar_member(b"t", kind=b"\x1b"), "refused", "\\u001b"),
    "size_negative_base_256": (sized(b"a", b"\xff" * 12), "refused", "negative size"),
    "size_huge_base_256": (sized(b"a", b"\x80" + b"\x7f" * 11), "refused", "--max-file-bytes"),
    "size_no_octal": (sized(b"a", b"9" * 12), "refused", "no tar header follows it"),
    "size_past_the_end": (tar_member(b"a", size=1 << 25), "refused", "truncated"),
    "hard_link_to_a_later_member": (
        link(b"l", "later", HARD_LINK) + tar_member(b"later", b"x"),
        "taken",
        "l",
    ),
    "hard_link_with_content": (
        tar_member(b"l", b"x", kind=HARD_LINK, link="report.md"),
        "refused",
        "claims content",
    ),
    "link_chain": (link(b"a", "b") + link(b"b", "c") + link(b"c", "/"), "taken", "b"),
    "file_through_a_link_chain": (
        link(b"a", "b") + link(b"b", "/tmp") + tar_member(b"a/x", b"x"),
        "refused",
        "member 'a/x': its path leads through a member of kind symlink",
    ),
    "file_through_a_hard_link": (
        link(b"h", "/etc", HARD_LINK) + tar_member(b"h/x", b"x"),
        "refused",
        "kind hardlink",
    ),
    "file_through_a_fifo": (
        tar_member(b"f", kind=tarfile.FIFOTYPE) + tar_member(b"f/x", b"x"),
        "refused",
        "kind fifo",
    ),
    "file_over_a_link": (link(b"a", "/etc/passwd") + tar_member(b"a", b"x"), "refused", "twice"),
    "link_over_a_file": (tar_member(b"a", b"x") + link(b"a", "/etc/passwd"), "refused", "twice"),
    "link_spelled_as_folder": (link(b"a/", "/tmp") + tar_member(b"a/x"), "refused", "'a/'"),
    "file_where_a_folder_was": (
        tar_member(b"d", kind=FOLDER) + tar_member(b"d", b"x"),
        "refused",
        "twice",
    ),
    "folder_where_a_file_was": (
        tar_member(b"d", b"x") + tar_member(b"d", kind=FOLDER),
        "refused",
        "twice",
    ),
    "file_where_a_folder_is_implied": (
        tar_member(b"d/x") + tar_member(b"d", b"x"),
        "refused",
        "member 'd': the archive holds this name twice",
    ),
    "same_name_with_a_dot_in_front": (tar_member(b"./report.md"), "refused", "twice"),
    "same_name_with_a_slash_behind": (tar_member(b"report.md/"), "refused", "'report.md/'"),
    "same_name_with_a_slash_doubled": (tar_member(b"d//x"), "refused", "empty or '.' component"),
    "same_name_with_a_dot_inside": (tar_member(b"d/./x"), "refused", "empty or '.' component"),
    "dot_dot_that_stays_inside": (tar_member(b"d/../x"), "refused", "'..'"),
    "dot_dot_of_a_folder": (tar_member(b"..", kind=FOLDER), "refused", "'..'"),
    "names_that_differ_in_case": (tar_member(b"REPORT.MD", b"x"), "taken", "REPORT.MD"),
    "names_of_dots_and_spaces": (tar_member(b"... /..x/ ", b"x"), "taken", "... /..x/ "),
    "folder_named_twice": (tar_member(b"d", kind=FOLDER) * 2 + tar_member(b"d/x"), "taken", "d/x"),
    "setuid_and_no_rights": (
        with_checksum(
            b"s" + tar_member(b"s", b"x")[1:100] + b"0007777\0" + tar_member(b"s", b"x")[108:512]
        )
        + tar_member(b"s", b"x")[512:],
        "taken",
        "s",
    ),
    "name_of_no_script": (
        tar_member(b"\xff\xfe\x1b[2J\n::error::x\xe2\x80\xae", b"x"),
        "taken",
        "",
    ),
    "path_of_no_break_spaces": (tar_member("../\u00a0\u3000\u2028x".encode()), "refused", "'..'"),
}


def behind(data: bytes, pack: Callable[[bytes], bytes], ground: Ground, name: str) -> Path:
    return ground.archive(f"{name}.tar.gz", pack(good_members() + data + bytes(1024)))


for _name, (_data, _outcome, _says) in BEHIND.items():
    add(f"tar_{_name}", _outcome, _says, partial(behind, _data, gzipped))


# Whole archives, and what is no archive at all.
PLAIN: Final = tar(good_members())
WHOLE: Final[dict[str, tuple[bytes, Outcome, str]]] = {
    "cut_in_a_header": (PLAIN[: 1024 + 100], "refused", "middle of a header"),
    "cut_after_a_header": (PLAIN[: 1024 + 512], "refused", "truncated"),
    "cut_in_content": (PLAIN[: 512 + 10], "refused", "'report.md': the archive ends inside it"),
    "cut_in_padding": (PLAIN[: 512 + len(REPORT) + 3], "refused", "truncated"),
    "cut_before_the_end_mark": (PLAIN[:-1024], "refused", "no end mark"),
    "cut_in_an_extended_header": (pax(path=b"a" * 600)[:700], "refused", "truncated"),
    "ended_by_one_block": (PLAIN[:-512], "taken", "report.md"),
    "two_archives_in_a_row": (PLAIN * 2, "refused", "follows the end"),
    "two_archives_in_two_streams": (gzipped(PLAIN) * 2, "refused", "follows the end"),
    "one_archive_in_two_streams": (
        gzipped(PLAIN[:700]) + gzipped(PLAIN[700:]),
        "taken",
        "state.json",
    ),
    "garbage_behind": (PLAIN + b"x", "refused", "follows the end"),
    "garbage_behind_the_gzip": (gzipped(PLAIN) + b"x", "refused", "follows the gzip data"),
    "gzip_cut_in_its_checksum": (gzipped(PLAIN)[:-1], "refused", "truncated"),
    "gzip_with_a_wrong_length": (gzipped(PLAIN)[:-4] + b"\1\2\3\4", "refused", "damaged"),
    "gzip_in_gzip": (gzipped(gzipped(PLAIN)), "refused", "neither a zip nor a tar"),
    "gzip_header_that_never_ends": (
        b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 100_000,
        "refused",
        "truncated",
    ),
    "xz": (lzma.compress(PLAIN), "refused", "neither a zip nor a tar"),
    "bzip2": (bz2.compress(PLAIN), "refused", "neither a zip nor a tar"),
    "zstandard": (b"\x28\xb5\x2f\xfd" + random.Random(1).randbytes(900), "refused", "neither"),
    "plain_text": (SECRET * 100, "refused", "neither a zip nor a tar"),
    "one_byte": (b"\x1f", "refused", "neither a zip nor a tar"),
    "two_bytes": (b"\x1f\x8b", "refused", "truncated"),
    "only_zeros": (bytes(10_240), "refused", "no files"),
}


def whole(data: bytes, ground: Ground, name: str) -> Path:
    return ground.archive(f"{name}.tar", data)


for _name, (_data, _outcome, _says) in WHOLE.items():
    add(f"tar_{_name}", _outcome, _says, partial(whole, _data))


@case("refused", "--max-ratio")
def tar_bomb_of_many_streams(ground: Ground, name: str) -> Path:
    piece = gzipped(bytes(1 << 20))
    head = gzipped(good_members() + tar_member(b"big", size=40 << 20))
    return ground.archive(f"{name}.tgz", head + piece * 40 + gzipped(bytes(1024)))


@case("refused", "tiny streams")
def tar_of_empty_streams(ground: Ground, name: str) -> Path:
    return ground.archive(f"{name}.tgz", gzipped(b"") * 40_000 + gzipped(PLAIN))


@case("refused", "bytes of extended headers")
def tar_of_endless_headers(ground: Ground, name: str) -> Path:
    weight = tar_member(b"weight", random.Random(1).randbytes(1 << 20))
    headers = pax_header(pax_record(b"comment", bytes(1_000_000))) * 60
    return ground.archive(f"{name}.tgz", gzipped(weight + headers + PLAIN))


@case("taken", "report.md")
def tar_of_many_pax_attributes(ground: Ground, name: str) -> Path:
    attributes = b"".join(pax_record(b"SCHILY.xattr.user.%d" % n, b"x" * 50) for n in range(900))
    members = (pax_header(attributes) + tar_member(key.encode(), GOOD[key]) for key in GOOD)
    return ground.archive(f"{name}.tgz", gzipped(tar(*members)))
