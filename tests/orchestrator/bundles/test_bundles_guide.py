"""docs/bundles.md says what is true."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from judge_bundles.bundles.archive import ARCHIVE_SUFFIXES
from judge_bundles.limits import IntakeLimits
from judge_prechecks.tree import SkippedKind
from tests.orchestrator.bundles.intake import take_bundle, write_tree

GUIDE = (Path(__file__).parents[3] / "docs" / "bundles.md").read_text(encoding="utf-8")
OPTIONS = {
    "--max-members": IntakeLimits().max_members,
    "--max-file-bytes": IntakeLimits().max_file_bytes,
    "--max-total-bytes": IntakeLimits().max_total_bytes,
    "--max-ratio": IntakeLimits().max_ratio,
    "--max-path-bytes": IntakeLimits().max_path_bytes,
    "--max-name-bytes": IntakeLimits().max_name_bytes,
    "--max-depth": IntakeLimits().max_depth,
}


@pytest.mark.parametrize(("option", "default"), OPTIONS.items())
def test_each_limit_is_in_the_guide_with_its_default(option: str, default: int) -> None:
    assert f"| `{option}` | {default:,} |" in GUIDE


def test_each_archive_ending_and_each_kind_of_skipped_member_is_in_the_guide() -> None:
    for word in (*ARCHIVE_SUFFIXES, *get_args(SkippedKind)):
        assert f"`{word}`" in GUIDE


def test_the_program_in_the_guide_computes_the_digest(tmp_path: Path, workspace: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    folder = write_tree(tmp_path / "run-1", {"b/\udcff": b"x", "b-c": b"", "a": b"\n"})
    answer = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    assert answer.stdout.strip() == take_bundle(folder, workspace).digest
