import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_prechecks import Gate, Outcome
from judge_prechecks.completeness import find_fault
from judge_prechecks.limits import MAX_MARKER_CHARACTERS, MAX_SCAN_BYTES, TAIL_BYTES
from judge_prechecks.visible import has_visible

Check = Callable[..., Outcome]
END = "<!-- END OF REPORT -->"


def fault(path: Path, marker: str | None = None) -> str | None:
    with path.open("rb") as stream:
        found = find_fault(stream, marker)
    return found.reason if found else None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "report.md"


@pytest.mark.parametrize("content", [b"x", b"\n\n x \n", "日本".encode(), b"\xff\xfe", b"%PDF\0"])
def test_a_file_with_something_to_see_is_complete(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert fault(file) is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\r\n", "has no visible character"),
        ("\ufeff".encode(), "has no visible character"),
        ("\u200b\u2800\u3164".encode(), "has no visible character"),
        (b"\0" * 100, "has no visible character"),
    ],
)
def test_a_file_with_nothing_to_see_is_not(file: Path, content: bytes, reason: str) -> None:
    file.write_bytes(content)
    assert fault(file) == reason


@pytest.mark.parametrize(
    "content",
    [f"text\n{END}", f"text\n{END}\n", f"text {END} \t\r\n\n", f"text{END}\u3000\u2028", f".{END}"],
)
def test_whitespace_after_the_marker_does_not_count(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8")
    assert fault(file, END) is None
    assert fault(file, f"{END}\n \n") is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("# Audit\nFound 2 iss", "does not end with"),
        (f"{END} and more", "does not end with"),
        (f"text {END[:-1]}", "does not end with"),
        (f"text {END.lower()}", "does not end with"),
        (f"text {END}\u200b", "does not end with"),
        (END, "has no visible character but the marker at its end"),
        (f"\n\n{END}\n", "has no visible character but the marker at its end"),
        ("\n" * 200_000 + "\u200b" * 1000 + END, "has no visible character but the marker"),
        ("", "is empty"),
        (" \n", "has no visible character"),
        ("\n" * 200_000, "has no visible character"),
    ],
)
def test_a_missing_marker_and_a_lonely_one_are_faults(
    file: Path, content: str, reason: str
) -> None:
    file.write_text(content, encoding="utf-8")
    found = fault(file, END)
    assert found is not None
    assert found.startswith(reason)


def test_visible_text_far_before_the_marker_is_found(file: Path) -> None:
    file.write_text("x" + "\n" * 300_000 + END, encoding="utf-8")
    assert fault(file, END) is None


@pytest.mark.parametrize("shift", range(-30, 31))
def test_a_marker_across_the_edge_of_a_window_is_found(file: Path, shift: int) -> None:
    """With as much space after it as a window holds, give or take, the marker is cut by its edge."""
    file.write_bytes(b"text " + END.encode() + b" " * (TAIL_BYTES - len(END) + shift))
    assert fault(file, END) is None


@pytest.mark.parametrize("shift", range(8))
def test_characters_across_the_edge_of_a_window_are_whole(file: Path, shift: int) -> None:
    marker = "日本語終わり"
    file.write_text("日" * 40_000 + marker + "\u3000" * 30_000 + "\n" * shift, encoding="utf-8")
    assert fault(file, marker) is None
    assert fault(file, "x") is not None


def test_a_marker_of_the_longest_length_fits_the_window(file: Path) -> None:
    marker = "語" * MAX_MARKER_CHARACTERS
    file.write_text(f"x{marker}\n", encoding="utf-8")
    assert fault(file, marker) is None


def test_the_scan_for_text_ends_at_its_limit_and_says_so(file: Path) -> None:
    file.write_bytes(b"\n" * (MAX_SCAN_BYTES - 1) + b"x" + b"\n" * TAIL_BYTES * 2)
    assert fault(file) is None
    file.write_bytes(b"\n" * MAX_SCAN_BYTES + b"x" + b"\n" * TAIL_BYTES * 2)
    assert fault(file) == "has no visible character in its first 16 MiB; the rest was not read"


def test_the_scan_for_the_end_ends_at_its_limit_and_says_so(file: Path) -> None:
    file.write_bytes(b"x" + END.encode() + b"\n" * (MAX_SCAN_BYTES - TAIL_BYTES))
    assert fault(file, END) is None
    file.write_bytes(b"x" + END.encode() + b"\n" * MAX_SCAN_BYTES)
    assert fault(file, END) == (
        "ends with more than 16 MiB of whitespace; nothing before that was read"
    )


def test_a_huge_file_costs_little(file: Path) -> None:
    """Sparse: a terabyte that takes no room on disk."""
    with file.open("wb") as stream:
        stream.truncate(2**40)
        stream.seek(0, os.SEEK_END)
        stream.write(b"\nthe end\n" + END.encode())
    started = time.process_time()
    assert fault(file, END) is None
    assert fault(file) is None
    assert time.process_time() - started < 1
    with file.open("r+b") as stream:
        stream.truncate(2**40)
    assert fault(file) == "has no visible character in its first 16 MiB; the rest was not read"


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["a", " ", "\n", "é", "\u3000", "\u200b", "END", b"\xff", b"\xe3"])),
    st.sampled_from([None, "END", "a", "é"]),
)
def test_the_two_ends_of_a_file_say_what_the_whole_text_says(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Any], marker: str | None
) -> None:
    content = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    file = tmp_path_factory.mktemp("complete") / "f"
    file.write_bytes(content)
    text = content.decode("utf-8", "replace").rstrip()
    complete = (
        has_visible(text)
        if marker is None
        else text.endswith(marker) and has_visible(text.removesuffix(marker))
    )
    assert (fault(file, marker) is None) is complete


def test_every_matching_file_must_be_complete(check: Check) -> None:
    spec = {"type": "file_complete", "path": "*.md", "must_end_with": END}
    outcome = check(spec, {"a.md": f"x {END}", "b.md": "cut of", "c.md": ""})
    assert not outcome.held
    assert outcome.message == (
        f'2 of 3 files not complete: b.md does not end with "{END}" but with "cut of"; '
        "c.md is empty"
    )
    assert len(outcome.details) == 2
    assert (outcome.file, outcome.observed, outcome.expected) == ("b.md", "cut of", END)


def test_a_complete_file_is_described(check: Check) -> None:
    outcome = check({"type": "file_complete", "path": "*.md"}, {"out/a.md": "x"})
    assert outcome.held
    assert outcome.message == "out/a.md has visible text"


def test_no_matching_file_fails(check: Check) -> None:
    spec = {"type": "file_complete", "path": "report.md"}
    assert check(spec, {"x": "x"}).message == "report.md was not found"


def test_a_device_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.md")
    (outcome,) = Gate.parse([{"type": "file_complete", "path": "report.md"}]).run(tmp_path)
    assert "report.md is a fifo" in outcome.message
