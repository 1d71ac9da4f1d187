"""Whatever comes in on a line, one typed reply goes out, and the next request is answered."""

import io
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles import limits as outside
from judge_bundles.sandbox.replies import parse_reply
from sandbox_image import limits as inside
from sandbox_image import registry
from sandbox_image.bundle import Bundle
from sandbox_image.limits import MAX_REQUEST_BYTES
from sandbox_image.server import reply, serve

PROGRAM = Path(registry.__file__).with_name("__main__.py")
FINE = b'{"id": 5, "tool": "list_files", "input": {}}\n'


def served(root: Path, requests: bytes) -> list[dict[str, Any]]:
    replies = io.BytesIO()
    serve(os.fspath(root), io.BytesIO(requests), replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"id": 1, "tool": "list_files"}',
        b'{"id": 1, "tool": "list_files", "input": {}, "more": 1}',
        b'{"id": "1", "tool": "list_files", "input": {}}',
        b'{"id": true, "tool": "list_files", "input": {}}',
        b'{"id": 1, "tool": ["list_files"], "input": {}}',
        b'{"id": 1, "tool": "nothing", "input": {}}',
        b'{"id": 1, "tool": "list_files", "input": []}',
        b'{"id": 1, "tool": "list_files", "input": null}',
        b"x" * (MAX_REQUEST_BYTES + 1),
        b"x" * (3 * MAX_REQUEST_BYTES),
    ],
)
def test_garbage_is_answered_and_the_next_request_too(tmp_path: Path, line: bytes) -> None:
    _, refusal, answer = served(tmp_path, line + b"\n" + FINE)

    assert refusal["error_kind"] == "bad_input"
    assert (answer["id"], answer["error_kind"]) == (5, None)


@pytest.mark.parametrize(("extra", "kind"), [(0, "not_found"), (1, "bad_input")])
def test_a_request_is_taken_up_to_its_limit(tmp_path: Path, extra: int, kind: str) -> None:
    start = b'{"id": 1, "tool": "read_file", "input": {"path": "x"}}'
    line = start + b" " * (MAX_REQUEST_BYTES - len(start) - 1 + extra) + b"\n"

    _, answer = served(tmp_path, line)

    assert answer["error_kind"] == kind


ARGUMENTS = st.dictionaries(
    st.sampled_from(
        ["path", "glob", "offset", "start_line", "line_count", "start_byte", "byte_count", "query"]
    ),
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["a.txt", "d/b.json", "img", ".", "*", "**", "$", "a[*].b", "../x", "/"])
    | st.text(max_size=12),
)


@settings(deadline=None, max_examples=300)
@given(
    tool=st.sampled_from(["list_files", "read_file", "file_info", "view_media"])
    | st.text(max_size=5),
    arguments=ARGUMENTS,
)
def test_no_arguments_get_anything_but_a_reply(
    tool: str, arguments: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    registry.load()
    root = tmp_path_factory.mktemp("bundle")
    (root / "d").mkdir()
    (root / "a.txt").write_text("one\ntwö\n")
    (root / "d" / "b.json").write_text('{"a": [{"b": 1}]}')
    (root / "img").write_bytes(b"\x89PNG\r\n\x1a\n")
    line = json.dumps({"id": 3, "tool": tool, "input": arguments}).encode()

    with closing(Bundle(os.fspath(root))) as bundle:
        answer = reply(bundle, line)

    parse_reply(json.dumps(answer).encode(), 3)
    assert "the tool failed" not in answer["text"]


def run_program(*arguments: str, requests: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(PROGRAM), *arguments],
        input=requests,
        capture_output=True,
        check=False,
    )


def test_the_program_ends_with_its_input(tmp_path: Path) -> None:
    done = run_program("--root", str(tmp_path), requests=FINE)

    assert done.returncode == 0
    assert done.stderr == b""
    hello, answer = (json.loads(line) for line in done.stdout.splitlines())
    assert hello["hello"]["protocol"] == 1
    assert answer["id"] == 5


def test_the_check_loads_every_tool() -> None:
    done = run_program("--check")

    assert done.returncode == 0
    assert all(name.encode() in done.stdout for name in registry.TOOLS)


def test_wrong_arguments_of_the_program_are_told() -> None:
    done = run_program("--help")

    assert done.returncode == 2
    assert b"usage" in done.stderr


def test_the_servers_bounds_fit_into_the_hosts() -> None:
    base64_overhead = 4 / 3
    assert inside.MAX_TEXT_CHARACTERS <= outside.MAX_TOOL_RESULT_CHARACTERS
    assert inside.MAX_REQUEST_BYTES == outside.MAX_TOOL_REQUEST_BYTES
    assert inside.CHILD_SECONDS < outside.TOOL_TIMEOUT_S
    assert inside.CHILD_MEMORY_BYTES < outside.SANDBOX_MEMORY_BYTES
    assert inside.MAX_DOCUMENT_BYTES <= outside.MAX_MEDIA_BYTES
    assert inside.MAX_IMAGE_BYTES <= outside.MAX_MEDIA_BYTES
    # Six bytes for a character is the most that JSON makes of one in the basic plane, twelve else.
    room = outside.MAX_TOOL_REPLY_BYTES - 12 * inside.MAX_TEXT_CHARACTERS
    assert base64_overhead * outside.MAX_MEDIA_BYTES < room
