"""Bundles and events that the tests of the record are made of."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judge_bundles.record import Record, RecordPaths
from judge_prechecks.tree import Tree


def write(folder: Path, files: Mapping[str, str | bytes | list[Any] | dict[str, Any]]) -> Tree:
    """Write files; a list under a `.jsonl` name is a line for each item, else it is JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(name, content))
    return Tree.scan(folder)


def record(
    folder: Path,
    files: Mapping[str, str | bytes | list[Any] | dict[str, Any]],
    paths: RecordPaths | None = None,
) -> Record:
    return Record.of(write(folder, files), paths)


def _bytes(name: str, content: str | bytes | list[Any] | dict[str, Any]) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if name.endswith(".jsonl") and isinstance(content, list):
        return "".join(json.dumps(line) + "\n" for line in content).encode()
    return json.dumps(content).encode()


def init(cwd: str = "/work/project") -> dict[str, Any]:
    return {"type": "system", "subtype": "init", "cwd": cwd, "session_id": "s1", "tools": ["Read"]}


def says(text: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return _assistant([{"type": "text", "text": text}], parent, **more)


def calls(
    name: str, given: Any, identity: str, parent: str | None = None, **more: Any
) -> dict[str, Any]:
    block = {"type": "tool_use", "id": identity, "name": name, "input": given}
    return _assistant([block], parent, **more)


def answers(
    identity: str, content: Any, *, is_error: Any = False, parent: str | None = None
) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": content}
    if is_error is not None:
        block["is_error"] = is_error
    message = {"role": "user", "content": [block]}
    return {"type": "user", "message": message, "parent_tool_use_id": parent}


def ends(**more: Any) -> dict[str, Any]:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 16_500,
        "num_turns": 4,
        "result": "All done.",
        "total_cost_usd": 0.25,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 20,
            "cache_creation_input_tokens": 300,
            "cache_read_input_tokens": 4_000,
        },
        **more,
    }


def _assistant(content: list[dict[str, Any]], parent: str | None, **more: Any) -> dict[str, Any]:
    message = {"id": "msg_1", "role": "assistant", "model": "m", "content": content}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, **more}


STREAM = [
    init(),
    says("I look at the docs first."),
    calls("Read", {"file_path": "/work/project/docs/setup.md"}, "toolu_1"),
    answers("toolu_1", "# Setup"),
    calls("Task", {"subagent_type": "Explore", "prompt": "Find the tests"}, "toolu_2"),
    says("Looking around.", "toolu_2"),
    calls(
        "Grep", {"pattern": "def test", "path": "/work/project/tests/a.py"}, "toolu_3", "toolu_2"
    ),
    answers("toolu_3", "tests/a.py:1:def test_x", parent="toolu_2"),
    answers("toolu_2", [{"type": "text", "text": "found"}, {"type": "text", "text": "one"}]),
    calls("Bash", {"command": "cd docs && cat guide.md"}, "toolu_4"),
    answers("toolu_4", "Exit code 1", is_error=True),
    calls("Write", {"file_path": "/work/project/report.md", "content": "# R"}, "toolu_5"),
    answers("toolu_5", "File created"),
    says("The report is written."),
    ends(),
]
"""One run of Claude Code: a subagent that searches, a shell command that fails, a file written."""
