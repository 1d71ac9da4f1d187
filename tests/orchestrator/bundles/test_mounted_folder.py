"""Mounts inside a bundle: circles, files of the kernel that never end, devices in the place of files.

Only root can make them, so this is about accidents of operators; but nothing may hang or fill up.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrator.bundles.intake import write_tree

ROOT = Path(__file__).parents[3]
TAKE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from judge_bundles.errors import JudgementError
from tests.orchestrator.bundles.intake import skipped, take_bundle
try:
    snapshot = take_bundle(Path(sys.argv[2]), Path(sys.argv[3]))
    print(json.dumps([[file.path for file in snapshot.tree.files], skipped(snapshot)]))
except JudgementError as error:
    print(json.dumps(error.message))
"""


def taken(bundle: Path, workspace: Path, *mounts: tuple[str, str]) -> Any:
    """Take the bundle in a name space of mounts of its own; `mounts` are source and place.

    `$$` in a source is the process that takes the bundle.
    """
    script = "".join(f"mount --bind {source} {place}\n" for source, place in mounts)
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", f'{script}exec "$@"']
    take = [sys.executable, "-c", TAKE, str(ROOT), str(bundle), str(workspace)]
    ended = subprocess.run(
        [*command, "sh", *take], cwd=bundle, capture_output=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    if os.geteuid() != 0:
        reason = "only root can mount"
        print(reason)
        pytest.skip(reason)
    return write_tree(tmp_path / "run-1", {"report.md": b"r", "sub/a.md": b"a"})


def test_a_bundle_mounted_into_itself_is_read_once_more_and_not_for_ever(
    bundle: Path, workspace: Path
) -> None:
    files, _ = taken(bundle, workspace, (str(bundle), f"{bundle}/sub"))
    assert files == ["report.md", "sub/report.md", "sub/sub/a.md"]


def test_a_file_that_says_it_is_empty_and_never_ends_is_refused(
    bundle: Path, workspace: Path
) -> None:
    message = taken(bundle, workspace, ("/proc/$$/pagemap", f"{bundle}/report.md"))
    assert "'report.md'" in message
    assert "--max-file-bytes" in message


def test_a_device_mounted_over_a_file_is_listed_and_not_read(bundle: Path, workspace: Path) -> None:
    files, others = taken(bundle, workspace, ("/dev/zero", f"{bundle}/report.md"))
    assert (files, others) == (["sub/a.md"], {"report.md": "device"})
