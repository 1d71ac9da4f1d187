"""A child process of this loop: lines in and out, the end of what it said on stderr, its exit.

Knows nothing of requests. Nothing it started can keep anyone waiting: only the process itself counts.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Self

from judge_bundles.limits import MAX_WORKER_STDERR_BYTES

_LAST_WORDS_S: Final = 5.0
"""For a process that closed its pipe to end by itself."""


class Process:
    """A running process. `kill` and then `end` it, whatever became of it."""

    def __init__(self, popen: "subprocess.Popen[bytes]", line_bytes: int) -> None:
        self._popen = popen
        self._lines = asyncio.StreamReader(limit=line_bytes)
        self._stderr = _Tail()
        self._transports: list[asyncio.BaseTransport] = []
        self._input: asyncio.WriteTransport | None = None

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], *, line_bytes: int
    ) -> Self:
        """Start it in a session of its own, so that Ctrl-C is for its parent, who then decides.

        Raises `OSError`.
        """
        # The thread that forks must live on: the child dies with it.
        popen = subprocess.Popen(  # noqa: S603, ASYNC220 - our own interpreter; takes a millisecond
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
        )
        process = cls(popen, line_bytes)
        try:
            await process._connect()
        except BaseException:
            process.kill()
            await process.end()
            for pipe in (popen.stdin, popen.stdout, popen.stderr):
                assert pipe is not None
                pipe.close()  # of those that no transport has taken over yet
            raise
        return process

    async def line(self) -> bytes:
        """Return the next line, nothing at the end; raises `ValueError` for one that is too long."""
        return await self._lines.readline()

    def write(self, data: bytes) -> None:
        """Send bytes; what it does not read any more is lost."""
        assert self._input is not None
        if not self._input.is_closing():
            self._input.write(data)

    def kill(self) -> None:
        """Kill it, and what it started in its session; one that is gone already is fine."""
        if self._popen.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)

    async def end(self) -> tuple[int, str]:
        """Wait until it is gone; return its exit code and the end of what it said on stderr.

        One that does not end by itself within a short time is killed.
        """
        if self._input is not None:
            self._input.close()
        code = await asyncio.shield(asyncio.to_thread(self._exit_code))
        await asyncio.sleep(0)  # what it said last may still be on its way
        for transport in self._transports:
            transport.close()
        return code, self._stderr.data.decode("utf-8", "replace")

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._popen.stdin)
        self._transports.append(self._input)
        reading = asyncio.StreamReaderProtocol(self._lines)
        for protocol, pipe in ((reading, self._popen.stdout), (self._stderr, self._popen.stderr)):
            transport, _ = await loop.connect_read_pipe(partial(_same, protocol), pipe)
            self._transports.append(transport)

    def _exit_code(self) -> int:
        try:
            return self._popen.wait(_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._popen.wait()


def _same(protocol: asyncio.BaseProtocol) -> asyncio.BaseProtocol:
    return protocol


class _Tail(asyncio.Protocol):
    """Keeps the end of what comes."""

    def __init__(self) -> None:
        self.data = bytearray()

    def data_received(self, data: bytes) -> None:
        self.data += data
        del self.data[:-MAX_WORKER_STDERR_BYTES]
