"""Arguments of tool calls and what must be said of them: by the host, and by the server inside.

`refused` is the whole text; None means that the arguments as such are in order.
"""

from dataclasses import dataclass
from typing import Any

FILES = {"report.md": "one\ntwo\n", "data.json": '{"a": 1}'}


@dataclass(frozen=True, slots=True)
class Call:
    """One call on a bundle of `FILES`."""

    tool: str
    arguments: dict[str, Any]
    refused: str | None


LONG = "x" * 4096
CALLS = (
    Call("list_files", {}, None),
    Call("list_files", {"path": None, "glob": None, "offset": None}, None),
    Call("list_files", {"path": "", "glob": ""}, None),
    Call("list_files", {"path": 7}, "path must be a string"),
    Call("list_files", {"path": False}, "path must be a string"),
    Call("list_files", {"path": []}, "path must be a string"),
    Call("list_files", {"glob": {"a": 1}}, "glob must be a string"),
    Call("list_files", {"glob": "*\0"}, "glob must not contain NUL"),
    Call("list_files", {"glob": LONG}, None),
    Call("list_files", {"glob": LONG + "x"}, "glob must have at most 4,096 characters"),
    Call("list_files", {"offset": 0}, None),
    Call("list_files", {"offset": -1}, "offset must be at least 0"),
    Call("list_files", {"offset": 0.0}, "offset must be a whole number"),
    Call("list_files", {"offset": "0"}, "offset must be a whole number"),
    Call("list_files", {"offset": False}, "offset must be a whole number"),
    Call(
        "list_files",
        {"depth": 1},
        "unknown argument 'depth'; this tool takes path, glob, offset",
    ),
    Call(
        "list_files",
        {"\x1b\u202e\ud800": 1},
        "unknown argument '\\x1b\\u202e\\ud800'; this tool takes path, glob, offset",
    ),
    Call(
        "list_files",
        {"k" * 300: 1},
        f"unknown argument '{'k' * 80}'; this tool takes path, glob, offset",
    ),
    Call(
        "list_files",
        {"depth": 1, "path": 7, "a": 2},
        "unknown argument 'a'; this tool takes path, glob, offset",
    ),
    Call("read_file", {}, "path must be given"),
    Call("read_file", {"path": None}, "path must be given"),
    Call("read_file", {"path": ""}, "path must be given"),
    Call("read_file", {"path": ["report.md"]}, "path must be a string"),
    Call("read_file", {"path": "report.md\0.png"}, "path must not contain NUL"),
    Call("read_file", {"path": LONG + "x"}, "path must have at most 4,096 characters"),
    Call("read_file", {"path": "report.md", "start_line": 1}, None),
    Call("read_file", {"path": "report.md", "start_line": 0}, "start_line must be at least 1"),
    Call(
        "read_file", {"path": "report.md", "start_line": True}, "start_line must be a whole number"
    ),
    Call("read_file", {"path": "report.md", "start_line": ""}, "start_line must be a whole number"),
    Call("read_file", {"path": "report.md", "line_count": 10**300}, None),
    Call(
        "read_file",
        {"path": "report.md", "line_count": -(10**300)},
        "line_count must be at least 1",
    ),
    Call(
        "read_file", {"path": "report.md", "line_count": 1e3}, "line_count must be a whole number"
    ),
    Call("read_file", {"path": "report.md", "start_byte": 0}, None),
    Call("read_file", {"path": "report.md", "start_byte": -1}, "start_byte must be at least 0"),
    Call("read_file", {"path": "report.md", "byte_count": 2_000_000_000}, None),
    Call("read_file", {"path": "report.md", "byte_count": 0}, "byte_count must be at least 1"),
    Call("search_files", {"pattern": "x" * 2000}, None),
    Call("search_files", {"pattern": "x" * 2001}, "pattern must have at most 2,000 characters"),
    Call(
        "search_files", {"pattern": "x" * 1_000_000}, "pattern must have at most 2,000 characters"
    ),
    Call("search_files", {"pattern": ""}, "pattern must be given"),
    Call("search_files", {"pattern": "a\0b"}, "pattern must not contain NUL"),
    Call("search_files", {"pattern": "o", "glob": "", "ignore_case": None}, None),
    Call("search_files", {"pattern": "o", "ignore_case": True}, None),
    Call("search_files", {"pattern": "o", "ignore_case": 1}, "ignore_case must be true or false"),
    Call(
        "search_files", {"pattern": "o", "ignore_case": "yes"}, "ignore_case must be true or false"
    ),
    Call("search_files", {"pattern": "o", "context": 0}, None),
    Call("search_files", {"pattern": "o", "context": -1}, "context must be at least 0"),
    Call("search_files", {"pattern": "o", "max_matches": 0}, "max_matches must be at least 1"),
    Call(
        "search_files", {"pattern": "o", "max_matches": [1]}, "max_matches must be a whole number"
    ),
    Call("json_query", {"path": "data.json"}, None),
    Call("json_query", {"path": "data.json", "query": ""}, None),
    Call("json_query", {"path": "data.json", "query": "x" * 1000}, None),
    Call(
        "json_query",
        {"path": "data.json", "query": "x" * 1001},
        "query must have at most 1,000 characters",
    ),
    Call("json_query", {"path": "data.json", "query": "a\0"}, "query must not contain NUL"),
    Call("json_query", {"query": "a"}, "path must be given"),
    Call("file_info", {"path": 0}, "path must be a string"),
    Call("view_media", {"path": {}}, "path must be a string"),
    Call(
        "view_media",
        {"path": "report.md", "page": 1},
        "unknown argument 'page'; this tool takes path",
    ),
)
