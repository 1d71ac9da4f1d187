import os
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.documents.document import DocumentLimits, UnreadableDocumentError, plain
from judge_bundles.documents.source import parse_document, read_document, read_text
from judge_bundles.limits import MIB

LIMITS = DocumentLimits(max_bytes=1 * MIB, max_depth=64)


def refusal(content: bytes, name: str = "file.json") -> tuple[str, int | None]:
    with pytest.raises(UnreadableDocumentError) as caught:
        parse_document(content, name, LIMITS)
    return caught.value.message, caught.value.line


@pytest.mark.parametrize(
    "name", ["file.json", "file.JSON", "file", "file.txt", "file.yaml", ".json", "a.yaml.json"]
)
def test_json_is_read_under_any_name(name: str) -> None:
    assert plain(parse_document(b'\n {"a": [true]}', name, LIMITS)) == {"a": [True]}


@pytest.mark.parametrize("name", ["file.yaml", "file.yml", "file.YML", "file", "file.conf"])
def test_yaml_is_read_under_any_name_but_that_of_json(name: str) -> None:
    assert plain(parse_document(b"a: [yes]\n", name, LIMITS)) == {"a": ["yes"]}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file.json", "not valid JSON: `a` is not a value of JSON (column 1)"),
        ("file", "the tag `!b` is not supported: write the plain value"),
    ],
)
def test_the_suffix_or_else_the_beginning_decides_how_a_file_is_read(
    name: str, message: str
) -> None:
    assert refusal(b"a: !b c\n", name) == (message, 1)


def test_what_begins_like_json_under_another_name_is_held_to_it() -> None:
    assert refusal(b" {a: 1}", "file.txt")[0].startswith("not valid JSON: expected a key")
    assert plain(parse_document(b" {a: 1}", "file.yaml", LIMITS)) == {"a": 1}


@pytest.mark.parametrize("name", ["file.json", "file.yaml"])
def test_a_byte_order_mark_is_tolerated(name: str) -> None:
    content = b'\xef\xbb\xbf{"a": 1}'
    assert plain(parse_document(content, name, LIMITS)) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "refused"),
    [
        ("{}".encode("utf-16"), ("not UTF-8 but UTF-16: save it as UTF-8", None)),
        (b"\xfe\xff\0{\0}", ("not UTF-8 but UTF-16: save it as UTF-8", None)),
        (b'{\n"a": "\xe9"}', ("not UTF-8 (byte 0xe9): save it as UTF-8", 2)),
        (b"\xef\xbb\xbf\n\n\xe9", ("not UTF-8 (byte 0xe9): save it as UTF-8", 3)),
        (b"", ("the file is empty", None)),
        (b'{"a"\0: 1}', ("not valid JSON: expected `:` after a key (column 5)", 1)),
    ],
)
def test_other_encodings_are_refused(content: bytes, refused: Any) -> None:
    assert refusal(content) == refused


@pytest.mark.parametrize("max_bytes", [20, 1 * MIB])
def test_a_file_is_taken_up_to_its_size_and_not_past_it(tmp_path: Path, max_bytes: int) -> None:
    path = tmp_path / "file.json"
    limits = DocumentLimits(max_bytes=max_bytes, max_depth=1)
    path.write_bytes(b"[1]".ljust(max_bytes))
    assert plain(read_document(path, limits)) == [1]
    path.write_bytes(b"[1]".ljust(max_bytes + 1))
    with pytest.raises(UnreadableDocumentError, match=f"^larger than {max_bytes} bytes: make"):
        read_document(path, limits)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("text", "utf-8")
    (tmp_path / "link").symlink_to("real")
    assert read_text(tmp_path / "link", 4) == "text"


def test_what_is_no_file_is_refused_with_the_next_step(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    places = [
        (tmp_path, "it is a folder: name the file itself"),
        (tmp_path / "none", "no such file: check the path"),
        (tmp_path / "fifo", "not a regular file: save it as one"),
        (tmp_path / "loop", "cannot be read (Too many levels of symbolic links): check the path"),
        (tmp_path / ("n" * 300), "cannot be read (File name too long): check the path"),
        (tmp_path / "a\0b", "its name holds a NUL: check the path"),
    ]
    for path, message in places:
        with pytest.raises(UnreadableDocumentError) as caught:
            read_text(path, 100)
        assert caught.value.message == message
