"""Pages of a PDF are counted by their objects, packed ones included, within bounds."""

import zlib

import pytest

from sandbox_image.limits import MAX_OBJECT_STREAMS, MAX_OBJECTS_BYTES
from sandbox_image.pdf_pages import pages

PAGE = b"1 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n"


def packed(content: bytes, *, filtered: bool = True) -> bytes:
    data = zlib.compress(content) if filtered else content
    head = b"7 0 obj\n<< /Type /ObjStm /N 3 /First 20 /Filter /FlateDecode /Length %d >>\n"
    return head % len(data) + b"stream\r\n" + data + b"\nendstream\nendobj\n"


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (PAGE, 1),
        (PAGE * 3, 3),
        (b"<</Type/Page>><</Type/Pages/Count 9>><</Type\n/Page/X 1>><</Type/PageLabel>>", 2),
        (packed(b"<</Type/Pages>> <</Type/Page>> <</Type/Page>>"), 2),
        (PAGE + packed(b"<</Type/Page>>") + packed(b"<</Type/Font>>") + PAGE, 3),
        (b"", None),
        (b"<</Type/Catalog>>", None),
        (PAGE + packed(b"<</Type/Page>>", filtered=False), None),
        (PAGE + b"<</Type/ObjStm>>", None),
        (PAGE + b"<</Type/ObjStm>>stream\n" + zlib.compress(b"x"), None),
        (PAGE + b"<</Type/ObjStm" + b" " * 5000 + b">>stream\n\nendstream", None),
    ],
)
def test_pages_are_counted_or_said_to_be_unknown(data: bytes, count: int | None) -> None:
    assert pages(b"%PDF-1.7\n" + data + b"\n%%EOF\n") == count


@pytest.mark.parametrize(("extra", "count"), [(0, 1), (1, None)])
def test_only_so_much_is_unpacked(extra: int, count: int | None) -> None:
    content = b"<</Type/Page>>" + b" " * (MAX_OBJECTS_BYTES - 14 + extra)
    assert pages(packed(content)) == count


@pytest.mark.parametrize(
    ("streams", "count"), [(MAX_OBJECT_STREAMS, MAX_OBJECT_STREAMS), (MAX_OBJECT_STREAMS + 1, None)]
)
def test_only_so_many_streams_are_looked_into(streams: int, count: int | None) -> None:
    assert pages(packed(b"<</Type/Page>>") * streams) == count
