"""The tools as the model sees them, and how a call reads in the `inspected` trace.

The tools themselves run in the sandbox; the names and arguments here are those of its tool server,
and a test holds the two together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.limits import (
    MAX_JSON_QUERY_CHARACTERS,
    MAX_SEARCH_PATTERN_CHARACTERS,
    MAX_TOOL_ARGUMENT_CHARACTERS,
)
from judge_bundles.models.base import ToolSpec

MAX_TARGET_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what the model is told, and what a call of it looks at."""

    spec: ToolSpec
    target: Callable[[Mapping[str, Any]], str]


def _tool(
    name: str,
    description: str,
    target: Callable[[Mapping[str, Any]], str],
    required: tuple[str, ...],
    **properties: dict[str, Any],
) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(ToolSpec(name, description, schema), target)


def _argument(arguments: Mapping[str, Any], key: str, default: str) -> str:
    value = arguments.get(key)
    return value if isinstance(value, str) and value else default


def _text(description: str, longest: int = MAX_TOOL_ARGUMENT_CHARACTERS) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description}


def _count(description: str, minimum: int = 1) -> dict[str, Any]:
    return {"type": "integer", "minimum": minimum, "description": description}


_PATH: Final = _text("Path inside the bundle, as the tools show it.")
_GLOB: Final = _text("Which files: * and ? inside one name, ** across folders. Default: all.")


TOOLS: Final[Mapping[str, Tool]] = {
    tool.spec.name: tool
    for tool in (
        _tool(
            "list_files",
            "List the files below a folder of the bundle with size and kind, page by page.",
            lambda arguments: _argument(arguments, "path", "."),
            (),
            path=_text("Folder inside the bundle. Default: all of it."),
            glob=_GLOB,
            offset=_count("Skip so many entries, to go on from a cut listing.", 0),
        ),
        _tool(
            "read_file",
            "Read a window of a text file, with line numbers: by lines (start_line, line_count), or "
            "by bytes (start_byte, byte_count) where lines are very long.",
            lambda arguments: _argument(arguments, "path", "?"),
            ("path",),
            path=_PATH,
            start_line=_count("First line, from 1. Default 1."),
            line_count=_count("How many lines at most."),
            start_byte=_count("First byte, from 0.", 0),
            byte_count=_count("How many bytes at most."),
        ),
        _tool(
            "search_files",
            "Find a regular expression (Python syntax) in the lines of text files.",
            lambda arguments: (
                f"{_argument(arguments, 'pattern', '?')} in {_argument(arguments, 'glob', '**/*')}"
            ),
            ("pattern",),
            pattern=_text("The regular expression.", MAX_SEARCH_PATTERN_CHARACTERS),
            glob=_GLOB,
            ignore_case={"type": "boolean", "description": "Default false."},
            context=_count("Lines to show around each match. Default 0.", 0),
            max_matches=_count("Stop after so many matches."),
        ),
        _tool(
            "json_query",
            "Exact values, counts and types from a JSON file, for example findings[*].severity.",
            lambda arguments: (
                f"{_argument(arguments, 'query', '$')} in {_argument(arguments, 'path', '?')}"
            ),
            ("path",),
            path=_PATH,
            query=_text(
                "Dotted names, [n] and [*]. Empty or $ for the whole document.",
                MAX_JSON_QUERY_CHARACTERS,
            ),
        ),
        _tool(
            "file_info",
            "Size, number of lines, SHA-256 and kind of one file.",
            lambda arguments: _argument(arguments, "path", "?"),
            ("path",),
            path=_PATH,
        ),
        _tool(
            "view_media",
            "Open an image (PNG, JPEG, GIF, WebP) or a PDF and look at it.",
            lambda arguments: _argument(arguments, "path", "?"),
            ("path",),
            path=_PATH,
        ),
    )
}


def target(name: str, arguments: Any) -> str:
    """Return what a call looks at, bounded; for a call that fits no tool, its name stands for it."""
    tool = TOOLS.get(name)
    if tool is None or not isinstance(arguments, Mapping):
        return "?"
    shown = tool.target(arguments)
    if len(shown) <= MAX_TARGET_CHARACTERS:
        return shown
    return shown[: MAX_TARGET_CHARACTERS - 1] + "…"
