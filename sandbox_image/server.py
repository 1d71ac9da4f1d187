"""The loop: one JSON request a line in, one JSON reply a line out, one at a time.

It holds no state but the bundle's index, trusts no request, and ends when its input ends.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from typing import Any, BinaryIO

from sandbox_image import registry
from sandbox_image.answers import ToolError, refusal_to_json, refuse_arguments, to_json
from sandbox_image.arguments import Arguments
from sandbox_image.bundle import Bundle
from sandbox_image.facts import hello
from sandbox_image.limits import MAX_REQUEST_BYTES, MAX_TEXT_CHARACTERS


def serve(root: str, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests about the bundle at `root` until the input ends."""
    registry.load()
    with closing(Bundle(root)) as bundle:
        _write(replies, {"hello": hello(root)})
        while line := requests.readline(MAX_REQUEST_BYTES + 1):
            if len(line) > MAX_REQUEST_BYTES:
                _skip_line(line, requests)
                _write(replies, {"id": None, **refusal_to_json(_TOO_LONG)})
            else:
                _write(replies, reply(bundle, line))


def reply(bundle: Bundle, line: bytes) -> dict[str, Any]:
    """Return the reply to one request line, whatever it holds."""
    number = None
    try:
        request = _parsed(line)
        number = request["id"]
        return {"id": number, **_call(bundle, request["tool"], request["input"])}
    except ToolError as error:
        refusal = error
    except OSError as error:
        refusal = ToolError("unreadable", f"the file cannot be read: {error.strerror}")
    except MemoryError:
        refusal = ToolError("too_large", "this needs more memory than the sandbox has")
    except Exception as error:  # noqa: BLE001 - a fault of a tool must not cost the judgement
        sys.excepthook(type(error), error, error.__traceback__)
        refusal = ToolError("unreadable", f"the tool failed on this input ({type(error).__name__})")
    return {"id": number, **refusal_to_json(refusal)}


def _call(bundle: Bundle, name: str, given: object) -> dict[str, Any]:
    tool = registry.TOOLS.get(name)
    if tool is None:
        raise refuse_arguments(f"there is no tool {name[:80]!a}")
    answer = tool.run(bundle, Arguments(given, tool.arguments))
    if len(answer.text) > MAX_TEXT_CHARACTERS:
        raise ToolError("too_large", "the answer is too large; ask for less")
    return to_json(answer)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise refuse_arguments("a request is one line of JSON") from None
    if not isinstance(request, dict) or set(request) != {"id", "tool", "input"}:
        raise refuse_arguments("a request is an object with id, tool and input")
    number = request["id"]
    if (
        not isinstance(number, int)
        or isinstance(number, bool)
        or not isinstance(request["tool"], str)
    ):
        raise refuse_arguments("id is a whole number and tool a string")
    return request


_TOO_LONG = refuse_arguments(f"a request has at most {MAX_REQUEST_BYTES:,} bytes")


def _skip_line(line: bytes, requests: BinaryIO) -> None:
    while line and not line.endswith(b"\n"):
        line = requests.readline(MAX_REQUEST_BYTES)


def _write(replies: BinaryIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message).encode("ascii") + b"\n")
    replies.flush()


def main(arguments: list[str]) -> int:
    """`--root DIR` serves that folder, `/bundle` without it; `--check` only loads everything."""
    if arguments == ["--check"]:
        registry.load()
        print(f"Python {sys.version.split()[0]}: {', '.join(sorted(registry.TOOLS))}")
        return 0
    if arguments and (len(arguments) != 2 or arguments[0] != "--root"):
        print("usage: sandbox_image [--check | --root DIR]", file=sys.stderr)
        return 2
    root = os.path.abspath(arguments[1]) if arguments else "/bundle"
    serve(root, sys.stdin.buffer, sys.stdout.buffer)
    return 0
