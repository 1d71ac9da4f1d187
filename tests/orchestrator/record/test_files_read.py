from pathlib import Path
from typing import Any

import pytest

from judge_bundles.limits import (
    RECORD_MAX_COMMANDS_CHARACTERS,
    RECORD_MAX_READS,
    RECORD_MAX_READS_A_COMMAND,
)
from judge_bundles.record import FileRead, files_read
from judge_bundles.record.agent_paths import is_absolute, joined, normalized, relative_to
from tests.orchestrator.record.bundles import STREAM, answers, calls, record


def reads(tmp_path: Path, *events: dict[str, Any]) -> tuple[FileRead, ...]:
    return files_read(record(tmp_path, {"events.jsonl": list(events)}))


def test_reads_of_the_agent_and_of_its_subagent(tmp_path: Path) -> None:
    assert reads(tmp_path, *STREAM) == (
        FileRead("/work/project/docs/setup.md", "/work/project/docs/setup.md", "Read"),
        FileRead(
            "/work/project/tests/a.py",
            "/work/project/tests/a.py",
            "Grep",
            subagent="toolu_2",
            searched=True,
        ),
    )  # the shell command failed


@pytest.mark.parametrize(
    ("name", "given", "paths"),
    [
        ("Read", {"file_path": "C:\\repo\\docs\\setup.md"}, ["C:/repo/docs/setup.md"]),
        ("Read", {"file_path": "docs\\..\\a.md"}, ["a.md"]),
        ("NotebookRead", {"notebook_path": "/a.ipynb"}, ["/a.ipynb"]),
        ("mcp__files__read_file", {"path": "a.md"}, ["a.md"]),
        ("read_file", {"absolute_path": "/a.md"}, ["/a.md"]),
        ("str_replace_editor", {"command": "view", "path": "/a.md"}, ["/a.md"]),
        ("str_replace_editor", {"command": "create", "path": "/a.md"}, []),
        ("Read", {"file_path": 3}, []),
        ("Read", {}, []),
        ("Grep", {"pattern": "x", "path": "docs/a.md"}, ["docs/a.md"]),
        ("Grep", {"pattern": "x", "path": "docs/"}, []),
        ("Grep", {"pattern": "x", "path": "."}, []),
        ("Grep", {"pattern": "x"}, []),
        ("Glob", {"pattern": "docs/a.md"}, []),
        ("Edit", {"file_path": "a.md"}, []),
        ("Bash", {"command": "cd docs && cat a.md"}, ["docs/a.md"]),
        ("shell", {"command": ["bash", "-lc", "cat a.md"]}, ["a.md"]),
        ("bash_command", {"keystrokes": "cat a.md\n", "duration": 1}, ["a.md"]),
        ("Bash", {"command": 7}, []),
        ("Bash", {}, []),
    ],
)
def test_what_a_call_reads(
    tmp_path: Path, name: str, given: dict[str, Any], paths: list[str]
) -> None:
    events = (calls(name, given, "toolu_1"), answers("toolu_1", "text"))
    assert [read.normalized for read in reads(tmp_path, *events)] == paths


def test_the_path_stays_as_the_agent_wrote_it_beside_its_normal_form(tmp_path: Path) -> None:
    (read,) = reads(tmp_path, calls("Read", {"file_path": "C:\\x\\.\\a.md"}, "t"), answers("t", ""))
    assert (read.path, read.normalized) == ("C:\\x\\.\\a.md", "C:/x/a.md")


@pytest.mark.parametrize(("is_error", "count"), [(True, 0), (False, 1), (None, 1)])
def test_a_call_that_failed_showed_nothing(tmp_path: Path, is_error: Any, count: int) -> None:
    events = (calls("Read", {"file_path": "a"}, "t"), answers("t", "x", is_error=is_error))
    assert len(reads(tmp_path, *events)) == count


def test_what_is_not_searched_because_there_is_too_much_of_it_is_said(tmp_path: Path) -> None:
    command = "cat a.md".ljust(RECORD_MAX_COMMANDS_CHARACTERS // 50)
    events = [calls("Bash", {"command": command}, f"t{number}") for number in range(51)]
    outputs = record(tmp_path, {"events.jsonl": events})
    assert len(files_read(outputs)) == 50
    assert outputs.notes == ("1 shell command not searched for files they read",)


def test_so_many_reads_are_kept_and_the_rest_is_said(tmp_path: Path) -> None:
    command = "cat " + " ".join(f"f{number}" for number in range(RECORD_MAX_READS_A_COMMAND))
    most = RECORD_MAX_READS // RECORD_MAX_READS_A_COMMAND
    events = [calls("Bash", {"command": command}, f"t{number}") for number in range(most)]
    outputs = record(tmp_path / "a", {"events.jsonl": events})
    assert (len(files_read(outputs)), outputs.notes) == (RECORD_MAX_READS, ())
    outputs = record(tmp_path / "b", {"events.jsonl": [*events, calls("Bash", {}, "last")]})
    assert len(files_read(outputs)) == RECORD_MAX_READS
    assert outputs.notes == ("only the first 50,000 files that were read are looked at",)


@pytest.mark.parametrize(
    ("path", "normal", "absolute"),
    [
        ("a//b/./c/../d", "a/b/d", False),
        ("\\\\server\\share\\x", "/server/share/x", True),
        ("//x", "/x", True),
        ("c:\\x", "c:/x", True),
        ("c:x", "c:x", False),
        ("~/x", "~/x", True),
        ("", ".", False),
    ],
)
def test_paths_in_any_notation(path: str, normal: str, absolute: bool) -> None:
    assert normalized(path) == normal
    assert is_absolute(path) is absolute


def test_paths_relative_and_joined() -> None:
    assert relative_to("C:\\repo\\a\\b.md", "C:/repo/") == "a/b.md"
    assert relative_to("/repository/a", "/repo") is None
    assert joined("", "a/../b") == "b"
    assert joined("docs", "/a") == "/a"
