"""Folders: what is copied, what is listed, what is refused."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from judge_bundles.bundles.removal import remove_tree
from judge_bundles.bundles.snapshot import remove, verify
from tests.orchestrator.bundles.intake import (
    contents,
    refusal_of,
    skipped,
    take_bundle,
    write_tree,
)
from tests.orchestrator.bundles.ordinary_user import as_ordinary_user

FILES = {"report.md": b"# Report\n", "evidence/log.txt": b"line\n", "evidence/deep/a.bin": b"\0\1"}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "run-1", FILES)


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return mode, size and modification time of everything in a folder."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def test_a_copy_holds_every_file_and_nobody_may_write_to_it(bundle: Path, workspace: Path) -> None:
    before = listing(bundle)
    snapshot = take_bundle(bundle, workspace)
    assert contents(snapshot) == FILES
    assert [file.path for file in snapshot.tree.files] == sorted(FILES)
    assert listing(bundle) == before
    root = snapshot.tree.root
    assert root.parent == workspace
    assert root.name.isalnum()
    assert root.name.isascii()
    assert stat.S_IMODE(root.stat().st_mode) == 0o555
    for path in root.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o555 if path.is_dir() else 0o444)


def test_odd_modes_and_setuid_bits_stay_behind(bundle: Path, workspace: Path) -> None:
    (bundle / "suid.sh").write_bytes(b"#!/bin/sh\n")
    (bundle / "suid.sh").chmod(0o6777)
    (bundle / "report.md").chmod(0o600)
    (bundle / "evidence").chmod(0o500)
    before = listing(bundle)
    snapshot = take_bundle(bundle, workspace)
    assert len(snapshot.tree.files) == 4
    assert listing(bundle) == before
    modes = {path.stat().st_mode & 0o7777 for path in snapshot.tree.root.rglob("*")}
    assert modes == {0o444, 0o555}


def test_links_and_special_files_are_listed_and_not_followed(
    bundle: Path, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (bundle / "a-link").symlink_to(tmp_path / "secret")
    (bundle / "a-loop").symlink_to(".")
    (bundle / "rootfs").symlink_to("/")
    os.mkfifo(bundle / "pipe.json")
    expected = {"a-link": "symlink", "a-loop": "symlink", "rootfs": "symlink", "pipe.json": "fifo"}
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.open(bundle, os.O_PATH)
        listener.bind(f"/proc/self/fd/{folder}/plug")
        os.close(folder)
    expected["plug"] = "socket"
    if os.geteuid() == 0:
        os.mknod(bundle / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        expected["zero"] = "device"
    snapshot = take_bundle(bundle, workspace)
    assert skipped(snapshot) == expected
    assert contents(snapshot) == FILES
    assert not any(path.is_symlink() for path in snapshot.tree.root.rglob("*"))


def test_hard_links_in_a_folder_are_ordinary_files(bundle: Path, workspace: Path) -> None:
    (bundle / "copy.md").hardlink_to(bundle / "report.md")
    snapshot = take_bundle(bundle, workspace)
    assert contents(snapshot)["copy.md"] == FILES["report.md"]
    assert (snapshot.tree.root / "copy.md").stat().st_nlink == 1


def test_clutter_is_no_member(bundle: Path, workspace: Path) -> None:
    write_tree(bundle / "__MACOSX", {"report.md": b"x"})
    for name in (".DS_Store", "Thumbs.db", "._report.md"):
        (bundle / "evidence" / name).write_bytes(b"x")
    (bundle / ".hidden").write_bytes(b"kept")
    assert contents(take_bundle(bundle, workspace)) == {**FILES, ".hidden": b"kept"}


def test_any_name_linux_allows_is_kept_byte_by_byte(bundle: Path, workspace: Path) -> None:
    names = [b"a:b", b"C:\\x", b"-rf", b"new\nline", b"\xff\xfe", b" ", b"..x", b"a" * 255]
    for name in names:
        (bundle / os.fsdecode(name)).write_bytes(name)
    taken = {
        os.fsencode(path): data for path, data in contents(take_bundle(bundle, workspace)).items()
    }
    assert {name: taken[name] for name in names} == {name: name for name in names}


@pytest.mark.parametrize("content", [{}, {"empty/": b""}])
def test_a_folder_without_files_is_refused(
    tmp_path: Path, workspace: Path, content: dict[str, bytes]
) -> None:
    folder = write_tree(tmp_path / "run-1", {})
    for name in content:
        (folder / name).mkdir()
    assert "no files" in refusal_of(folder, workspace)


def test_a_folder_that_became_a_link_is_refused(bundle: Path, workspace: Path) -> None:
    entry = bundle.rename(bundle.with_name("moved"))
    bundle.symlink_to(entry)
    assert refusal_of(bundle, workspace)
    assert refusal_of(bundle.with_name("missing"), workspace)


def test_a_huge_sparse_file_is_refused_before_it_is_read(bundle: Path, workspace: Path) -> None:
    os.truncate(bundle / "report.md", 1 << 40)
    message = refusal_of(bundle, workspace)
    assert "'report.md'" in message
    assert "--max-file-bytes" in message


def test_a_file_that_claims_nothing_is_read_up_to_the_limit_only(
    tmp_path: Path, workspace: Path
) -> None:
    """Files of /proc have size 0 and content, like a file that grows while it is read."""
    status = Path("/proc/self/status").read_bytes()
    assert Path("/proc/self/status").stat().st_size == 0
    message = refusal_of(Path("/proc/self/fdinfo"), workspace, max_file_bytes=4)
    assert "--max-file-bytes" in message
    assert len(status) > 4


LIMITED: dict[str, tuple[dict[str, bytes], str, int, str]] = {
    "members": ({"a": b"", "b/c": b""}, "max_members", 3, "--max-members"),
    "file bytes": ({"a": b"12345"}, "max_file_bytes", 5, "--max-file-bytes"),
    "total bytes": ({"a": b"123", "b": b"45"}, "max_total_bytes", 5, "--max-total-bytes"),
    "path bytes": ({"é/123": b""}, "max_path_bytes", 6, "--max-path-bytes"),
    "name bytes": ({"é123/x": b""}, "max_name_bytes", 5, "--max-name-bytes"),
    "depth": ({"a/b/c": b""}, "max_depth", 3, "--max-depth"),
}


@pytest.mark.parametrize(("files", "limit", "value", "option"), LIMITED.values(), ids=LIMITED)
def test_a_bundle_exactly_at_a_limit_is_taken_and_one_past_it_is_refused(
    tmp_path: Path, workspace: Path, files: dict[str, bytes], limit: str, value: int, option: str
) -> None:
    folder = write_tree(tmp_path / "run-1", files)
    assert contents(take_bundle(folder, workspace, **{limit: value})) == files
    message = refusal_of(folder, workspace, **{limit: value - 1})
    assert option in message
    assert "member '" in message


def test_more_names_in_one_folder_than_members_allowed_end_the_listing(
    tmp_path: Path, workspace: Path
) -> None:
    folder = write_tree(tmp_path / "run-1", {f"{number}": b"" for number in range(5)})
    assert len(take_bundle(folder, workspace, max_members=5).tree.files) == 5
    assert "more than 4 members" in refusal_of(folder, workspace, max_members=4)


def test_folders_that_wait_to_be_entered_count_before_they_are(
    tmp_path: Path, workspace: Path
) -> None:
    folder = write_tree(tmp_path / "run-1", {"report.md": b"x"})
    for above in ("", "4", "4/4"):
        for number in range(5):
            (folder / above / f"{number}").mkdir()
    assert len(take_bundle(folder, workspace, max_members=16).tree.files) == 1
    assert "member '4/4': with what is in it" in refusal_of(folder, workspace, max_members=15)
    assert "member '4': with what is in it" in refusal_of(folder, workspace, max_members=10)


def deep_folder(top: Path, levels: int, name: str) -> None:
    """Make folders in folders, deeper than any path can be long."""
    top.mkdir()
    folder = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=folder)
        below = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open("leaf.json", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folder))
    os.close(folder)


def test_a_tree_deeper_than_any_path_is_refused_or_taken_by_the_limit(
    tmp_path: Path, workspace: Path
) -> None:
    levels = 300
    deep_folder(tmp_path / "run-1", levels, "d" * 20)
    assert "--max-path-bytes" in refusal_of(tmp_path / "run-1", workspace)
    limits = {"max_path_bytes": 30_000, "max_depth": levels + 1}
    assert "--max-depth" in refusal_of(
        tmp_path / "run-1", workspace, max_path_bytes=30_000, max_depth=levels
    )
    snapshot = take_bundle(tmp_path / "run-1", workspace, **limits)
    assert snapshot.tree.files[0].path.endswith("/leaf.json")
    verify(snapshot)
    remove(snapshot)
    assert list(workspace.iterdir()) == []
    remove_tree(tmp_path / "run-1")


def test_an_ordinary_user_reads_what_he_may_and_is_told_the_rest_by_name() -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o777)
        bundle = write_tree(top / "run-1", {**FILES, "closed/b.txt": b"b", "blind/c.txt": b"c"})
        (bundle / "report.md").chmod(0)
        (bundle / "closed").chmod(0)
        (bundle / "blind").chmod(0o444)

        def look() -> tuple[dict[str, str], list[str], tuple[str, ...]]:
            private = Path(tempfile.mkdtemp(dir=top))
            snapshot = take_bundle(bundle, private)
            remove(snapshot)
            private.rmdir()
            files = [file.path for file in snapshot.tree.files]
            return skipped(snapshot), files, snapshot.warnings

        missing, files, warnings = as_ordinary_user(look)
        assert missing == {
            "report.md": "unreadable",
            "closed/": "unreadable",
            "blind/c.txt": "unreadable",
        }
        assert files == ["evidence/deep/a.bin", "evidence/log.txt"]
        assert warnings[2] == "'report.md' may not be read and was left out"
        assert stat.S_IMODE((bundle / "closed").stat().st_mode) == 0
        for path in ("closed", "blind"):
            (bundle / path).chmod(0o755)


def test_an_ordinary_user_may_not_take_what_is_closed_as_a_whole() -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o777)
        bundle = write_tree(top / "run-1", FILES)
        bundle.chmod(0)
        message = as_ordinary_user(lambda: refusal_of(bundle, Path(tempfile.mkdtemp(dir=top))))
        assert "Permission denied" in message
        bundle.chmod(0o755)
