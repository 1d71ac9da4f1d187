"""Inflating gzip data in bounded pieces."""

import gzip
import io

import pytest

from judge_bundles.bundles.budget import UnpackMeter
from judge_bundles.bundles.gzip_stream import GzipStream
from judge_bundles.errors import JudgementError
from judge_bundles.limits import (
    INTAKE_CHUNK_BYTES,
    MAX_SMALL_GZIP_STREAMS,
    SMALL_GZIP_STREAM_BYTES,
    IntakeLimits,
)


def stream_of(packed: bytes) -> GzipStream:
    return GzipStream(io.BytesIO(packed).read, UnpackMeter(len(packed), IntakeLimits()))


@pytest.mark.parametrize("step", [1, 7, 512, 3 * INTAKE_CHUNK_BYTES])
def test_reading_in_any_steps_gives_the_same_bytes(step: int) -> None:
    data = bytes(range(256)) * (4 if step == 1 else 4000)
    stream = stream_of(gzip.compress(data))
    pieces = iter(lambda: stream.read(step), b"")
    assert b"".join(pieces) == data
    assert stream.read(step) == b""


def test_a_read_is_short_only_at_the_end() -> None:
    stream = stream_of(gzip.compress(b"a" * 600) + gzip.compress(b"b" * 600))
    assert [len(stream.read(500)) for _ in range(4)] == [500, 500, 200, 0]


@pytest.mark.parametrize("cut", range(1, 25))
def test_data_cut_anywhere_is_truncated(cut: int) -> None:
    packed = gzip.compress(b"some text", mtime=0)
    with pytest.raises(JudgementError, match="truncated"):
        stream_of(packed[:-cut]).read(100)


def test_many_tiny_streams_are_refused_and_as_many_as_the_limit_are_not() -> None:
    tiny = gzip.compress(b"", mtime=0)
    assert stream_of(tiny * MAX_SMALL_GZIP_STREAMS).read(1) == b""
    with pytest.raises(JudgementError, match="tiny streams"):
        stream_of(tiny * (MAX_SMALL_GZIP_STREAMS + 1)).read(1)


def test_streams_of_some_size_do_not_count_as_tiny() -> None:
    some = gzip.compress(bytes(SMALL_GZIP_STREAM_BYTES), mtime=0)
    tiny = gzip.compress(b"", mtime=0)
    assert len(stream_of(some * 3 + tiny * MAX_SMALL_GZIP_STREAMS).read(1 << 20)) == 3 * 4096
