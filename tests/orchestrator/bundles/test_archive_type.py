"""The content of an archive decides what it is; its name only makes it a candidate."""

import os
from pathlib import Path

import pytest

from judge_bundles.bundles.archive import archive_suffix
from tests.orchestrator.bundles.archives import Zip, gzipped, tar, tar_member, write
from tests.orchestrator.bundles.intake import contents, entry_at, refusal_of, take_bundle

GOOD_TAR = tar(tar_member(b"report.md", b"x"))
GOOD_ZIP = Zip().add(b"report.md", b"x").build()


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tgz"])
@pytest.mark.parametrize("data", [GOOD_TAR, gzipped(GOOD_TAR), GOOD_ZIP], ids=["tar", "gz", "zip"])
def test_an_archive_under_any_name_is_read_as_what_it_is(
    tmp_path: Path, workspace: Path, name: str, data: bytes
) -> None:
    assert contents(take_bundle(write(tmp_path / name, data), workspace)) == {"report.md": b"x"}


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7",
        b"\xfd7zXZ\x00",
        b"BZh91AY",
        b"7z\xbc\xaf\x27\x1c",
        bytes(100),
        b"P",
        b"\x1f\x8b",
    ],
)
def test_anything_else_is_refused(tmp_path: Path, workspace: Path, data: bytes) -> None:
    assert refusal_of(write(tmp_path / "a.zip", data), workspace)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.zip", ".zip"),
        ("a.tar.gz", ".tar.gz"),
        ("a.TGZ", ".TGZ"),
        ("a.tar", ".tar"),
        ("a.b.zip", ".zip"),
        ("a.docx", ""),
        ("a.gz", ""),
        ("a.tar.xz", ""),
        ("zip", ""),
        (".zip", ""),
        (".tar.gz", ""),
    ],
)
def test_four_endings_make_a_candidate(name: str, suffix: str) -> None:
    assert archive_suffix(name) == suffix


def test_an_archive_swapped_for_a_link_after_discovery_is_refused(
    tmp_path: Path, workspace: Path
) -> None:
    archive = write(tmp_path / "a.zip", GOOD_ZIP)
    assert entry_at(archive).kind == "archive"
    archive.rename(tmp_path / "b.zip")
    archive.symlink_to(tmp_path / "b.zip")
    assert "symbolic link" in refusal_of(archive, workspace)


def test_an_archive_swapped_for_a_pipe_does_not_block(tmp_path: Path, workspace: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")
    assert "no regular file" in refusal_of(tmp_path / "a.zip", workspace)
