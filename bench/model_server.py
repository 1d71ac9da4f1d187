"""A model behind HTTP on loopback: answers each request as `material.turns` says, at once.

Started as a process of its own, so that its processor time is not the product's. It knows which turn
comes next from the request alone: from how many answers that already holds.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from bench.material import turns

MODEL: Final = "claude-opus-5-5"
_END_S: Final = 20.0


@contextmanager
def model_server() -> Iterator[dict[str, str]]:
    """Start the server; yields the environment variables of a run that talks to it."""
    command = [sys.executable, "-m", "bench.model_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            yield {
                "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
                "ANTHROPIC_API_KEY": "sk-bench",
            }
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(_END_S)


def answers() -> list[bytes]:
    """Return the body of each answer, in order."""
    return [json.dumps(_message(number, turn)).encode() for number, turn in enumerate(turns())]


def _message(number: int, turn: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the Messages API with the tool calls of a turn."""
    calls = list(turn.get("calls", ()))
    if "submit" in turn:
        calls.append({"submit_verdict": turn["submit"]})
    content = [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": tool, "input": value}
        for at, call in enumerate(calls)
        for tool, value in call.items()
    ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


async def _serve() -> None:
    bodies = answers()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (request := await _request(reader)) is not None:
            given = sum(message["role"] == "assistant" for message in request["messages"])
            body = bodies[min(given, len(bodies) - 1)]
            head = (
                f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
            )
            writer.write(f"{head}\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.buffer.read)  # until whoever started this has gone


async def _request(reader: asyncio.StreamReader) -> Any:
    """Return the body of the next request, None when the client has gone."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    fields = dict(
        line.split(": ", 1) for line in head.decode("latin-1").lower().split("\r\n")[1:] if line
    )
    return json.loads(await reader.readexactly(int(fields["content-length"])))


if __name__ == "__main__":
    asyncio.run(_serve())
