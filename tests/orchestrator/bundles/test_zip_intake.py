"""Zip archives: what is taken and what is refused."""

import io
import stat
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from judge_bundles.limits import RATIO_EXEMPT_BYTES
from tests.orchestrator.bundles.archives import DOS, UNIX, Unseekable, Zip, deflate, gzipped, write
from tests.orchestrator.bundles.intake import contents, refusal_of, skipped, take_bundle


def good() -> Zip:
    return Zip().add(b"report.md", b"# Report\n")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("streamed", [False, True])
def test_an_ordinary_archive_is_taken(
    tmp_path: Path, workspace: Path, method: int, *, streamed: bool
) -> None:
    sink: io.BytesIO | Unseekable = Unseekable() if streamed else io.BytesIO()
    with zipfile.ZipFile(sink, "w", method) as archive:
        archive.writestr("run-7/report.md", b"a" * 100_000)
        archive.writestr("run-7/", b"")
        archive.writestr("run-7/empty.txt", b"")
        archive.comment = b"made by a test"
    data = bytes(sink.written) if isinstance(sink, Unseekable) else sink.getvalue()
    snapshot = take_bundle(write(tmp_path / "a.zip", data), workspace)
    assert contents(snapshot) == {"run-7/empty.txt": b"", "run-7/report.md": b"a" * 100_000}


@pytest.mark.parametrize("streamed", [False, True])
def test_a_zip64_archive_is_taken(tmp_path: Path, workspace: Path, *, streamed: bool) -> None:
    sink: io.BytesIO | Unseekable = Unseekable() if streamed else io.BytesIO()
    with (
        zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("big.log", "w", force_zip64=True) as member,
    ):
        member.write(b"x" * 1000)
    data = bytes(sink.written) if isinstance(sink, Unseekable) else sink.getvalue()
    assert contents(take_bundle(write(tmp_path / "a.zip", data), workspace)) == {
        "big.log": b"x" * 1000
    }


def zip64(archive: Zip, *, count: int = -1, directory_size: int = -1, at: int = -1) -> bytes:
    """Return the archive with a zip64 end whose fields a test may falsify."""
    size = len(archive.directory) if directory_size < 0 else directory_size
    number = archive.count if count < 0 else count
    position = len(archive.body) + len(archive.directory)
    end64 = struct.pack(
        "<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, number, number, size, len(archive.body)
    )
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, position if at < 0 else at, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return archive.body + archive.directory + end64 + locator + end


def test_a_zip64_end_and_sizes_are_read(tmp_path: Path, workspace: Path) -> None:
    archive = good()
    extra = struct.pack("<2H2Q", 1, 16, 5, len(deflate(b"hello")))
    archive.add(b"wide.txt", b"hello", extra=extra)
    entry = archive.directory.rindex(b"PK\1\2")
    head = archive.directory[: entry + 20] + b"\xff" * 8 + archive.directory[entry + 28 :]
    archive.directory = head
    assert contents(take_bundle(write(tmp_path / "a.zip", zip64(archive)), workspace)) == {
        "report.md": b"# Report\n",
        "wide.txt": b"hello",
    }
    archive.directory = head.replace(extra, b"\7" + extra[1:])
    message = refusal_of(write(tmp_path / "b.zip", zip64(archive)), workspace)
    assert "zip64 header is missing" in message


@pytest.mark.parametrize(
    ("name", "flags", "host", "path"),
    [
        ("証拠.txt".encode(), 0x800, UNIX, "証拠.txt"),
        ("証拠.txt".encode(), 0, UNIX, "証拠.txt"),
        (b"bad\xff\xfe.md", 0, UNIX, "bad\udcff\udcfe.md"),
        (b"caf\x82.txt", 0, DOS, "café.txt"),
        (b"new\nline", 0, UNIX, "new\nline"),
        (b"-rf", 0, UNIX, "-rf"),
        (b"a:b", 0, UNIX, "a:b"),
    ],
)
def test_names_are_utf8_where_they_say_so_else_linux_bytes_or_code_page_437(
    tmp_path: Path, workspace: Path, name: bytes, flags: int, host: int, path: str
) -> None:
    archive = Zip().add(name, b"x", flags=flags, host=host).build()
    assert list(contents(take_bundle(write(tmp_path / "a.zip", archive), workspace))) == [path]


