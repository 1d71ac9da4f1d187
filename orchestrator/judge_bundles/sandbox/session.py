"""Ask a tool server over its stream: one request at a time, each with a deadline and a byte cap.

Containers and processes share it. It does not know where the server runs; when the stream ends it
says so, and the owner finds out why.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_TOOL_REPLY_BYTES, MAX_TOOL_REQUEST_BYTES, TOOL_TIMEOUT_S
from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.sandbox.replies import parse_hello, parse_reply
from judge_bundles.sandbox.stream import LineStream, LineTooLong

_HELLO_BYTES: Final = 64 * 1024


class ToolSession:
    """A conversation with one tool server. After any failure it is of no further use."""

    def __init__(self, stream: LineStream, *, timeout_s: float = TOOL_TIMEOUT_S) -> None:
        self._stream = stream
        self._timeout_s = timeout_s
        self._number = 0
        self._turn = asyncio.Lock()
        self._usable = True

    async def hello(self) -> Mapping[str, Any]:
        """Return what the server reports about itself."""
        try:
            return parse_hello(await self._stream.receive(_HELLO_BYTES))
        except LineTooLong:
            raise _flood() from None

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Run one tool; `StreamEnded` when the server is gone."""
        async with self._turn:
            if not self._usable:
                raise JudgementError(
                    "sandbox_died", "The sandbox cannot be used any more after an earlier failure."
                )
            number = self._number + 1
            request = {"id": number, "tool": tool, "input": dict(arguments)}
            line = json.dumps(request).encode("ascii") + b"\n"
            if len(line) > MAX_TOOL_REQUEST_BYTES:
                text = f"The arguments are too long: over {MAX_TOOL_REQUEST_BYTES:,} bytes."
                return ToolReply(text, error_kind="bad_input")
            # An exchange that is not completed leaves the stream in the middle of something.
            self._usable = False
            self._number = number
            reply = parse_reply(await self._exchange(tool, line), number)
            self._usable = True
            return reply

    async def _exchange(self, tool: str, line: bytes) -> bytes:
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._stream.send(line)
                return await self._stream.receive(MAX_TOOL_REPLY_BYTES)
        except TimeoutError:
            raise JudgementError(
                "sandbox_timeout", f"{tool} did not answer within {self._timeout_s:g} s."
            ) from None
        except LineTooLong:
            raise _flood() from None


def _flood() -> JudgementError:
    return JudgementError(
        "sandbox_protocol",
        f"The tool server cannot be understood: it sent over {MAX_TOOL_REPLY_BYTES:,} bytes.",
    )
