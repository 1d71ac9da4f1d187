"""Check a tool call's arguments against what the model was told, before anything is sent.

The tool server in the sandbox checks the same again and words it the same; a test holds the two
together. What only the bundle can tell, such as whether a file exists, is left to the server.
"""

from collections.abc import Mapping
from typing import Any

from judge_bundles.models.base import ToolSpec


def refusal(tool: ToolSpec, arguments: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call, or None. null counts as left out."""
    schema = tool.input_schema
    known: Mapping[str, Mapping[str, Any]] = schema["properties"]
    unknown = sorted(key for key in arguments if key not in known)
    if unknown:
        return f"unknown argument {unknown[0][:80]!a}; this tool takes {', '.join(known)}"
    for name, rule in known.items():
        problem = _problem(arguments.get(name), rule, required=name in schema["required"])
        if problem:
            return f"{name} {problem}"
    return None


def _problem(value: Any, rule: Mapping[str, Any], *, required: bool) -> str | None:
    if rule["type"] == "string":
        return _text_problem(value, rule["maxLength"], required=required)
    if value is None:
        return None
    if rule["type"] == "boolean":
        return None if isinstance(value, bool) else "must be true or false"
    if not isinstance(value, int) or isinstance(value, bool):
        return "must be a whole number"
    return f"must be at least {rule['minimum']}" if value < rule["minimum"] else None


def _text_problem(value: Any, longest: int, *, required: bool) -> str | None:
    if value is None or value == "":
        return "must be given" if required else None
    if not isinstance(value, str):
        return "must be a string"
    if "\0" in value:
        return "must not contain NUL"
    return f"must have at most {longest:,} characters" if len(value) > longest else None