@pytest.mark.parametrize(
    ("bits", "kind"),
    [
        (stat.S_IFLNK, "symlink"),
        (stat.S_IFIFO, "fifo"),
        (stat.S_IFSOCK, "socket"),
        (stat.S_IFCHR, "device"),
        (stat.S_IFBLK, "device"),
        (0o150000, "other"),
    ],
)
def test_links_and_special_files_are_listed_and_not_made(
    tmp_path: Path, workspace: Path, bits: int, kind: str
) -> None:
    archive = good().add(b"x.json", b"/etc/passwd", attributes=(bits | 0o777) << 16)
    snapshot = take_bundle(write(tmp_path / "a.zip", archive.build()), workspace)
    assert skipped(snapshot) == {"x.json": kind}
    assert [path.name for path in snapshot.tree.root.iterdir()] == ["report.md"]


def test_names_that_differ_in_case_or_normal_form_are_kept_apart(
    tmp_path: Path, workspace: Path
) -> None:
    names = ["Report.md", "report.md", "caf\u00e9", "cafe\u0301"]
    archive = Zip()
    for name in names:
        archive.add(name.encode(), name.encode())
    snapshot = take_bundle(write(tmp_path / "a.zip", archive.build()), workspace)
    assert contents(snapshot) == {name: name.encode() for name in names}


def test_an_archive_in_an_archive_is_an_ordinary_file(tmp_path: Path, workspace: Path) -> None:
    inner = Zip().add(b"../../x", b"x").build()
    snapshot = take_bundle(
        write(tmp_path / "a.zip", good().add(b"inner.zip", inner).build()), workspace
    )
    assert contents(snapshot)["inner.zip"] == inner


def _overlapping() -> bytes:
    archive = good().add(b"kernel", bytes(50_000))
    return archive.add(b"kernel", bytes(50_000), offset=archive.offsets[-1]).build()


def _quoted() -> bytes:
    inner = Zip().add(b"b", bytes(1000), method=0)
    archive = Zip().add(b"a", inner.body, method=0)
    return archive.add(b"b", bytes(1000), method=0, offset=len(b"a") + 30).build()


def _two_ends() -> bytes:
    inner = Zip().add(b"hidden.md", b"x").build()
    return good().build(comment=inner)


def described(*, crc: int = 0, size: int = 5, form: str = "<4s3L", flags: int = 8) -> Zip:
    """An archive with a member of which header and directory leave the sizes to a descriptor."""
    magic = (b"PK\7\x08",) if "4s" in form else ()
    numbers = (zlib.crc32(b"hello") + crc, 5, size)
    descriptor = struct.pack(form, *magic, *numbers)
    return good().add(b"d", b"hello", method=0, flags=flags, descriptor=descriptor)


@pytest.mark.parametrize("form", ["<3L", "<4s3L", "<L2Q", "<4sL2Q"])
@pytest.mark.parametrize("is_last", [True, False])
def test_sizes_may_stand_behind_the_content_in_any_form(
    tmp_path: Path, workspace: Path, form: str, *, is_last: bool
) -> None:
    archive = described(form=form)
    if not is_last:
        archive.add(b"last", b"x")
    assert contents(take_bundle(write(tmp_path / "a.zip", archive.build()), workspace))["d"] == (
        b"hello"
    )


def _hidden(*, in_front: bool) -> bytes:
    """Return an archive with a member that only a program which reads from the front finds."""
    hidden = Zip().add(b"hidden.md", b"x").body
    if in_front:
        return Zip(body=hidden).add(b"report.md", b"x").build()
    archive = good()
    archive.body += hidden
    return archive.add(b"last", b"x").build()


def unicode_path(stored: bytes, name: bytes, version: int = 1) -> bytes:
    """Return the extra field with which Info-ZIP gives a member another name."""
    data = struct.pack("<BL", version, zlib.crc32(stored)) + name
    return struct.pack("<2H", 0x7075, len(data)) + data


@pytest.mark.parametrize(
    ("extra", "flags", "name"),
    [
        (unicode_path(b"d?j?", "déjà".encode()), 0, "déjà"),
        (unicode_path(b"d?j?", b"d?j?"), 0x800, "d?j?"),
        (unicode_path(b"other", b"../x"), 0, "d?j?"),
        (unicode_path(b"d?j?", b"../x", version=2), 0, "d?j?"),
        (unicode_path(b"d?j?", b"a") + unicode_path(b"d?j?", b"a"), 0, "a"),
        (struct.pack("<2H", 0x7075, 4) + b"1234", 0, "d?j?"),
        (struct.pack("<2H", 0x7075, 999) + b"1234", 0, "d?j?"),
    ],
)
def test_a_utf8_name_beside_the_stored_one_wins_if_it_was_made_for_it(
    tmp_path: Path, workspace: Path, extra: bytes, flags: int, name: str
) -> None:
    archive = good().add(b"d?j?", b"x", flags=flags, extra=extra)
    assert set(contents(take_bundle(write(tmp_path / "a.zip", archive.build()), workspace))) == {
        "report.md",
        name,
    }


