import os
import socket
from pathlib import Path

import pytest

from judge_prechecks import File, Skipped, Tree


def test_files_are_listed_by_path_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "deep.txt").write_bytes(b"12345")
    (tmp_path / "a.txt").write_bytes(b"")
    assert Tree.scan(tmp_path).files == (File("a.txt", 0), File("b/c/deep.txt", 5))


def test_links_and_special_files_are_skipped_by_kind(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "linked_folder").symlink_to("folder")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        tree = Tree.scan(tmp_path)
    assert tree.files == (File("real", 1),)
    assert tree.skipped == (
        Skipped("fifo", "fifo"),
        Skipped("link", "symlink"),
        Skipped("linked_folder", "symlink"),
        Skipped("socket", "socket"),
    )


def test_the_root_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "a").write_text("x")
    (tmp_path / "link").symlink_to("bundle")
    assert Tree.scan(tmp_path / "link").files == (File("a", 1),)


def test_clutter_of_operating_systems_is_no_member(tmp_path: Path) -> None:
    (tmp_path / "__MACOSX").mkdir()
    for name in ("__MACOSX/x.json", "._x.json", ".DS_Store", "x.json"):
        (tmp_path / name).write_text("{")
    assert [file.path for file in Tree.scan(tmp_path).files] == ["x.json"]


def test_names_of_any_bytes_are_listed_and_opened(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/caf\xe9 -\n.md"
    with open(raw, "wb") as stream:  # noqa: PTH123  # Path takes no bytes
        stream.write(b"text")
    tree = Tree.scan(tmp_path)
    assert tree.files == (File(os.fsdecode(b"caf\xe9 -\n.md"), 4),)
    assert tree.read(tree.files[0], 100) == b"text"


def test_a_folder_that_cannot_be_listed_is_skipped_with_a_slash(tmp_path: Path) -> None:
    """A path longer than the system allows cannot be listed by anyone, not even by root."""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    name = "d" * 250
    for _ in range(20):
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    (unreadable,) = Tree.scan(tmp_path).skipped
    assert unreadable.kind == "unreadable"
    assert unreadable.path.endswith(f"/{name}/")


def test_scanning_what_is_no_folder_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Tree.scan(tmp_path / "nothing")


def test_a_link_put_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a").write_text("x")
    tree = Tree.scan(tmp_path)
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to("secret")
    with pytest.raises(OSError, match="symbolic link"):
        tree.open(tree.files[0])


def test_a_fifo_put_in_place_of_a_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    tree = Tree.scan(tmp_path)
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    with pytest.raises(OSError, match="not a regular file"):
        tree.read(tree.files[0], 10)


@pytest.mark.parametrize(("max_bytes", "read"), [(4, 5), (5, 5), (6, 5), (0, 1)])
def test_reading_stops_one_byte_past_the_limit(tmp_path: Path, max_bytes: int, read: int) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    tree = Tree.scan(tmp_path)
    assert len(tree.read(tree.files[0], max_bytes)) == read


def test_a_file_that_has_grown_since_it_was_listed_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    tree = Tree.scan(tmp_path)
    (tmp_path / "a").write_bytes(b"1" * 1000)
    assert len(tree.read(tree.files[0], 5000)) == 1000
    assert len(tree.read(tree.files[0], 500)) == 501
