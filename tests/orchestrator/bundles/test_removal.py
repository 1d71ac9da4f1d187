"""Removing folders that resist."""

import os
import tempfile
from pathlib import Path

import pytest

from judge_bundles.bundles.removal import remove_tree
from tests.orchestrator.bundles.intake import write_tree
from tests.orchestrator.bundles.ordinary_user import as_ordinary_user


def make_resisting(top: Path) -> Path:
    """Make folders without any rights, read-only ones, links, pipes and names of any bytes."""
    tree = write_tree(top / "tree", {"a/b/c/file": b"x", "a/b/side/file": b"x", "closed/in": b"x"})
    (tree / "up").symlink_to("..")
    (tree / "a" / "root").symlink_to("/")
    (tree / "a" / os.fsdecode(b"\xff\n")).mkdir()
    os.mkfifo(tree / "a" / "b" / "pipe")
    for path in ("a/b/c", "a/b", "a"):
        (tree / path).chmod(0o555)
    (tree / "closed").chmod(0)
    tree.chmod(0o500)
    return tree


def test_a_tree_with_odd_modes_is_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "neighbour").write_bytes(b"stays")
    tree = make_resisting(tmp_path)
    remove_tree(tree)
    assert [path.name for path in tmp_path.iterdir()] == ["neighbour"]
    remove_tree(tree)


def test_an_ordinary_user_removes_what_is_his_whatever_its_modes() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)

        def make_and_remove() -> list[str]:
            own = Path(tempfile.mkdtemp(dir=name))
            remove_tree(make_resisting(own))
            left = [path.name for path in own.iterdir()]
            own.rmdir()
            return left

        assert as_ordinary_user(make_and_remove) == []


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    kept = write_tree(tmp_path / "kept", {"file": b"x"})
    (tmp_path / "link").symlink_to(kept)
    with pytest.raises(NotADirectoryError):
        remove_tree(tmp_path / "link")
    assert (kept / "file").read_bytes() == b"x"


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_do_not_grow_with_depth_and_all_are_closed(tmp_path: Path) -> None:
    before = open_descriptors()
    deep = tmp_path / "deep"
    (deep / "/".join("d" * 200)).mkdir(parents=True)
    remove_tree(deep)
    assert open_descriptors() == before
    assert not deep.exists()
