"""Folders that change in the middle of being read, at a point that the test chooses."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge_bundles.bundles.descriptors import FolderCursor
from judge_bundles.bundles.folder_members import folder_members
from judge_bundles.bundles.member import Member
from judge_bundles.bundles.snapshot import remove, verify
from judge_bundles.errors import JudgementError
from judge_bundles.limits import INTAKE_CHUNK_BYTES
from tests.orchestrator.bundles.intake import take_bundle, write_tree

SECRET = b"JBSECRET" * 100
WHOLE = b"w" * (3 * INTAKE_CHUNK_BYTES)


@contextmanager
def walk(bundle: Path) -> Iterator[Generator[Member, None, None]]:
    with FolderCursor(bundle) as cursor:
        members = folder_members(cursor, max_names=100, is_clutter=lambda _: False)
        yield members
        members.close()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(SECRET)
    return write_tree(tmp_path / "run-1", {"report.md": WHOLE, "sub/inner/a.md": b"a"})


def replaced_by_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent / "secret")


def replaced_by_a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replaced_by_a_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def cut(path: Path) -> None:
    os.truncate(path, INTAKE_CHUNK_BYTES + 1)


def gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("change", "length"),
    [
        (replaced_by_a_link, len(WHOLE)),
        (replaced_by_a_fifo, len(WHOLE)),
        (replaced_by_a_device, len(WHOLE)),
        (replaced_by_a_folder, len(WHOLE)),
        (gone, len(WHOLE)),
        (cut, INTAKE_CHUNK_BYTES + 1),
    ],
)
def test_of_a_file_that_changes_while_it_is_read_its_own_bytes_are_seen_and_no_others(
    bundle: Path, change: Callable[[Path], None], length: int
) -> None:
    with walk(bundle) as members:
        member = next(one for one in members if one.path == b"report.md")
        chunks = iter(member.chunks)
        seen = next(chunks)
        change(bundle / "report.md")
        seen += b"".join(chunks)
    assert seen == WHOLE[:length]


def test_a_file_that_grows_is_read_on_for_the_limits_to_stop(bundle: Path) -> None:
    with walk(bundle) as members:
        member = next(one for one in members if one.path == b"report.md")
        for count, chunk in enumerate(member.chunks):
            assert len(chunk) == INTAKE_CHUNK_BYTES
            with (bundle / "report.md").open("ab") as file:
                file.write(chunk)
            if count == 20:
                break
    assert member.size == len(WHOLE)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (replaced_by_a_link, "symlink"),
        (replaced_by_a_device, "symlink"),
        (replaced_by_a_fifo, "fifo"),
        (replaced_by_a_folder, "folder"),
    ],
)
def test_what_a_listed_name_has_become_is_listed_as_that(
    bundle: Path, change: Callable[[Path], None], kind: str
) -> None:
    (bundle / "z.md").write_bytes(b"z")
    with walk(bundle) as members:
        next(one for one in members if one.path == b"report.md")
        change(bundle / "z.md")
        assert [one.kind for one in members if one.path == b"z.md"] == [kind]


def test_a_listed_name_that_is_gone_ends_the_copy_and_may_go_better_next_time(
    bundle: Path,
) -> None:
    (bundle / "z.md").write_bytes(b"z")
    with walk(bundle) as members:
        next(one for one in members if one.path == b"report.md")
        gone(bundle / "z.md")
        with pytest.raises(JudgementError, match=r"'z\.md': it changed while") as caught:
            list(members)
    assert caught.value.retryable


def test_a_folder_that_becomes_a_link_before_it_is_entered_is_not_followed(bundle: Path) -> None:
    outside = write_tree(bundle.parent / "outside", {"inner/a.md": SECRET})
    (bundle / "z.md").write_bytes(b"looked at after the folder, and before that is entered")
    with walk(bundle) as members:
        next(one for one in members if one.path == b"z.md")
        (bundle / "sub").rename(bundle.parent / "moved")
        (bundle / "sub").symlink_to(outside)
        with pytest.raises(JudgementError, match=r"'sub'.*changed while the bundle was copied"):
            list(members)


APPEND = """
import sys
with open(sys.argv[1], "ab", 0) as file:
    print("appending", flush=True)
    for _ in range(200):
        file.write(bytes(1 << 20))
"""


def test_a_file_that_another_process_appends_to_ends_the_copy_or_is_cut_somewhere(
    bundle: Path, workspace: Path
) -> None:
    path = bundle / "report.md"
    with subprocess.Popen([sys.executable, "-c", APPEND, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"appending\n"
        refused = None
        try:
            snapshot = take_bundle(bundle, workspace, max_file_bytes=16 << 20)
            verify(snapshot)
            remove(snapshot)
        except JudgementError as error:
            refused = error.message
        process.kill()
    assert refused is None or "--max-file-bytes" in refused
    assert list(workspace.iterdir()) == []
