"""Fixtures of the intake tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_bundles.bundles.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    """A private workspace next to, not inside, what the test builds."""
    (tmp_path / "private").mkdir()
    with Workspace.create(tmp_path / "private") as place:
        yield place.path
