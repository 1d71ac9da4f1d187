"""Tar archives, packed and not: what is taken and what is refused."""

import gzip
import io
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_bundles.limits import (
    ARCHIVE_OVERHEAD_BYTES,
    MAX_TAR_HEADER_BYTES,
    MEMBER_OVERHEAD_BYTES,
    RATIO_EXEMPT_BYTES,
)
from tests.orchestrator.bundles.archives import (
    gzipped,
    pax_header,
    pax_record,
    tar,
    tar_member,
    with_checksum,
    write,
)
from tests.orchestrator.bundles.intake import contents, refusal_of, skipped, take_bundle

GOOD = tar_member(b"report.md", b"# Report\n")
TYPES: dict[bytes, str] = {
    tarfile.SYMTYPE: "symlink",
    tarfile.LNKTYPE: "hardlink",
    tarfile.FIFOTYPE: "fifo",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
}


@pytest.mark.parametrize("pack", [bytes, gzipped], ids=["plain", "gzip"])
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_an_ordinary_archive_is_taken_whatever_its_form(
    tmp_path: Path, workspace: Path, pack: Callable[[bytes], bytes], form: int
) -> None:
    buffer = io.BytesIO()
    long_name = f"{'d' * 90}/{'f' * 90}.txt"
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, content in (("./out/a.md", b"a" * 1000), (long_name, b"b"), ("empty", b"")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        folder = tarfile.TarInfo("./out")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    snapshot = take_bundle(write(tmp_path / "run.tar", pack(buffer.getvalue())), workspace)
    assert contents(snapshot) == {"out/a.md": b"a" * 1000, long_name: b"b", "empty": b""}
    assert snapshot.tree.skipped == ()


def test_very_long_names_come_through_gnu_and_pax_headers(tmp_path: Path, workspace: Path) -> None:
    long_name = b"/".join([b"x" * 200] * 4)
    gnu = tar_member(long_name, b"g")
    pax = pax_header(pax_record(b"path", long_name + b"2")) + tar_member(b"short", b"p")
    snapshot = take_bundle(write(tmp_path / "a.tar", tar(gnu, pax)), workspace)
    assert sorted(contents(snapshot).values()) == [b"g", b"p"]
    assert max(len(file.path) for file in snapshot.tree.files) == len(long_name) + 1


def test_a_pax_size_wins_over_the_size_in_the_block(tmp_path: Path, workspace: Path) -> None:
    member = pax_header(pax_record(b"size", b"5")) + tar_member(b"a", b"12345", size=0)
    assert contents(take_bundle(write(tmp_path / "a.tar", tar(member)), workspace)) == {
        "a": b"12345"
    }


def test_times_of_old_gnu_headers_are_not_taken_for_a_name(tmp_path: Path, workspace: Path) -> None:
    header = GOOD[:345] + b"14345670123\0" + GOOD[357:512]
    archive = tar(with_checksum(header) + GOOD[512:])
    assert list(contents(take_bundle(write(tmp_path / "a.tar", archive), workspace))) == [
        "report.md"
    ]


def test_a_folder_of_the_oldest_format_is_a_folder(tmp_path: Path, workspace: Path) -> None:
    member = tar_member(b"old/", kind=tarfile.AREGTYPE)
    snapshot = take_bundle(write(tmp_path / "a.tar", tar(member, GOOD)), workspace)
    assert snapshot.manifest.folders == (b"old",)


@pytest.mark.parametrize(("kind", "name"), TYPES.items())
def test_links_and_special_files_are_listed_and_not_made(
    tmp_path: Path, workspace: Path, kind: bytes, name: str
) -> None:
    member = tar_member(b"x.json", kind=kind, link="/etc/passwd")
    snapshot = take_bundle(write(tmp_path / "a.tar", tar(GOOD, member)), workspace)
    assert skipped(snapshot) == {"x.json": name}
    assert [path.name for path in snapshot.tree.root.iterdir()] == ["report.md"]


def test_clutter_is_no_member_but_its_names_are_checked(tmp_path: Path, workspace: Path) -> None:
    clutter = [tar_member(name, b"x") for name in (b"__MACOSX/a", b"b/._c", b"b/.DS_Store")]
    snapshot = take_bundle(write(tmp_path / "a.tar", tar(GOOD, *clutter)), workspace)
    assert list(contents(snapshot)) == ["report.md"]
    assert snapshot.manifest.folders == ()
    bad = tar(GOOD, tar_member(b"__MACOSX/../../x", b"x"))
    assert "'..'" in refusal_of(write(tmp_path / "b.tar", bad), workspace)


@pytest.mark.parametrize("mode", [0, 0o4777, 0o7777, 0o2000])
def test_owners_and_modes_of_headers_stay_behind(
    tmp_path: Path, workspace: Path, mode: int
) -> None:
    archive = tar(GOOD, tar_member(b"run.sh", b"x", mode=mode, owner=1 << 54))
    snapshot = take_bundle(write(tmp_path / "a.tar", archive), workspace)
    status = (snapshot.tree.root / "run.sh").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_uid) == (0o444, os.geteuid())


