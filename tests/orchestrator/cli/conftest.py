"""A working folder for one test of the command line, and the program as a process."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import Start, command

GATE = [{"type": "file_complete", "path": "report.md", "must_end_with": "END"}]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a rule `gate.json`; the store is made in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("JUDGE_BUNDLES_STORE", "EVAL_JUDGE_MODEL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "gate.json").write_text(json.dumps(GATE))
    return tmp_path


@pytest.fixture
def start(place: Path) -> Start:
    """Start the program as a process of its own, with pipes."""

    def start(*arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command(*arguments), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    return start
