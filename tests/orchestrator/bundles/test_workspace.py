"""The private place for snapshots."""

import stat
from pathlib import Path

import pytest

from judge_bundles.bundles.workspace import Workspace
from tests.orchestrator.bundles.intake import take_bundle, write_tree


def test_a_workspace_is_private_random_and_gone_afterwards(tmp_path: Path) -> None:
    with Workspace.create(tmp_path) as first, Workspace.create(tmp_path) as second:
        assert first.path != second.path
        assert first.path.name.isascii()
        assert stat.S_IMODE(first.path.stat().st_mode) == 0o700
        take_bundle(write_tree(tmp_path / "run-1", {"a/b": b"x"}), first.path)
    assert [path.name for path in tmp_path.iterdir()] == ["run-1"]


def test_a_workspace_is_gone_after_an_exception_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Workspace.create(tmp_path) as workspace:
        raise ZeroDivisionError(workspace)
    assert list(tmp_path.iterdir()) == []


def test_the_default_place_is_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Workspace.create() as workspace:
        assert workspace.path.parent == tmp_path
