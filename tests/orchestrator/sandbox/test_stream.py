"""Frames and lines come out as they went in, whatever the pieces, and never more than asked for."""

import asyncio
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.limits import MAX_SANDBOX_STDERR_BYTES
from judge_bundles.sandbox.stream import (
    READ_BYTES,
    STDERR,
    STDOUT,
    Frames,
    LineStream,
    LineTooLong,
    StreamEnded,
)


def frame(stream: int, content: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(content)) + content


class Kept:
    """A writer that keeps what it is given, since nothing is sent in these tests."""

    def __init__(self) -> None:
        self.sent = b""
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent += data

    async def drain(self) -> None:
        return

    def close(self) -> None:
        self.closed = True


def receive(data: bytes, most: int, *, framed: bool) -> tuple[list[bytes], str]:
    """Return all lines of `data` until its end, and what was on stderr."""

    async def read() -> tuple[list[bytes], str]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        stream = LineStream(reader, Kept(), framed=framed)
        lines = []
        try:
            while True:
                lines.append(await stream.receive(most))
        except StreamEnded:
            return lines, stream.stderr

    return asyncio.run(read())


@given(
    st.lists(st.tuples(st.sampled_from([STDOUT, STDERR]), st.binary(max_size=40)), max_size=12),
    st.integers(1, 17),
)
def test_frames_give_back_their_content_in_pieces_of_any_size(
    parts: list[tuple[int, bytes]], size: int
) -> None:
    wire = b"".join(frame(stream, content) for stream, content in parts)
    frames = Frames()
    got = {STDOUT: b"", STDERR: b""}

    for start in range(0, len(wire), size):
        for stream, content in frames.feed(wire[start : start + size]):
            got[stream] += content

    for kind in (STDOUT, STDERR):
        assert got[kind] == b"".join(content for stream, content in parts if stream == kind)


def test_a_frame_that_claims_four_gigabytes_costs_no_memory() -> None:
    frames = Frames()
    tracemalloc.start()
    try:
        header = struct.pack(">BxxxL", STDOUT, 2**32 - 1)
        pieces = [len(content) for _, content in frames.feed(header + b"x" * 1000)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert pieces == [1000]
    assert peak < 100_000


def test_lines_are_taken_out_of_several_frames() -> None:
    data = frame(STDOUT, b"on") + frame(STDERR, b"aside") + frame(STDOUT, b"e\ntwo\n")

    assert receive(data, 100, framed=True) == ([b"one", b"two"], "aside")


def test_the_last_line_without_a_break_is_an_end() -> None:
    assert receive(b"one\ntw", 100, framed=False) == ([b"one"], "")


def test_a_line_of_exactly_the_limit_is_taken() -> None:
    assert receive(b"x" * 1000 + b"\n", 1000, framed=False) == ([b"x" * 1000], "")


def test_a_line_over_the_limit_is_refused() -> None:
    with pytest.raises(LineTooLong):
        receive(b"x" * 1001 + b"\n", 1000, framed=False)


def test_a_line_without_end_is_given_up_soon_after_the_limit() -> None:
    with pytest.raises(LineTooLong):
        receive(b"x" * (READ_BYTES * 4), READ_BYTES, framed=False)


def test_noise_on_stderr_counts_against_the_limit_and_only_its_end_is_kept() -> None:
    noise = b"".join(frame(STDERR, b"%06d" % number) for number in range(20_000))

    lines, stderr = receive(noise + frame(STDOUT, b"fine\n"), 1_000_000, framed=True)

    assert lines == [b"fine"]
    assert len(stderr) == MAX_SANDBOX_STDERR_BYTES
    assert stderr.endswith("019999")
    with pytest.raises(LineTooLong):
        receive(noise + frame(STDOUT, b"fine\n"), 10_000, framed=True)


def test_closing_closes_the_writer() -> None:
    async def close() -> bool:
        kept = Kept()
        LineStream(asyncio.StreamReader(), kept, framed=False).close()
        return kept.closed

    assert asyncio.run(close())
