"""Only what lies in the bundle can be opened, and never through a link."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandbox_image.answers import ToolError
from sandbox_image.bundle import Bundle


@pytest.fixture
def root(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    root = tmp_path / "bundle"
    (root / "real").mkdir(parents=True)
    (root / "real" / "file.txt").write_text("inside")
    (root / "link.txt").symlink_to(outside / "secret.txt")
    (root / "linked").symlink_to(outside)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "socket"))
    return root


@pytest.fixture
def bundle(root: Path) -> Iterator[Bundle]:
    with closing(Bundle(os.fspath(root))) as bundle:
        yield bundle


def test_links_and_special_files_are_listed_by_kind_and_never_followed(bundle: Bundle) -> None:
    members = bundle.members

    assert {path: member.kind for path, member in members.items()} == {
        "link.txt": "symbolic link",
        "linked": "symbolic link",
        "pipe": "pipe",
        "real": "folder",
        "real/file.txt": "file",
        "socket": "socket",
    }
    assert members["real/file.txt"].size == 6


@pytest.mark.parametrize("path", ["link.txt", "linked", "pipe", "socket"])
def test_what_is_no_regular_file_is_refused_with_its_kind(bundle: Bundle, path: str) -> None:
    with pytest.raises(ToolError) as raised:
        bundle.file(path)
    assert raised.value.kind == "unreadable"


@pytest.mark.parametrize("path", ["linked/secret.txt", "../outside/secret.txt", "/etc/passwd"])
def test_nothing_outside_has_a_name(bundle: Bundle, path: str) -> None:
    with pytest.raises(ToolError):
        bundle.file(path)


@pytest.mark.parametrize("swapped", ["real", "real/file.txt"])
def test_a_link_put_in_the_place_of_a_known_file_is_not_followed(
    root: Path, bundle: Bundle, swapped: str
) -> None:
    assert bundle.file("real/file.txt").path == "real/file.txt"
    if swapped == "real":
        (root / "real").rename(root / "moved")
        (root / "outside-again").mkdir()
        (root / "outside-again" / "file.txt").write_text("secret")
        (root / "real").symlink_to(root / "outside-again")
    else:
        (root / "real" / "file.txt").unlink()
        (root / "real" / "file.txt").symlink_to(root.parent / "outside" / "secret.txt")

    with pytest.raises(OSError, match=r"directory|symbolic"):
        bundle.open("real/file.txt")


def test_a_pipe_put_in_the_place_of_a_file_does_not_hang(root: Path, bundle: Bundle) -> None:
    assert bundle.file("real/file.txt")
    (root / "real" / "file.txt").unlink()
    os.mkfifo(root / "real" / "file.txt")

    with pytest.raises(ToolError, match="not a regular file"):
        bundle.open("real/file.txt")


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("real/file.txt", "real/file.txt"),
        ("./real/file.txt", "real/file.txt"),
        ("file.txt", "real/file.txt"),
    ],
)
def test_a_file_is_found_by_path_or_name(bundle: Bundle, argument: str, path: str) -> None:
    named = bundle.file(argument)

    assert named.path == path
    assert bool(named.remark) is (argument == "file.txt")


def test_a_name_is_matched_on_whole_components_only(bundle: Bundle) -> None:
    with pytest.raises(ToolError, match=r"no file ile\.txt"):
        bundle.file("ile.txt")
