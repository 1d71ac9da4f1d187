"""One attached stream: lines of bytes in and out, and never more of them than were asked for.

Knows the engine's frames and nothing of tools. Who reads sets the deadline; memory is bounded here.
"""

import asyncio
from collections.abc import Iterator
from typing import Final, Protocol

from judge_bundles.limits import MAX_SANDBOX_STDERR_BYTES

READ_BYTES: Final = 64 * 1024
_HEADER_BYTES: Final = 8
STDOUT: Final = 1
STDERR: Final = 2


class StreamEnded(Exception):  # noqa: N818 - an end, not yet an error: the owner finds out why
    """The other side closed the stream."""


class LineTooLong(Exception):  # noqa: N818 - named for what was seen
    """A line, or what came beside it, exceeded what the reader takes."""


class Frames:
    """Take apart the engine's frames: 1 byte stream, 3 bytes nothing, 4 bytes length, content.

    Content is handed on as it arrives; a frame's stated length costs no memory.
    """

    def __init__(self) -> None:
        self._header = b""
        self._stream = 0
        self._left = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield (stream, content) for what `data` completes or continues."""
        while data:
            if self._left:
                content, data = data[: self._left], data[self._left :]
                self._left -= len(content)
                yield self._stream, content
            else:
                missing = _HEADER_BYTES - len(self._header)
                self._header, data = self._header + data[:missing], data[missing:]
                if len(self._header) == _HEADER_BYTES:
                    self._stream = self._header[0]
                    self._left = int.from_bytes(self._header[4:], "big")
                    self._header = b""


class Reader(Protocol):
    """What is needed of `asyncio.StreamReader`."""

    async def read(self, n: int) -> bytes:
        """Return up to `n` bytes, none at the end."""


class Writer(Protocol):
    """What is needed of `asyncio.StreamWriter`."""

    def write(self, data: bytes) -> None:
        """Take bytes for sending."""

    async def drain(self) -> None:
        """Wait until more can be taken."""

    def close(self) -> None:
        """Close the stream."""


class LineStream:
    """Lines over a reader and a writer; `framed` when the engine multiplexes stdout and stderr."""

    def __init__(self, reader: Reader, writer: Writer, *, framed: bool) -> None:
        self._reader = reader
        self._writer = writer
        self._frames = Frames() if framed else None
        self._waiting = bytearray()
        self._stderr = bytearray()

    @property
    def stderr(self) -> str:
        """The end of what came on stderr."""
        return self._stderr.decode("utf-8", "replace")

    async def send(self, line: bytes) -> None:
        """Write one line, whose line break is part of it."""
        try:
            self._writer.write(line)
            await self._writer.drain()
        except (ConnectionError, RuntimeError):
            raise StreamEnded from None

    async def receive(self, most: int) -> bytes:
        """Return the next line without its break; `most` bounds all that is read for it."""
        taken = len(self._waiting)
        searched = 0
        while (end := self._waiting.find(b"\n", searched)) < 0:
            if taken > most:
                raise LineTooLong
            searched = len(self._waiting)
            data = await self._read()
            taken += len(data)
            self._sort(data)
        if end > most:
            raise LineTooLong
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line

    def close(self) -> None:
        """Give the stream back; nothing more is read or written."""
        self._writer.close()

    async def _read(self) -> bytes:
        try:
            data = await self._reader.read(READ_BYTES)
        except (ConnectionError, asyncio.IncompleteReadError):
            raise StreamEnded from None
        if not data:
            raise StreamEnded
        return data

    def _sort(self, data: bytes) -> None:
        if self._frames is None:
            self._waiting += data
            return
        for stream, content in self._frames.feed(data):
            if stream == STDOUT:
                self._waiting += content
            else:
                self._stderr += content
                del self._stderr[:-MAX_SANDBOX_STDERR_BYTES]