DAMAGED: dict[str, tuple[bytes, str]] = {
    "utf8 name climbs": (
        good().add(b"x", b"x", extra=unicode_path(b"x", b"../x")).build(),
        "'..'",
    ),
    "utf8 name that is there": (
        good().add(b"x", b"x", extra=unicode_path(b"x", b"report.md")).build(),
        "twice",
    ),
    "utf8 name that is none": (
        good().add(b"x", b"x", extra=unicode_path(b"x", b"\xff")).build(),
        "UTF-8",
    ),
    "utf8 name beside another": (
        good().add(b"x", b"x", flags=0x800, extra=unicode_path(b"x", b"y")).build(),
        "two names",
    ),
    "two utf8 names": (
        good().add(b"x", b"x", extra=unicode_path(b"x", b"y") + unicode_path(b"x", b"z")).build(),
        "two names",
    ),
    "hidden between": (_hidden(in_front=False), "'report.md': something follows it"),
    "hidden in front": (_hidden(in_front=True), "begins with a member"),
    "descriptor with another checksum": (described(crc=1).build(), "'d': its descriptor"),
    "descriptor with another size": (described(size=6).build(), "'d': its descriptor"),
    "descriptor nobody announced": (described(flags=0).build(), "'d': something follows it"),
    "other method inside": (good().add(b"n", b"x", local_method=0).build(), "disagree"),
    "encrypted inside": (good().add(b"n", b"x", local_flags=1).build(), "disagree"),
    "climbs out": (good().add(b"../../x", b"x").build(), "'../../x'"),
    "absolute": (good().add(b"/tmp/x", b"x").build(), "absolute"),
    "drive": (good().add(b"C:/x", b"x").build(), "drive letter"),
    "backslash": (good().add(b"..\\x", b"x").build(), "backslash"),
    "NUL": (good().add(b"a\0b", b"x").build(), "NUL"),
    "empty component": (good().add(b"a//b", b"x").build(), "empty"),
    "no name": (good().add(b"", b"x").build(), "empty name"),
    "twice": (good().add(b"report.md", b"other").build(), "twice"),
    "file then folder": (good().add(b"report.md/x", b"").build(), "of kind file"),
    "through a link": (
        good().add(b"d", b"/", attributes=0o120777 << 16).add(b"d/x", b"x").build(),
        "of kind symlink",
    ),
    "encrypted": (good().add(b"e", b"x", flags=1).build(), "'e': it is encrypted"),
    "strongly encrypted": (good().add(b"e", b"x", flags=0x41).build(), "encrypted"),
    "unknown method": (good().add(b"m", b"x", method=99).build(), "method 99"),
    "patch": (good().add(b"m", b"x", flags=0x20).build(), "packed by"),
    "wrong checksum": (good().add(b"c", b"x", crc=1).build(), "'c': its checksum"),
    "not deflate": (good().add(b"d", b"x", packed=b"\xff" * 9).build(), "'d': it is damaged"),
    "deflate cut": (
        good().add(b"d", b"x" * 99, packed=deflate(b"x" * 99)[:-1]).build(),
        "truncated",
    ),
    "deflate and more": (
        good().add(b"d", b"x", packed=deflate(b"x") + b"more").build(),
        "other data follows",
    ),
    "larger than claimed": (
        good().add(b"s", b"x" * 99, claimed_size=9).build(),
        "does not unpack to the 9 bytes",
    ),
    "smaller than claimed": (good().add(b"s", b"x", claimed_size=9).build(), "does not unpack"),
    "stored smaller than claimed": (
        good().add(b"s", b"x", claimed_size=9, method=0).build(),
        "does not unpack",
    ),
    "other name inside": (good().add(b"n", b"x", local_name=b"../n").build(), "disagree"),
    "other size inside": (good().add(b"n", b"x", local_size=7).build(), "disagree"),
    "other name of other length": (good().add(b"n", b"x", local_name=b"nn").build(), "disagree"),
    "no header there": (good().add(b"n", b"x", offset=3).build(), "no header"),
    "header past the end": (good().add(b"n", b"x", offset=1 << 30).build(), "truncated"),
    "overlapping": (_overlapping(), "'kernel': it shares bytes"),
    "one quoted in another": (_quoted(), "shares bytes"),
    "folder with content": (good().add(b"d/", b"x").build(), "folder by its name"),
    "folder that is a link": (
        good().add(b"d/", attributes=0o120777 << 16).build(),
        "folder by its name",
    ),
    "name that is no UTF-8": (good().add(b"\xff", b"x", flags=0x800).build(), "UTF-8"),
    "something before": (good().build(prefix=b"PK\3\4"), "other data"),
    "something behind": (good().build(suffix=b"\n"), "other data follows"),
    "comment cut": (good().build(comment=b"hello")[:-1], "truncated"),
    "cut in the middle": (good().build()[:60], "truncated"),
    "two ends": (_two_ends(), "two ends"),
    "gzip behind": (good().build(suffix=gzipped(b"x")), "other data follows"),
    "claims more members": (good().build(count=2), "claims 2 members"),
    "claims fewer members": (good().add(b"x", b"").build(count=1), "claims 1 members"),
    "zip64 end elsewhere": (zip64(good(), at=0), "zip64 end"),
    "zip64 end far away": (zip64(good(), at=1 << 60), "zip64 end"),
    "zip64 count": (zip64(good(), count=2**60), "claims 1,152,921,504,606,846,976"),
    "zip64 directory": (zip64(good(), directory_size=1 << 60), "damaged"),
    "no members": (Zip().build(), "no files"),
    "only a folder": (Zip().add(b"d/").build(), "no files"),
    "only a magic": (b"PK\3\4", "truncated"),
}


