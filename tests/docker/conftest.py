"""A bundle that the user in a sandbox can read."""

from pathlib import Path

import pytest


@pytest.fixture
def small_bundle(tmp_path: Path) -> Path:
    """Two files, one of which some patterns take for ever on."""
    root = tmp_path / "bundle"
    root.mkdir(mode=0o755)
    (root / "report.md").write_text("a report\n")
    (root / "slow.txt").write_text("a" * 60 + "b\n")
    return root