def test_a_global_header_with_a_comment_is_fine(tmp_path: Path, workspace: Path) -> None:
    comment = pax_header(pax_record(b"comment", b"0123456789abcdef"), tarfile.XGLTYPE)
    snapshot = take_bundle(write(tmp_path / "a.tar", tar(comment, GOOD)), workspace)
    assert list(contents(snapshot)) == ["report.md"]


SPARSE = pax_record(b"GNU.sparse.major", b"1") + pax_record(b"GNU.sparse.name", b"s")
DAMAGED: dict[str, tuple[bytes, str]] = {
    "climbs out": (tar(GOOD, tar_member(b"../x", b"x")), "'../x'"),
    "absolute": (tar(GOOD, tar_member(b"/tmp/x", b"x")), "absolute"),
    "same name twice": (tar(GOOD, GOOD), "twice"),
    "same name spelled differently": (tar(GOOD, tar_member(b"./report.md", b"x")), "twice"),
    "file then folder": (tar(GOOD, tar_member(b"report.md/x", b"")), "of kind file"),
    "through a link": (
        tar(GOOD, tar_member(b"d", kind=tarfile.SYMTYPE, link="/"), tar_member(b"d/x", b"x")),
        "of kind symlink",
    ),
    "link over a folder": (
        tar(tar_member(b"d/x", b"x"), tar_member(b"d", kind=tarfile.SYMTYPE, link="/")),
        "twice",
    ),
    "link with content": (tar(GOOD, tar_member(b"l", b"x", kind=tarfile.LNKTYPE)), "content"),
    "folder with content": (tar(GOOD, tar_member(b"l", b"x", kind=tarfile.DIRTYPE)), "content"),
    "unknown type": (tar(GOOD, tar_member(b"m", kind=b"M")), "type 'M'"),
    "negative size": (tar(GOOD, tar_member(b"n", size=-1024)), "negative size"),
    "no end mark": (tar(GOOD, end=b""), "truncated"),
    "half a header": (tar(GOOD, GOOD[:300], end=b""), "truncated"),
    "half a content": (tar(GOOD, tar_member(b"h", b"x" * 600)[:700], end=b""), "truncated"),
    "no padding": (tar(GOOD, tar_member(b"h", b"x")[:513], end=b""), "truncated"),
    "more than there is": (tar(GOOD, tar_member(b"h", b"x", size=1 << 20)), "truncated"),
    "bad checksum": (tar(GOOD, b"y" + GOOD[1:]), "no tar header"),
    "something behind": (tar(GOOD) + GOOD, "follows the end"),
    "no archive": (b"hello" * 1000, "neither a zip nor a tar"),
    "gzip of something else": (gzipped(b"hello" * 1000), "neither a zip nor a tar"),
    "gzip of nothing": (gzipped(b""), "truncated"),
    "truncated gzip": (gzipped(tar(GOOD))[:-9], "truncated"),
    "gzip with a wrong checksum": (gzipped(tar(GOOD))[:-8] + bytes(8), "damaged"),
    "something behind the gzip": (gzipped(tar(GOOD)) + b"PK\3\4", "follows the gzip data"),
    "zip behind a gzip": (gzipped(tar(GOOD)) + bytes(4) + b"PK", "follows the gzip data"),
    "old sparse file": (tar(GOOD, tar_member(b"s", kind=tarfile.GNUTYPE_SPARSE)), "sparse"),
    "pax sparse file": (tar(GOOD, pax_header(SPARSE), tar_member(b"s", b"")), "sparse"),
    "pax path out": (
        tar(GOOD, pax_header(pax_record(b"path", b"a/../../x")), tar_member(b"s", b"")),
        "'..'",
    ),
    "pax path with NUL": (
        tar(GOOD, pax_header(pax_record(b"path", b"a\0b")), tar_member(b"s", b"")),
        "NUL",
    ),
    "two pax paths": (
        tar(pax_header(pax_record(b"path", b"a") + pax_record(b"path", b"b")), GOOD),
        "two names",
    ),
    "pax size no number": (tar(pax_header(pax_record(b"size", b"-5")), GOOD), "no number"),
    "pax size of many digits": (
        tar(pax_header(pax_record(b"size", b"9" * 5000)), GOOD),
        "no number",
    ),
    "pax record too long": (tar(pax_header(b"99 path=a\n"), GOOD), "pax header is damaged"),
    "pax record too short": (tar(pax_header(b"2 path=a\n"), GOOD), "pax header is damaged"),
    "pax record without equals": (tar(pax_header(b"5 abc\n"), GOOD), "pax header is damaged"),
    "pax digits without end": (tar(pax_header(b"1" * 5000), GOOD), "pax header is damaged"),
    "global pax path": (
        tar(pax_header(pax_record(b"path", b"a"), tarfile.XGLTYPE), GOOD),
        "global",
    ),
    "header of nobody": (tar(GOOD, pax_header(pax_record(b"path", b"a"))), "extended header"),
    "cut in its pax header": (
        tar(pax_header(pax_record(b"path", b"a" * 600))[:1000], end=b""),
        "truncated",
    ),
    "deep": (
        tar(GOOD, pax_header(pax_record(b"path", b"a/" * 5000 + b"f")), tar_member(b"s", b"")),
        "--max-path-bytes",
    ),
    "only folders": (tar(tar_member(b"d", kind=tarfile.DIRTYPE)), "no files"),
    "only links": (tar(tar_member(b"d", kind=tarfile.SYMTYPE, link="x")), "no files"),
    "only an end mark": (tar(), "no files"),
    "nothing": (b"", "0 bytes"),
}