@pytest.mark.parametrize(("archive", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_or_dangerous_archive_is_refused_as_a_whole(
    tmp_path: Path, workspace: Path, archive: bytes, reason: str
) -> None:
    assert reason in refusal_of(write(tmp_path / "run.zip", archive), workspace)


def test_what_follows_deflate_data_is_not_read_piece_by_piece(
    tmp_path: Path, workspace: Path
) -> None:
    tail = bytes(64 << 20)
    archive = write(tmp_path / "a.zip", good().add(b"d", b"x", packed=deflate(b"x") + tail).build())
    started = time.process_time()
    assert "'d': other data follows" in refusal_of(archive, workspace)
    assert time.process_time() - started < 2  # with zlib keeping all of it: fourteen seconds


def test_a_member_that_reaches_into_the_directory_is_refused(
    tmp_path: Path, workspace: Path
) -> None:
    archive = good().add(b"long", b"x" * 9, method=0)
    archive.body = archive.body[:-4]
    message = refusal_of(write(tmp_path / "a.zip", archive.build()), workspace)
    assert "'long': it reaches into the directory" in message


@pytest.mark.parametrize("field", ["disk", "first disk", "member disk", "locator disk"])
def test_one_part_of_several_is_refused(tmp_path: Path, workspace: Path, field: str) -> None:
    data = bytearray(zip64(good()) if field == "locator disk" else good().build())
    end = len(data) - 22
    directory = data.index(b"PK\1\2")
    places = {"disk": end + 4, "first disk": end + 6, "member disk": directory + 34}
    data[places.get(field, end - 16)] = 1
    assert "one part of several" in refusal_of(write(tmp_path / "a.zip", bytes(data)), workspace)


def test_two_ends_that_disagree_are_refused(tmp_path: Path, workspace: Path) -> None:
    data = bytearray(zip64(good()))
    data[-12:-10] = struct.pack("<H", 2)
    assert "disagree" in refusal_of(write(tmp_path / "a.zip", bytes(data)), workspace)


def test_the_ratio_counts_above_the_exempt_size(tmp_path: Path, workspace: Path) -> None:
    size = RATIO_EXEMPT_BYTES + (1 << 20)
    content = bytes(size)
    plain = len(Zip().add(b"big.log", content).build())
    ratio = next(ratio for ratio in range(size // plain, 0, -1) if size % ratio == 0)
    padding = size // ratio - plain
    archive = Zip().add(b"big.log", content).build(comment=bytes(padding))
    path = write(tmp_path / "a.zip", archive)
    assert take_bundle(path, workspace, max_ratio=ratio).tree.files[0].size == size
    message = refusal_of(path, workspace, max_ratio=ratio - 1)
    assert "'big.log'" in message
    assert "--max-ratio" in message


def test_a_directory_of_more_members_than_allowed_is_not_read_to_its_end(
    tmp_path: Path, workspace: Path
) -> None:
    archive = Zip()
    for number in range(5):
        archive.add(f"{number}".encode(), b"x")
    path = write(tmp_path / "a.zip", archive.build())
    assert len(take_bundle(path, workspace, max_members=5).tree.files) == 5
    assert "--max-members" in refusal_of(path, workspace, max_members=4)
    assert "too many members" in refusal_of(path, workspace, max_members=3)
