"""Links swapped in while a folder is copied: whatever happens, nothing outside is read."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge_bundles.bundles.snapshot import remove
from judge_bundles.errors import JudgementError
from tests.orchestrator.bundles.intake import contents, take_bundle, write_tree

SECRET = b"JBSECRET"
TRIES = 150


@contextmanager
def swapping(place: Path, other: Path) -> Iterator[Callable[[], int]]:
    """Exchange two names again and again until the end; gives the number of exchanges so far."""
    stop = threading.Event()
    spare = place.with_name("spare")
    count = [0]

    def swap() -> None:
        while not stop.is_set():
            place.rename(spare)
            other.rename(place)
            spare.rename(other)
            count[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield lambda: count[0]
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_a_link_swapped_in_leaks_nothing(tmp_path: Path, workspace: Path, swapped: str) -> None:
    write_tree(tmp_path / "outside", {"report.md": SECRET, "inner/report.md": SECRET})
    bundle = write_tree(
        tmp_path / "run-1", {"sub/report.md": b"good", "sub/inner/report.md": b"good", "a.md": b"a"}
    )
    if swapped == "folder":
        place, target = bundle / "sub", tmp_path / "outside"
    else:
        place, target = bundle / "sub" / "report.md", tmp_path / "outside" / "report.md"
    link = tmp_path / "link"
    link.symlink_to(target)
    taken = refused = 0
    with swapping(place, link) as swaps:
        while taken + refused < TRIES or swaps() < TRIES:
            try:
                snapshot = take_bundle(bundle, workspace)
            except JudgementError:
                refused += 1
                continue
            taken += 1
            assert SECRET not in contents(snapshot).values()
            assert not any(path.is_symlink() for path in snapshot.tree.root.rglob("*"))
            remove(snapshot)
    assert list(workspace.iterdir()) == []
    assert taken
