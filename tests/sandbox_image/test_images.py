"""The size of an image is read from its header, and a damaged header has none."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_image.images import pixels
from tests.support.tool_conformance import png

GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(10)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\0"
    + bytes(9)
    + b"\xff\xff\xc2\x00\x11\x08"
    + struct.pack(">HH", 480, 640)
)
WEBP_LOSSY = (
    b"RIFF\0\0\0\0WEBPVP8 " + bytes(4) + bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 640, 480)
)
WEBP_LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 639 | 479 << 14)
WEBP_EXTENDED = (
    b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(640, 480), "image/png"),
        (GIF, "image/gif"),
        (JPEG, "image/jpeg"),
        (WEBP_LOSSY, "image/webp"),
        (WEBP_LOSSLESS, "image/webp"),
        (WEBP_EXTENDED, "image/webp"),
    ],
)
def test_a_header_tells_width_and_height(data: bytes, media_type: str) -> None:
    assert pixels(data, media_type) == (640, 480)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(640, 480)[:20], "image/png"),
        (png(0, 480), "image/png"),
        (GIF[:9], "image/gif"),
        (JPEG[:-2], "image/jpeg"),
        (b"\xff\xd8\xff" + b"\xff" * 50, "image/jpeg"),
        (b"\xff\xd8\x00\x00", "image/jpeg"),
        (WEBP_LOSSY[:16] + b"\0", "image/webp"),
        (b"RIFF\0\0\0\0WEBPXXXX" + bytes(20), "image/webp"),
    ],
)
def test_a_damaged_header_tells_nothing(data: bytes, media_type: str) -> None:
    assert pixels(data, media_type) is None


@given(
    st.sampled_from(
        [
            ("image/png", b"\x89PNG\r\n\x1a\n"),
            ("image/gif", b"GIF89a"),
            ("image/jpeg", b"\xff\xd8\xff"),
            ("image/webp", b"RIFF"),
        ]
    ),
    st.binary(max_size=60),
)
def test_no_bytes_do_more_than_tell_nothing(start: tuple[str, bytes], rest: bytes) -> None:
    size = pixels(start[1] + rest, start[0])

    assert size is None or min(size) > 0
