"""Snapshots: one digest for one content, never changed unnoticed, gone without a trace."""

import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from judge_bundles.bundles.discover import discover
from judge_bundles.bundles.snapshot import remove, take, verify
from judge_bundles.bundles.snapshot_writer import SnapshotWriter
from judge_bundles.errors import JudgementError
from judge_bundles.limits import IntakeLimits
from tests.orchestrator.bundles.archives import write
from tests.orchestrator.bundles.intake import contents, skipped, take_bundle, write_tree

FILES = {
    "report.md": b"# Report\n",
    "data/findings.json": b"[]",
    "data/空.txt": b"",
    "a:b -rf\n.md": b"x",
    "bad\udcff.md": b"x",
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = write_tree(tmp_path / "run-1", FILES)
    (folder / "link.json").symlink_to("data/findings.json")
    (folder / "empty folder").mkdir()
    return folder


def packed_tar(folder: Path, form: int, mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as archive:  # type: ignore[call-overload]  # mode is a table's
        archive.add(folder, ".")
    return buffer.getvalue()


def packed_zip(folder: Path) -> bytes:
    """Pack with Info-ZIP, which keeps links and does not flag its names as UTF-8."""
    archive = folder.parent / "packed.zip"
    command = ["zip", "-q", "-r", "-y", str(archive), "."]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return archive.read_bytes()


def test_folder_tar_and_packed_tar_of_one_content_have_one_digest(
    bundle: Path, tmp_path: Path, workspace: Path
) -> None:
    expected = take_bundle(bundle, workspace)
    assert skipped(expected) == {"link.json": "symlink"}
    assert expected.digest.startswith("sha256:")
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        for mode in ("w", "w:gz"):
            archive = write(tmp_path / "a.tar", packed_tar(bundle, form, mode))
            snapshot = take_bundle(archive, workspace)
            assert snapshot.digest == expected.digest
            assert contents(snapshot) == contents(expected) == FILES
            assert snapshot.tree.files == expected.tree.files


@pytest.mark.skipif(shutil.which("zip") is None, reason="needs Info-ZIP's zip")
def test_a_zip_by_info_zip_has_the_digest_of_its_folder(
    bundle: Path, tmp_path: Path, workspace: Path
) -> None:
    archive = write(tmp_path / "a.zip", packed_zip(bundle))
    assert take_bundle(archive, workspace).digest == take_bundle(bundle, workspace).digest


def test_a_zip_by_python_has_the_digest_of_its_folder(tmp_path: Path, workspace: Path) -> None:
    files = {path: data for path, data in FILES.items() if path.isprintable()}
    folder = write_tree(tmp_path / "run-1", files)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in reversed(files.items()):
            archive.writestr(path, data)
    digest = take_bundle(folder, workspace).digest
    assert take_bundle(tmp_path / "a.zip", workspace).digest == digest


def test_one_top_folder_is_kept_and_makes_another_digest(tmp_path: Path, workspace: Path) -> None:
    inner = write_tree(tmp_path / "outer" / "run-1", {"report.md": b"x"})
    outer = take_bundle(tmp_path / "outer", workspace)
    assert outer.tree.files[0].path == "run-1/report.md"
    assert outer.digest != take_bundle(inner, workspace).digest


def test_times_modes_and_empty_folders_are_not_in_the_digest(bundle: Path, workspace: Path) -> None:
    before = take_bundle(bundle, workspace).digest
    (bundle / "empty folder").rmdir()
    (bundle / "report.md").chmod(0o755)
    os.utime(bundle / "report.md", (1, 1))
    assert take_bundle(bundle, workspace).digest == before
    (bundle / "report.md").write_bytes(b"# Other\n")
    assert take_bundle(bundle, workspace).digest != before


def test_what_changes_the_source_later_does_not_change_the_snapshot(
    bundle: Path, workspace: Path
) -> None:
    snapshot = take_bundle(bundle, workspace)
    (bundle / "report.md").write_bytes(b"changed")
    (bundle / "new.md").write_bytes(b"new")
    assert contents(snapshot) == FILES
    verify(snapshot)


def _rewrite(root: Path) -> None:
    (root / "report.md").chmod(0o644)
    (root / "report.md").write_bytes(b"# Reporx\n")


def _lengthen(root: Path) -> None:
    (root / "report.md").chmod(0o644)
    with (root / "report.md").open("ab") as file:
        file.write(b"x")


def _add(root: Path) -> None:
    (root / "data" / "new").write_bytes(b"")


def _add_clutter(root: Path) -> None:
    (root / ".DS_Store").write_bytes(b"")


def _add_folder(root: Path) -> None:
    (root / "data" / "new").mkdir()


def _delete(root: Path) -> None:
    (root / "report.md").unlink()


def _delete_folder(root: Path) -> None:
    (root / "empty folder").rmdir()


def _link(root: Path) -> None:
    (root / "report.md").rename(root.parent / "moved")
    (root / "report.md").symlink_to(root.parent / "moved")


def _replace_by_folder(root: Path) -> None:
    (root / "report.md").unlink()
    (root / "report.md").mkdir()


def _remove_all(root: Path) -> None:
    root.rename(root.parent / "gone")


@pytest.mark.parametrize(
    "change",
    [
        *(_rewrite, _lengthen, _add, _add_clutter, _add_folder, _delete, _delete_folder, _link),
        *(_replace_by_folder, _remove_all),
    ],
)
def test_a_changed_snapshot_is_noticed(
    bundle: Path, workspace: Path, change: Callable[[Path], None]
) -> None:
    snapshot = take_bundle(bundle, workspace)
    verify(snapshot)
    for folder in (snapshot.tree.root, snapshot.tree.root / "data"):
        folder.chmod(0o755)
    change(snapshot.tree.root)
    with pytest.raises(JudgementError) as caught:
        verify(snapshot)
    assert caught.value.kind == "snapshot_changed"


def test_removing_a_snapshot_twice_is_fine(bundle: Path, workspace: Path) -> None:
    snapshot = take_bundle(bundle, workspace)
    other = take_bundle(bundle, workspace)
    remove(snapshot)
    remove(snapshot)
    assert list(workspace.iterdir()) == [other.tree.root]


def test_what_discovery_refused_is_refused_with_its_reason(tmp_path: Path, workspace: Path) -> None:
    write_tree(tmp_path / "outside", {"secret": b"x"})
    write_tree(tmp_path / "runs", {})
    (tmp_path / "runs" / "run-1").symlink_to(tmp_path / "outside")
    (entry,) = discover([tmp_path / "runs"]).entries
    with pytest.raises(JudgementError, match="itself is a link") as caught:
        take(entry, workspace / "copy", IntakeLimits())
    assert caught.value.kind == "intake"


def test_a_full_disk_is_the_machines_fault_and_leaves_nothing(
    bundle: Path, workspace: Path
) -> None:
    (bundle / "big.bin").write_bytes(bytes(1 << 20))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(JudgementError, match="operating system refused") as caught:
            take_bundle(bundle, workspace)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.retryable
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("file_number", [1, 3, len(FILES)])
def test_an_interrupted_take_leaves_nothing_behind(
    bundle: Path, workspace: Path, file_number: int
) -> None:
    written = []

    def interrupt(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is SnapshotWriter.file.__code__:
            written.append(frame)
            if len(written) == file_number:
                raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            take_bundle(bundle, workspace)
    finally:
        sys.setprofile(None)
    assert len(written) == file_number
    assert list(workspace.iterdir()) == []
