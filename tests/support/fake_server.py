"""A tool server that does what a test wants, as a real process behind a real stream."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from judge_bundles.sandbox.session import ToolSession
from judge_bundles.sandbox.stream import READ_BYTES, LineStream

PRELUDE = """
import json, sys, time
def reply(number=None, **parts):
    request = json.loads(sys.stdin.readline())
    whole = {'id': request['id'] if number is None else number, 'text': 'fine', 'shown': [],
             'media': [], 'cut': False, 'error_kind': None, **parts}
    print(json.dumps(whole), flush=True)
"""


@asynccontextmanager
async def session_with(code: str, *, timeout_s: float = 20.0) -> AsyncIterator[ToolSession]:
    """Give a session with a process that runs `code`; `reply()` in it answers one request."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PRELUDE + code,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    stream = LineStream(process.stdout, process.stdin, framed=False)
    try:
        yield ToolSession(stream, timeout_s=timeout_s)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        # A process counts as ended only once its output is read to the end.
        while await process.stdout.read(READ_BYTES):
            pass
        await process.wait()
        stream.close()
