"""Tell what a file is by its first bytes, never by its name."""

from __future__ import annotations

import os

_HEAD_BYTES = 512
_EMPTY = "empty file"
_TAR_AT = 257
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"BM", "BMP image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"PK\x03\x04", "zip archive"),
    (b"PK\x05\x06", "zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\x7fELF", "ELF program"),
    (b"MZ", "Windows program"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\0asm", "WebAssembly program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\xd4\xc3\xb2\xa1", "packet capture"),
    (b"\x0a\x0d\x0d\x0a", "packet capture"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
)
MEDIA_TYPES = {
    "PNG image": "image/png",
    "JPEG image": "image/jpeg",
    "GIF image": "image/gif",
    "WebP image": "image/webp",
    "PDF document": "application/pdf",
}
"""The kinds that can be looked at, by what the Messages API calls them."""


def kind_of(descriptor: int, *, is_text: bool) -> str:
    """Return the kind in a few words. Short marks that words begin with count for no text."""
    head = os.pread(descriptor, _HEAD_BYTES, 0)
    if not head:
        return _EMPTY
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WebP image"
    for magic, kind in _MAGIC:
        if head.startswith(magic) and not (is_text and kind not in MEDIA_TYPES):
            return kind
    if is_text:
        return "text"
    if head[4:8] == b"ftyp":
        return "MP4 media"
    return "tar archive" if head[_TAR_AT : _TAR_AT + 5] == b"ustar" else "binary data"
