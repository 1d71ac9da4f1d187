"""Inflate gzip data piece by piece, with every unpacked byte counted before anyone sees it.

Several streams one after the other are one file, as gzip has it; after the last only zero bytes may
follow. Checksums are checked by zlib. Never holds more than a piece in memory.
"""

import zlib
from collections.abc import Callable
from typing import Final

from judge_bundles.bundles.budget import UnpackMeter
from judge_bundles.bundles.refusals import refusal
from judge_bundles.limits import (
    INTAKE_CHUNK_BYTES,
    MAX_SMALL_GZIP_STREAMS,
    SMALL_GZIP_STREAM_BYTES,
)

GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_DAMAGED: Final = "the gzip data is damaged"


class GzipStream:
    """Unpacked bytes of gzip data that `read_packed(size)` delivers, empty at its end."""

    def __init__(self, read_packed: Callable[[int], bytes], meter: UnpackMeter) -> None:
        self._read_packed = read_packed
        self._meter = meter
        self._inflater = zlib.decompressobj(_GZIP_WINDOW)
        self._packed = b""
        self._streams = 1
        self._unpacked = 0

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer only at the end.

        Raises `JudgementError` for data that is damaged, cut off or past a limit.
        """
        pieces = []
        while size > 0 and (piece := self._piece(min(size, INTAKE_CHUNK_BYTES))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        while not self._inflater.eof or self._next_stream():
            packed = self._packed or self._read_packed(INTAKE_CHUNK_BYTES)
            piece = self._inflate(packed, most)
            if piece:
                self._unpacked += len(piece)
                self._meter.count(len(piece))
                return piece
            if not packed and not self._inflater.eof:
                raise refusal("the gzip data ends in the middle: it is truncated")
        return b""

    def _inflate(self, packed: bytes, most: int) -> bytes:
        try:
            piece = self._inflater.decompress(packed, most)
        except zlib.error as error:
            raise refusal(f"{_DAMAGED} ({error})", self._meter.member) from error
        self._packed = (
            self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
        )
        return piece

    def _next_stream(self) -> bool:
        """Begin the stream that follows the finished one; false at the end of the data."""
        while len(self._packed) < len(GZIP_MAGIC):
            more = self._read_packed(INTAKE_CHUNK_BYTES)
            if not more:
                break
            self._packed += more
        if not self._packed.startswith(GZIP_MAGIC):
            self._expect_padding()
            return False
        self._streams += 1
        if self._streams > MAX_SMALL_GZIP_STREAMS + self._unpacked // SMALL_GZIP_STREAM_BYTES:
            raise refusal(f"the gzip data has more than {MAX_SMALL_GZIP_STREAMS:,} tiny streams")
        self._inflater = zlib.decompressobj(_GZIP_WINDOW)
        return True

    def _expect_padding(self) -> None:
        while self._packed:
            if self._packed.strip(b"\0"):
                raise refusal("something other than gzip data follows the gzip data")
            self._packed = self._read_packed(INTAKE_CHUNK_BYTES)