@pytest.mark.parametrize(("archive", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_or_dangerous_archive_is_refused_as_a_whole(
    tmp_path: Path, workspace: Path, archive: bytes, reason: str
) -> None:
    assert reason in refusal_of(write(tmp_path / "run.tar.gz", archive), workspace)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_an_extended_header_is_bounded(tmp_path: Path, workspace: Path, kind: bytes) -> None:
    def refused(size: int) -> str:
        header = tar_member(b"h", b"9" * size, kind=kind)
        return refusal_of(write(tmp_path / "a.tar", tar(header, GOOD)), workspace)

    assert "its extended header claims" in refused(MAX_TAR_HEADER_BYTES + 1)
    assert "its extended header claims" not in refused(MAX_TAR_HEADER_BYTES)


def test_a_header_that_claims_to_be_huge_is_not_read(tmp_path: Path, workspace: Path) -> None:
    archive = tar_member(b"h", size=8 << 30, kind=tarfile.XHDTYPE) + GOOD
    assert "claims 8,589,934,592" in refusal_of(write(tmp_path / "a.tar", archive), workspace)


def test_the_end_mark_may_be_one_block_and_padding_any_length(
    tmp_path: Path, workspace: Path
) -> None:
    for padding in (512, 513, 10_240):
        archive = write(tmp_path / "a.tar", tar(GOOD, end=bytes(padding)))
        assert list(contents(take_bundle(archive, workspace))) == ["report.md"]


def test_a_gzip_of_several_streams_and_with_padding_is_one_file(
    tmp_path: Path, workspace: Path
) -> None:
    whole = tar(GOOD)
    packed = b"".join(gzipped(whole[start : start + 100]) for start in range(0, len(whole), 100))
    archive = write(tmp_path / "a.tgz", packed + gzipped(b"") + bytes(700))
    assert contents(take_bundle(archive, workspace)) == {"report.md": b"# Report\n"}


def test_the_ratio_counts_above_the_exempt_size_and_exactly_at_it_is_taken(
    tmp_path: Path, workspace: Path
) -> None:
    size = RATIO_EXEMPT_BYTES + (1 << 20)
    unpacked = tar(tar_member(b"big.log", bytes(size)))
    packed = gzip.compress(unpacked, 9, mtime=0)
    most = len(unpacked) // len(packed)
    ratio = next(ratio for ratio in range(most, 0, -1) if len(unpacked) % ratio == 0)
    archive = write(tmp_path / "a.tgz", packed.ljust(len(unpacked) // ratio, b"\0"))
    assert take_bundle(archive, workspace, max_ratio=ratio).tree.files[0].size == size
    message = refusal_of(archive, workspace, max_ratio=ratio - 1)
    assert "'big.log'" in message
    assert "--max-ratio" in message


def test_below_the_exempt_size_no_ratio_is_too_high(tmp_path: Path, workspace: Path) -> None:
    member = tar_member(b"big.log", bytes(RATIO_EXEMPT_BYTES - 4096))
    archive = write(tmp_path / "a.tgz", gzipped(tar(member)))
    assert len(take_bundle(archive, workspace, max_ratio=1).tree.files) == 1


def test_an_archive_that_itself_is_too_large_is_not_opened(tmp_path: Path, workspace: Path) -> None:
    limits = {"max_total_bytes": 1000, "max_members": 1}
    allowed = 1000 + MEMBER_OVERHEAD_BYTES + ARCHIVE_OVERHEAD_BYTES
    at_limit = write(tmp_path / "a.tar", tar(GOOD, end=bytes(allowed - len(GOOD))))
    assert take_bundle(at_limit, workspace, **limits).tree.files[0].path == "report.md"
    over = write(tmp_path / "b.tar", at_limit.read_bytes() + b"\0")
    assert "the archive itself has" in refusal_of(over, workspace, **limits)


def test_headers_without_end_inside_a_gzip_are_bounded(tmp_path: Path, workspace: Path) -> None:
    packed = gzip.compress(tar_member(b"L", b"x" * 1024, kind=tarfile.GNUTYPE_LONGLINK) * 4000)
    archive = write(tmp_path / "a.tgz", packed)
    message = refusal_of(archive, workspace, max_total_bytes=1000, max_members=1)
    assert "bytes of extended headers" in message
