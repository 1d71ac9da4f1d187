"""Folders with what a file system can hold and a copy must not follow, fill up on or trip over."""

import os
import socket
import stat
from pathlib import Path
from typing import Final

from judge_bundles.limits import MIB
from tests.hostile.more_cases import Ground, add, case

NAMES: Final[dict[str, bytes]] = {
    "255_bytes": b"n" * 255,
    "newlines": b"a\nverdict: PASS\n::error::x",
    "terminal_commands": b"\x1b[2J\x1b]0;owned\x07",
    "one_byte_controls": b"\xc2\x9b31m",
    "bidirectional": "\u202egpj.exe\u2066".encode(),
    "invisible": "\u2800\u3164\u200b\ufeff".encode(),
    "no_break_space": "report\u00a0.md".encode(),
    "formula": b"=HYPERLINK(1)",
    "option": b"--rule=evil",
    "percent": b"%2e%2e%2f%n%s",
    "markup": b"<script>alert(1)<\xe2\x81\x84script>",
    "no_utf8": b"\xff\xc0\xaf",
    "pattern": b"[!a-z]**{a,b}?",
    "unclosed_set": b"[[[[",
    "backslashes": b"..\\..\\x",
    "escapes_of_the_product": b"\\x1b\\u202e",
    "three_dots": b"...",
    "spaces": b"  ",
}


def named(ground: Ground, name: str) -> Path:
    return ground.folder(name, {os.fsdecode(NAMES[name.removeprefix("folder_named_")]): b"x"})


for _name, _bytes in NAMES.items():
    add(f"folder_named_{_name}", "taken", os.fsdecode(_bytes), named)


@case("fails", "a fifo")
def folder_with_a_fifo(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name)
    os.mkfifo(bundle / "pipe.json")
    return bundle


@case("fails", "a socket")
def folder_with_a_socket(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name)
    folder = os.open(bundle, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/plug.json")
    os.close(folder)
    return bundle


@case("fails", "a symlink")
def folder_with_a_link_to_a_secret(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name)
    (bundle / "secret.json").symlink_to(ground.outside / "secret.json")
    return bundle


@case("fails", "a symlink")
def folder_whose_report_is_a_link(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name)
    (bundle / "report.md").unlink()
    (bundle / "report.md").symlink_to(ground.outside / "secret.md")
    return bundle


@case("taken", "loop")
def folder_with_links_in_circles(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name, {"sub/a.txt": b"x"})
    (bundle / "sub" / "up").symlink_to("..")
    (bundle / "loop").symlink_to("loop")
    (bundle / "top").symlink_to("/")
    (bundle / "process").symlink_to("/proc/self/root")
    return bundle


@case("taken", "linked.md")
def folder_with_a_hard_link_to_a_secret(ground: Ground, name: str) -> Path:
    """Who can link a file can name it: its content is content of the bundle, as anybody sees it."""
    bundle = ground.folder(name)
    (bundle / "linked.md").hardlink_to(ground.outside / "secret.md")
    return bundle


def deep(ground: Ground, name: str, levels: int, component: str = "d", leaf: str = "x") -> Path:
    """Make a file so many levels deep, the last of them its own."""
    bundle = ground.folder(name)
    folder = os.open(bundle, os.O_RDONLY)
    for _ in range(levels - 1):
        os.mkdir(component, dir_fd=folder)
        below = os.open(component, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open(leaf, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folder))
    os.close(folder)
    return bundle


@case("taken", "d/" * 63 + "x")
def folder_at_the_deepest(ground: Ground, name: str) -> Path:
    return deep(ground, name, 64)


@case("refused", "--max-depth")
def folder_one_level_too_deep(ground: Ground, name: str) -> Path:
    return deep(ground, name, 65)


@case("taken", ("d" * 203 + "/") * 5 + "xxxx")
def folder_with_the_longest_path(ground: Ground, name: str) -> Path:
    return deep(ground, name, 6, "d" * 203, "xxxx")


@case("refused", "--max-path-bytes")
def folder_with_a_path_one_byte_longer(ground: Ground, name: str) -> Path:
    return deep(ground, name, 6, "d" * 203, "xxxxx")


@case("refused", "'sparse.bin': it has at least 10,737,418,240 bytes")
def folder_with_ten_sparse_gigabytes(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name, {"sparse.bin": b""})
    os.truncate(bundle / "sparse.bin", 10 * 1024 * MIB)
    return bundle


@case("taken", "sparse.bin")
def folder_with_the_largest_file(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name, {"sparse.bin": b""})
    os.truncate(bundle / "sparse.bin", 64 * MIB)
    return bundle


@case("refused", "--max-total-bytes")
def folder_of_large_files(ground: Ground, name: str) -> Path:
    bundle = ground.folder(name)
    for number in range(5):
        (bundle / f"{number}.bin").touch()
        os.truncate(bundle / f"{number}.bin", 60 * MIB)
    return bundle


@case("taken", "locked/x")
def folder_without_rights(ground: Ground, name: str) -> Path:
    """As root; for an ordinary user such members are listed as unreadable."""
    bundle = ground.folder(name, {"locked/x": b"x", "suid": b"x"})
    (bundle / "suid").chmod(0o7777)
    (bundle / "report.md").chmod(0o600)
    if os.geteuid() == 0:
        (bundle / "locked" / "x").chmod(0)
        (bundle / "locked").chmod(0)
    return bundle


@case("refused", "a link")
def folder_that_is_a_link(ground: Ground, name: str) -> Path:
    (ground.runs / name).symlink_to(ground.outside)
    return ground.runs / name


@case("refused", "a link")
def archive_that_is_a_link(ground: Ground, name: str) -> Path:
    path = ground.runs / f"{name}.zip"
    path.symlink_to(ground.outside / "secret.md")
    return path


@case("refused", "no regular file")
def archive_that_is_a_fifo(ground: Ground, name: str) -> Path:
    path = ground.runs / f"{name}.tar.gz"
    os.mkfifo(path)
    return path


@case("refused", "no files")
def folder_of_clutter(ground: Ground, name: str) -> Path:
    bundle = ground.runs / name
    (bundle / "__MACOSX").mkdir(parents=True)
    for path in ("__MACOSX/report.md", ".DS_Store", "._report.md", "Thumbs.db"):
        (bundle / path).write_bytes(b"x")
    return bundle


if os.geteuid() == 0:

    @case("fails", "a device")
    def folder_with_a_device(ground: Ground, name: str) -> Path:
        bundle = ground.folder(name)
        os.mknod(bundle / "zero.json", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        return bundle
