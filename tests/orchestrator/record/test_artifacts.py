import os
from pathlib import Path

import pytest

from judge_bundles.limits import RECORD_MAX_FILE_BYTES, RECORD_MAX_FILES_BYTES
from judge_bundles.record import Record
from judge_bundles.record.artifacts import _within_budget
from judge_bundles.record.content import decoded
from judge_prechecks.tree import File, Tree
from tests.orchestrator.record.bundles import record


def test_a_binary_file_is_named_and_not_given(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"img/a.png": b"\x89PNG\r\n\x1a\n\0\0", "b.txt": "text"})
    assert outputs["files"] == {
        "b.txt": "text",
        "img/a.png": {"_binary": True, "path": "img/a.png", "name": "a.png", "size": 10},
    }


def test_a_file_at_the_limit_has_its_text_and_a_larger_one_is_named(tmp_path: Path) -> None:
    files = {
        "fits.txt": b"x" * RECORD_MAX_FILE_BYTES,
        "large.txt": b"x" * (RECORD_MAX_FILE_BYTES + 1),
        "large.bin": b"\0" * (RECORD_MAX_FILE_BYTES + 1),
    }
    outputs = record(tmp_path, files)
    assert len(outputs["files"]["fits.txt"]) == RECORD_MAX_FILE_BYTES
    assert outputs["files"]["large.txt"] == {
        "_too_large": True,
        "path": "large.txt",
        "name": "large.txt",
        "size": RECORD_MAX_FILE_BYTES + 1,
    }
    assert outputs["files"]["large.bin"]["_binary"] is True
    assert outputs.notes == ("files: 1 file without text, too large (large.txt)",)


def test_the_smallest_files_have_text_until_the_budget_is_spent() -> None:
    half = RECORD_MAX_FILES_BYTES // 2
    files = [File("a", half + 1), File("b", half), File("c", 0), File("d", half - 1)]
    assert _within_budget(files) == {"b", "c", "d"}
    assert _within_budget([File("a", half), File("b", half)]) == {"a", "b"}
    assert _within_budget([File("a", half), File("b", half + 1)]) == {"a"}


def test_names_that_are_no_text_are_shown_reversibly(tmp_path: Path) -> None:
    (tmp_path / "new\nline.txt").write_text("a")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt")).write_text("b")
    outputs = Record.of(Tree.scan(tmp_path))
    assert outputs["files"] == {"bad\\xff.txt": "b", "new\\nline.txt": "a"}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain\r\n", "plain\r\n"),
        ("\ufeffmarked".encode(), "marked"),
        ("h\u00e4".encode() + b"\xff", "h\u00e4\ufffd"),
        (b"caf\xe9 au lait", "caf\u00e9 au lait"),
        ("wide \u20ac".encode("utf-16"), "wide \u20ac"),
        (b"\xff\xfeodd", None),
        ("x".encode("utf-32"), None),
        (b"\0" * 10, None),
        (b"%PDF-1.7\n" + bytes(range(256)), None),
        (b"\x1b[31mcoloured\x1b[0m\n", "\x1b[31mcoloured\x1b[0m\n"),
    ],
)
def test_what_is_text(data: bytes, text: str | None) -> None:
    assert decoded(data) == text


def test_a_character_cut_at_the_end_of_a_beginning_is_left_out() -> None:
    assert decoded("a\u20ac".encode()[:-1], whole=False) == "a"
    assert decoded("a\u20ac".encode()[:-1]) == "a\u00e2\u0082"
