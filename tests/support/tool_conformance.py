"""What any sandbox must answer: one list, run against the plain process and against the container.

It is as long as it is because it is one table.
"""

import base64
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from judge_bundles.sandbox.protocol import ToolErrorKind

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Case:
    """One call on a small bundle. `says` are parts of the text in order, `shown` and `stated` exact."""

    name: str
    files: Mapping[bytes, bytes]
    tool: str
    arguments: Mapping[str, Any]
    says: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    shown: tuple[tuple[str, int, int], ...] | None = None
    stated: tuple[str, ...] | None = None
    cut: bool = False
    error: ToolErrorKind | None = None
    media: tuple[tuple[Literal["image", "document"], str, bytes], ...] = field(default=())
    pages: int | None = None


def write_bundle(case: Case, root: Path) -> Path:
    """Write a case's files below `root`, readable by everyone as a snapshot is."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in case.files.items():
        path = root / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o444)
    return root


def png(width: int, height: int) -> bytes:
    """A valid grey PNG of that size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


PNG = png(3, 2)
PDF = (
    b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
PAGES = PDF.replace(
    b"trailer", b"2 0 obj<</Type/Page>>endobj 3 0 obj<</Type /Page>>endobj\ntrailer"
)
REPORT = b"# Report\n\nTwo findings.\nThe end\n"
BUNDLE = {
    b"out/report.md": REPORT,
    b"out/data.json": b'{"findings": [{"s": "high"}, {"s": "low"}]}',
}
LATIN = "Größe: 5 µm\nnaïve\n".encode("latin-1")
UTF16 = "\ufeffeins\nzwei 😀\ndrei\n".encode("utf-16-le")
JAPANESE = "日本語のテキスト\n二行目\n".encode()
BROKEN = "größer\n".encode() + b"cut \xe2\x82\nend\n"
THOUSAND = b"".join(b"line %d\n" % number for number in range(1, 5121))
LONG_LINE = b"x" * (20 * MIB)
NAMES = {
    b"a b:c.txt": b"1",
    b"-rf": b"2",
    "日本.txt".encode(): b"3",
    b"n\nl\x1b.txt": b"4",
    b"\xff.txt": b"5",
}

LISTING = (
    Case(
        "a listing shows every file with its size",
        BUNDLE,
        "list_files",
        {},
        says=(
            ".: 2 files, 75 bytes in all: entries 1–2 of 2",
            "43  out/data.json",
            "32  out/report.md",
        ),
        shown=(),
    ),
    Case("a listing of one folder", BUNDLE, "list_files", {"path": "out"}, says=("out: 2 files",)),
    Case(
        "a listing by pattern",
        BUNDLE,
        "list_files",
        {"glob": "*.json"},
        says=("1 files", "out/data.json"),
        silent=("report.md",),
    ),
    Case(
        "a long listing is cut and says how to go on",
        {b"d/%04d" % number: b"" for number in range(600)},
        "list_files",
        {},
        says=("entries 1–500 of 600", "Cut: go on with offset=500.", "d/0499"),
        silent=("d/0500",),
        cut=True,
    ),
    Case(
        "the rest of a long listing",
        {b"d/%04d" % number: b"" for number in range(600)},
        "list_files",
        {"offset": 500},
        says=("entries 501–600 of 600", "d/0500", "d/0599"),
    ),
    Case(
        "an offset past the end is refused",
        BUNDLE,
        "list_files",
        {"offset": 2},
        says=("2 entries",),
        error="bad_input",
    ),
    Case(
        "names that may be anything are shown printable",
        NAMES,
        "list_files",
        {},
        says=(
            "  -rf",
            "  a b:c.txt",
            "  n\\nl\\x1b.txt".replace("\\x1b", "\\u001b"),
            "日本.txt",
            "\\xff.txt",
        ),
    ),
    Case("an empty bundle lists nothing", {}, "list_files", {}, says=("no entries",)),
    Case("a missing folder", BUNDLE, "list_files", {"path": "in"}, error="not_found"),
    Case("a file is no folder", BUNDLE, "list_files", {"path": "out/report.md"}, error="bad_input"),
)

READING = (
    Case(
        "a file is read whole with line numbers",
        BUNDLE,
        "read_file",
        {"path": "out/report.md"},
        says=(
            "out/report.md: lines 1–4 of 4; 32 bytes, UTF-8",
            "     1\t# Report\n     2\t\n",
            "     4\tThe end",
        ),
        shown=(("out/report.md", 0, 32),),
    ),
    Case(
        "a base name finds the only file of that name and says which",
        BUNDLE,
        "read_file",
        {"path": "report.md"},
        says=("report.md is not a path of the bundle; out/report.md was taken",),
        shown=(("out/report.md", 0, 32),),
    ),
    Case(
        "a name that several files have is refused with their paths",
        {b"a/x.txt": b"1", b"b/x.txt": b"2"},
        "read_file",
        {"path": "x.txt"},
        says=("a/x.txt, b/x.txt",),
        error="bad_input",
    ),
    Case(
        "a window of lines is exact in bytes",
        {b"t": THOUSAND},
        "read_file",
        {"path": "t", "start_line": 200, "line_count": 2},
        says=("lines 200–201 of 5,120", "   200\tline 200\n   201\tline 201"),
        silent=("line 199", "line 202"),
        shown=(("t", THOUSAND.index(b"line 200\n"), THOUSAND.index(b"line 202\n")),),
    ),
    Case(
        "a file that does not fit is cut at a whole line",
        {b"t": THOUSAND},
        "read_file",
        {"path": "t"},
        says=("lines 1–1,829 of 5,120", "Cut: go on with start_line=1830."),
        shown=(("t", 0, THOUSAND.index(b"line 1830\n")),),
        cut=True,
    ),
    Case(
        "the last line without a line break",
        {b"t": b"one\ntwo"},
        "read_file",
        {"path": "t", "start_line": 2},
        says=("lines 2–2 of 2", "     2\ttwo"),
        shown=(("t", 4, 7),),
    ),
    Case(
        "a first line past the end is refused",
        {b"t": b"one\ntwo"},
        "read_file",
        {"path": "t", "start_line": 3},
        says=("2 lines",),
        error="bad_input",
    ),
    Case(
        "an empty file",
        {b"t": b""},
        "read_file",
        {"path": "t"},
        says=("0 lines",),
        shown=(("t", 0, 0),),
    ),
    Case(
        "the head of a line of 20 MB",
        {b"t": LONG_LINE},
        "read_file",
        {"path": "t"},
        says=(
            "line 1 of 1 is 20,971,520 bytes long",
            "bytes 0–29,999",
            "go on with start_byte=30000",
        ),
        shown=(("t", 0, 30_000),),
        cut=True,
    ),
    Case(
        "a byte window inside a line of 20 MB",
        {b"t": LONG_LINE},
        "read_file",
        {"path": "t", "start_byte": 20 * MIB - 5, "byte_count": 100},
        says=("bytes 20,971,515–20,971,519 of 20,971,520", "xxxxx"),
        shown=(("t", 20 * MIB - 5, 20 * MIB),),
    ),
    Case(
        "a character across both window edges is shown whole",
        {b"t": JAPANESE},
        "read_file",
        {"path": "t", "start_byte": 1, "byte_count": 3},
        says=("bytes 0–5", "日本"),
        silent=("語",),
        shown=(("t", 0, 6),),
    ),
    Case(
        "windows of lines and bytes at once are refused",
        BUNDLE,
        "read_file",
        {"path": "report.md", "start_line": 1, "start_byte": 0},
        error="bad_input",
    ),
    Case(
        "a byte order mark is not shown and counts as shown",
        {b"t": b"\xef\xbb\xbfone\n"},
        "read_file",
        {"path": "t"},
        says=("UTF-8 with byte order mark", "     1\tone"),
        silent=("\ufeff",),
        shown=(("t", 0, 7),),
    ),
    Case(
        "UTF-16 is decoded, with bytes counted as they lie",
        {b"t": UTF16},
        "read_file",
        {"path": "t", "start_line": 2, "line_count": 1},
        says=("lines 2–2 of 3", "UTF-16", "     2\tzwei 😀"),
        shown=(("t", 12, 28),),
    ),
    Case(
        "half a UTF-16 pair is never shown",
        {b"t": UTF16},
        "read_file",
        {"path": "t", "start_byte": 24, "byte_count": 1},
        says=("😀",),
        shown=(("t", 22, 26),),
    ),
    Case(
        "Latin-1 is decoded and said to be",
        {b"t": LATIN},
        "read_file",
        {"path": "t"},
        says=("not UTF-8 and read as Latin-1", "Größe: 5 µm", "naïve"),
        shown=(("t", 0, len(LATIN)),),
    ),
    Case(
        "UTF-8 with a cut character keeps the rest readable",
        {b"t": BROKEN},
        "read_file",
        {"path": "t"},
        says=("bytes that are not UTF-8 are shown as \\x..", "größer", "cut \\xe2\\x82", "end"),
        shown=(("t", 0, len(BROKEN)),),
    ),
    Case(
        "a NUL in text is shown as its symbol",
        {b"t": b"some words and\0more words\n"},
        "read_file",
        {"path": "t"},
        says=("1 NUL characters are shown as ␀", "and␀more"),
        shown=(("t", 0, 26),),
    ),
    Case(
        "control and direction characters stay as they are",
        {b"t": "red \x1b[31m \u202ebidi\n".encode()},
        "read_file",
        {"path": "t"},
        says=("red \x1b[31m \u202ebidi",),
    ),
    Case(
        "binary data is not text, with kind and size",
        {b"t": b"\x7fELF" + bytes(range(256)) * 4},
        "read_file",
        {"path": "t"},
        says=("t is not text: ELF program, 1,028 bytes",),
        shown=(),
        error="not_text",
    ),
    Case(
        "an image is not text and view_media is named",
        {b"t": PNG},
        "read_file",
        {"path": "t"},
        says=("PNG image", "view_media"),
        error="not_text",
    ),
    Case("a missing file", BUNDLE, "read_file", {"path": "nope.md"}, error="not_found"),
    Case("a folder is no file", BUNDLE, "read_file", {"path": "out"}, error="bad_input"),
    Case("the folder above is refused", BUNDLE, "read_file", {"path": "../x"}, error="bad_input"),
    Case(
        "a hidden step up is refused",
        BUNDLE,
        "read_file",
        {"path": "out/../../etc/passwd"},
        error="bad_input",
    ),
    Case(
        "an absolute path is refused",
        BUNDLE,
        "read_file",
        {"path": "/etc/passwd"},
        error="bad_input",
    ),
    Case(
        "the server's own environment is refused",
        BUNDLE,
        "read_file",
        {"path": "/proc/1/environ"},
        error="bad_input",
    ),
    Case("a NUL in a path is refused", BUNDLE, "read_file", {"path": "out\0x"}, error="bad_input"),
    Case("half a pair in a path", BUNDLE, "read_file", {"path": "\ud800"}, error="not_found"),
    *(
        Case(
            f"the file {name!r} is read by its printable name",
            NAMES,
            "read_file",
            {"path": shown},
            shown=((shown, 0, 1),),
        )
        for name, shown in (
            (b"a b:c.txt", "a b:c.txt"),
            (b"-rf", "-rf"),
            (b"japanese", "日本.txt"),
            (b"newline", "n\\nl\\u001b.txt"),
            (b"invalid", "\\xff.txt"),
        )
    ),
    Case(
        "a file is read by its exact name too",
        NAMES,
        "read_file",
        {"path": "n\nl\x1b.txt"},
        shown=(("n\\nl\\u001b.txt", 0, 1),),
    ),
)

SEARCHING = (
    Case(
        "a search shows lines with their numbers and exact bytes",
        BUNDLE,
        "search_files",
        {"pattern": "find.*s"},
        says=(
            "Matching lines: 2, in 2 of 2 files.",
            "out/data.json\n     1: {",
            "out/report.md\n     3: Two findings.",
        ),
        shown=(("out/data.json", 0, 43), ("out/report.md", 10, 24)),
    ),
    Case(
        "a search shows context once",
        {b"t": b"a\nb\nhit\nc\nhit\nd\ne\n"},
        "search_files",
        {"pattern": "hit", "context": 1},
        says=("     2- b\n     3: hit\n     4- c\n     5: hit\n     6- d",),
        silent=("- a", "- e"),
        shown=(("t", 2, 4), ("t", 4, 8), ("t", 8, 10), ("t", 10, 14), ("t", 14, 16)),
    ),
    Case(
        "a search that ignores case in some files",
        {b"a.md": b"HIT\n", b"b.txt": b"hit\n"},
        "search_files",
        {"pattern": "hit", "ignore_case": True, "glob": "*.md"},
        says=("1, in 1 of 1", "HIT"),
    ),
    Case(
        "nothing found",
        BUNDLE,
        "search_files",
        {"pattern": "zebra"},
        says=("Matching lines: 0, in 0 of 2 files.",),
        shown=(),
    ),
    Case(
        "a search stops after so many matches and says so",
        {b"t": b"hit\n" * 9},
        "search_files",
        {"pattern": "hit", "max_matches": 3},
        says=("Matching lines: 3", "Cut: there are more"),
        shown=(("t", 0, 4), ("t", 4, 8), ("t", 8, 12)),
        cut=True,
    ),
    Case(
        "exactly as many matches as asked for is not cut",
        {b"t": b"hit\n" * 3},
        "search_files",
        {"pattern": "hit", "max_matches": 3},
        says=("Matching lines: 3",),
        silent=("Cut",),
    ),
    Case(
        "a match in a very long line is shown with what surrounds it",
        {b"t": b"x" * 9_000_000 + b"needle" + b"y" * 1000},
        "search_files",
        {"pattern": "needle"},
        says=("…xxx", "needleyyy", "yyy…"),
        shown=(("t", 8_999_900, 9_000_400),),
    ),
    Case(
        "a search that finds every line covers the whole file, its mark included",
        {b"t": b"\xef\xbb\xbfone\r\n\ntwo\n"},
        "search_files",
        {"pattern": ".*"},
        shown=(("t", 0, 8), ("t", 8, 9), ("t", 9, 13)),
    ),
    Case(
        "a pattern ends a line before the carriage return",
        {b"t": b"hit\r\nno\r\n"},
        "search_files",
        {"pattern": "hit$"},
        says=("Matching lines: 1",),
    ),
    Case(
        "binary files are counted as not searched",
        {b"a": b"hit\n", b"b": bytes(range(256))},
        "search_files",
        {"pattern": "hit"},
        says=("in 1 of 2 files", "1 files are not text and were not searched"),
    ),
    Case(
        "a search finds Latin-1 and UTF-16 text",
        {b"a": LATIN, b"b": UTF16},
        "search_files",
        {"pattern": "naïve|zwei 😀"},
        says=("2, in 2 of 2", "naïve", "zwei 😀"),
        shown=(("a", 12, 18), ("b", 12, 28)),
    ),
    Case(
        "a pattern that would take for ever is ended",
        {b"t": b"a" * 60 + b"b\n"},
        "search_files",
        {"pattern": "(a+a+)+$"},
        says=("ended after 10 s",),
        error="timed_out",
    ),
    Case("not a pattern", BUNDLE, "search_files", {"pattern": "(x"}, error="bad_pattern"),
    Case(
        "a pattern too large to hold",
        BUNDLE,
        "search_files",
        {"pattern": "(?:a{1,9999}){99999999999}"},
        error="bad_pattern",
    ),
    Case(
        "a glob that leads out",
        BUNDLE,
        "search_files",
        {"pattern": "x", "glob": "../*"},
        error="bad_input",
    ),
)

JSON = (
    Case(
        "a query of one value",
        BUNDLE,
        "json_query",
        {"path": "data.json", "query": "findings[1].s"},
        says=('$.findings[1].s is a string\n"low"',),
        shown=(),
        stated=('"low"',),
    ),
    Case(
        "a query of many values counts them",
        BUNDLE,
        "json_query",
        {"path": "data.json", "query": "findings[*].s"},
        says=(
            "2 values: 2 string",
            '"high" × 1',
            '$.findings[0].s = "high"',
            '$.findings[1].s = "low"',
        ),
        stated=(
            '2 distinct: "high" × 1, "low" × 1',
            '$.findings[0].s = "high"',
            '$.findings[1].s = "low"',
        ),
    ),
    Case(
        "a query that leads nowhere states nothing, whatever it says",
        BUNDLE,
        "json_query",
        {"path": "data.json", "query": '["Two findings."]'},
        says=('data.json: ["Two findings."]', "0 values", "no key 'Two findings.'"),
        stated=(),
    ),
    Case(
        "a document is described by its keys",
        BUNDLE,
        "json_query",
        {"path": "data.json"},
        says=("$ is an object of 1 keys", 'keys: "findings"', '"s": "low"'),
    ),
    Case(
        "what is missing is told with its place",
        {b"j": b'{"a": [{"x": 1}, {}, null]}'},
        "json_query",
        {"path": "j", "query": "a[*].x"},
        says=(
            "1 values",
            "nothing at 2 places",
            "$.a[1] has no key 'x'",
            "$.a[2] is null",
            "$.a[0].x = 1",
        ),
        stated=("$.a[0].x = 1",),
    ),
    Case(
        "a key that is the whole query wins",
        {b"j": b'{"a.b": 1, "a": {"b": 2}}'},
        "json_query",
        {"path": "j", "query": "a.b"},
        says=("is a number\n1",),
    ),
    Case(
        "broken JSON is refused with line and column",
        {b"j": b'{"a": 1,\n "b": }'},
        "json_query",
        {"path": "j"},
        says=("line 2, column 7",),
        error="bad_json",
    ),
    Case(
        "NaN is no JSON",
        {b"j": b"[NaN]"},
        "json_query",
        {"path": "j"},
        says=("NaN",),
        error="bad_json",
    ),
    Case("an empty file is no JSON", {b"j": b""}, "json_query", {"path": "j"}, error="bad_json"),
    Case(
        "JSON that is not UTF-8",
        {b"j": b'{"a":\n "\xff"}'},
        "json_query",
        {"path": "j"},
        says=("not UTF-8, line 2, column 3",),
        error="bad_json",
    ),
    Case(
        "nesting without end", {b"j": b"[" * 200_000}, "json_query", {"path": "j"}, error="bad_json"
    ),
    Case(
        "keys that occur twice are told",
        {b"j": b'{"a": 1, "a": 2}'},
        "json_query",
        {"path": "j", "query": "a"},
        says=("occur twice", "'a'", "is a number\n2"),
    ),
    Case(
        "numbers too large for a number are given as text",
        {b"j": b"[1e999, 1" + b"0" * 5000 + b"]"},
        "json_query",
        {"path": "j", "query": "[0]"},
        says=("2 numbers too large", '"1e999"'),
    ),
    Case(
        "half a pair in JSON stays an escape",
        {b"j": b'["\\ud800 \xc3\xbc"]'},
        "json_query",
        {"path": "j", "query": "[0]"},
        says=('"\\ud800 ü"',),
    ),
    Case(
        "a large document is cut",
        {b"j": b'["' + b"x" * 50_000 + b'"]'},
        "json_query",
        {"path": "j"},
        says=("Cut: only the first",),
        cut=True,
    ),
    Case(
        "small JSON that needs a great deal of memory",
        {b"j": b"[" + b"{}," * (9 * MIB) + b"{}]"},
        "json_query",
        {"path": "j"},
        says=("memory",),
        error="too_large",
    ),
    Case(
        "not a query",
        BUNDLE,
        "json_query",
        {"path": "data.json", "query": "a[b"},
        error="bad_input",
    ),
)

FACTS_AND_MEDIA = (
    Case(
        "facts about a text file",
        BUNDLE,
        "file_info",
        {"path": "report.md"},
        says=("text", "size: 32 bytes", "lines: 4", "encoding: UTF-8", "sha256: "),
        shown=(),
    ),
    Case(
        "facts about an image",
        {b"i": PNG},
        "file_info",
        {"path": "i"},
        says=("PNG image", "pixels: 3 × 2"),
    ),
    Case("facts about a missing file", {b"i": PNG}, "file_info", {"path": "j"}, error="not_found"),
    Case(
        "an image is given whole",
        {b"no-suffix": PNG},
        "view_media",
        {"path": "no-suffix"},
        says=("PNG image, 3 × 2 pixels",),
        shown=(("no-suffix", 0, len(PNG)),),
        media=(("image", "image/png", PNG),),
        pages=1,
    ),
    Case(
        "a PDF is given whole",
        {b"d.pdf": PDF},
        "view_media",
        {"path": "d.pdf"},
        says=("PDF document, number of pages unknown, ",),
        shown=(("d.pdf", 0, len(PDF)),),
        media=(("document", "application/pdf", PDF),),
    ),
    Case(
        "the pages of a PDF are counted",
        {b"d.pdf": PAGES},
        "view_media",
        {"path": "d.pdf"},
        says=("PDF document, about 2 pages, ",),
        media=(("document", "application/pdf", PAGES),),
        pages=2,
    ),
    Case(
        "an image that is text",
        {b"i.png": b"hello\n"},
        "view_media",
        {"path": "i.png"},
        says=("text",),
        error="bad_input",
    ),
    Case(
        "an image that is damaged",
        {b"i": PNG[:14]},
        "view_media",
        {"path": "i"},
        error="unreadable",
    ),
    Case(
        "a PDF that is cut off", {b"d": PDF[:-8]}, "view_media", {"path": "d"}, error="unreadable"
    ),
    Case(
        "an image with too many pixels",
        {b"i": png(8001, 1)},
        "view_media",
        {"path": "i"},
        error="too_large",
    ),
    Case(
        "an image of as many pixels as are taken",
        {b"i": png(8000, 1)},
        "view_media",
        {"path": "i"},
        media=(("image", "image/png", png(8000, 1)),),
        pages=1,
    ),
    Case(
        "an image with too many bytes",
        {b"i": PNG + bytes(3_932_160 - len(PNG) + 1)},
        "view_media",
        {"path": "i"},
        says=("over 3,932,160",),
        error="too_large",
    ),
)

ARGUMENTS = (
    Case("a tool that is not there", BUNDLE, "run_shell", {"command": "id"}, error="bad_input"),
    Case(
        "an argument that is not there",
        BUNDLE,
        "list_files",
        {"depth": 1},
        says=("'depth'",),
        error="bad_input",
    ),
    Case("a path that is missing", BUNDLE, "read_file", {}, says=("path",), error="bad_input"),
    Case("a path that is a number", BUNDLE, "read_file", {"path": 7}, error="bad_input"),
    Case("a path without end", BUNDLE, "read_file", {"path": "x" * 4097}, error="bad_input"),
    Case(
        "a line that is true",
        BUNDLE,
        "read_file",
        {"path": "report.md", "start_line": True},
        error="bad_input",
    ),
    Case(
        "a line that is nought",
        BUNDLE,
        "read_file",
        {"path": "report.md", "start_line": 0},
        error="bad_input",
    ),
    Case(
        "a count beyond any number",
        BUNDLE,
        "read_file",
        {"path": "report.md", "line_count": 10**300},
        says=("lines 1–4",),
    ),
    Case(
        "null is as if left out",
        BUNDLE,
        "list_files",
        {"path": None, "glob": None},
        says=("2 files",),
    ),
    Case(
        "a request over its limit", BUNDLE, "read_file", {"path": "x" * 300_000}, error="bad_input"
    ),
)

CASES = (*LISTING, *READING, *SEARCHING, *JSON, *FACTS_AND_MEDIA, *ARGUMENTS)


def media_of(case: Case) -> list[tuple[str, str, str]]:
    """A case's media as a reply carries them."""
    return [(kind, mime, base64.b64encode(data).decode()) for kind, mime, data in case.media]
