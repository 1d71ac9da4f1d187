"""Links swapped in while a folder is copied: whatever happens, nothing outside is read."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge_bundles.bundles.snapshot import remove
from judge_bundles.errors import JudgementError
from tests.orchestrator.bundles.intake import contents, take_bundle, write_tree

SECRET = b"JBSECRET"
TRIES = 300
# Another process, so that no lock of this interpreter keeps the two apart; the exchange is atomic,
# so that each look finds either the one or the other.
SWAPPER = """
import ctypes, os, sys
AT_FDCWD, RENAME_EXCHANGE = -100, 2
rename = ctypes.CDLL(None, use_errno=True).renameat2
one, other = map(os.fsencode, sys.argv[1:])
os.set_blocking(0, False)
swaps = 0
while True:
    for _ in range(50):
        if rename(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE):
            raise OSError(ctypes.get_errno(), "renameat2")
        swaps += 1
    try:
        if not os.read(0, 1):
            break
    except BlockingIOError:
        pass
    if swaps == 50:
        print("swapping", flush=True)
print(swaps)
"""


@contextmanager
def swapping(one: Path, other: Path, *, least: int = TRIES) -> Iterator[None]:
    """Exchange two names again and again, from before the block begins until after it ends."""
    command = [sys.executable, "-c", SWAPPER, str(one), str(other)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "swapping\n"
        try:
            yield
        finally:
            swaps, _ = process.communicate(timeout=60)
    assert int(swaps) >= least


def ground(folder: Path, swapped: str) -> tuple[Path, Path, Path]:
    """Make a bundle; return it, what of it is swapped, and the link that takes its place."""
    write_tree(folder / "outside", {"report.md": SECRET, "inner/report.md": SECRET})
    files = {"sub/report.md": b"good", "sub/inner/report.md": b"good", "a.md": b"a"}
    bundle = write_tree(folder / "run-1", files)
    below = "sub" if swapped == "folder" else "sub/report.md"
    link = folder / "link"
    link.symlink_to(folder / "outside" / below.removeprefix("sub").lstrip("/"))
    return bundle, bundle / below, link


def copy_by_path(bundle: Path) -> dict[str, bytes]:
    """Read every file that is no link: what a careful program does that trusts in paths."""
    copied = {}
    for folder, _, names in os.walk(bundle):
        for name in names:
            path = Path(folder, name)
            try:
                if not path.is_symlink():
                    copied[str(path)] = path.read_bytes()
            except OSError:
                continue
    return copied


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_a_link_swapped_in_leaks_nothing(tmp_path: Path, workspace: Path, swapped: str) -> None:
    bundle, real, link = ground(tmp_path, swapped)
    taken = 0
    with swapping(real, link):
        for _ in range(TRIES):
            try:
                snapshot = take_bundle(bundle, workspace)
            except JudgementError:
                continue
            taken += 1
            assert SECRET not in contents(snapshot).values()
            assert not any(path.is_symlink() for path in snapshot.tree.root.rglob("*"))
            remove(snapshot)
    assert taken
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_the_same_race_makes_a_copy_by_path_leak(tmp_path: Path, swapped: str) -> None:
    """Without this the test above could not fail."""
    bundle, real, link = ground(tmp_path, swapped)
    with swapping(real, link, least=1):
        leaked = any(SECRET in copy_by_path(bundle).values() for _ in range(100 * TRIES))
    assert leaked
