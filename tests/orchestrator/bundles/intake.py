"""What the tests of intake share: taking a bundle, and telling what came of it."""

import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.snapshot import Snapshot, take
from judge_bundles.errors import JudgementError
from judge_bundles.limits import IntakeLimits

LIMITS = IntakeLimits()


def entry_at(path: Path) -> Entry:
    """Return the entry discovery would make of a folder or an archive."""
    return Entry(path.name, str(path), "folder" if path.is_dir() else "archive")


def take_bundle(path: Path, workspace: Path, **limits: int) -> Snapshot:
    """Take the bundle at `path` with the default limits, or some of them changed."""
    return take(entry_at(path), workspace / secrets.token_hex(16), replace(LIMITS, **limits))


def refusal_of(path: Path, workspace: Path, **limits: int) -> str:
    """Return the message with which the bundle is refused; nothing of it may be left."""
    before = set(workspace.iterdir())
    with pytest.raises(JudgementError) as caught:
        take_bundle(path, workspace, **limits)
    assert caught.value.kind == "intake"
    assert set(workspace.iterdir()) == before
    return caught.value.message


def contents(snapshot: Snapshot) -> dict[str, bytes]:
    """Return the files of a snapshot with what is in them."""
    found = {}
    for file in snapshot.tree.files:
        with snapshot.tree.open(file) as stream:
            found[file.path] = stream.read()
    return found


def skipped(snapshot: Snapshot) -> dict[str, str]:
    """Return the members that were not copied, with their kinds."""
    return {member.path: member.kind for member in snapshot.tree.skipped}


def write_tree(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files, given by relative path, below a new folder."""
    folder.mkdir(parents=True)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder
