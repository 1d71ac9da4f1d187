"""Names in archives: what they stand for and which are refused."""

import time

import pytest

from judge_bundles.bundles.member_names import archive_path
from judge_bundles.errors import JudgementError


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"report.md", b"report.md"),
        (b"./a/b", b"a/b"),
        (b"././a", b"a"),
        (b"a:b.txt", b"a:b.txt"),
        (b"C:report.md", b"C:report.md"),
        (b"12:30:01.log", b"12:30:01.log"),
        (b"dir/C:/x", b"dir/C:/x"),
        (b"name..txt", b"name..txt"),
        (b"...", b"..."),
        (b"-rf", b"-rf"),
        (b" ", b" "),
        (b"new\nline", b"new\nline"),
        (b"bad\xff\xfe", b"bad\xff\xfe"),
    ],
)
def test_any_name_linux_allows_is_taken(raw: bytes, path: bytes) -> None:
    assert archive_path(raw, folder=False) == path


@pytest.mark.parametrize(
    ("raw", "path"), [(b"a/", b"a"), (b"./a", b"a"), (b"./", b""), (b".", b""), (b"a/b/", b"a/b")]
)
def test_a_folder_may_end_with_a_slash_and_may_be_the_bundle_itself(
    raw: bytes, path: bytes
) -> None:
    assert archive_path(raw, folder=True) == path


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"../x", "'..'"),
        (b"a/../b", "'..'"),
        (b"a/..", "'..'"),
        (b"./../x", "'..'"),
        (b"/etc/passwd", "absolute"),
        (b"//x", "absolute"),
        (b".//x", "absolute"),
        (b"C:/x", "drive letter"),
        (b"c:", "drive letter"),
        (b"..\\x", "backslash"),
        (b"C:\\x", "backslash"),
        (b"a\\b", "backslash"),
        (b"a\0b", "NUL"),
        (b"a//b", "empty"),
        (b"a/./b", "'.'"),
        (b"a/.", "'.'"),
        (b"file/", "empty"),
        (b"", "empty name"),
        (b".", "'.'"),
    ],
)
def test_a_name_that_could_lead_elsewhere_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(JudgementError, match=r"member '.*'") as caught:
        archive_path(raw, folder=False)
    assert caught.value.kind == "intake"
    assert reason in caught.value.message


def test_any_number_of_dots_in_front_costs_no_more_than_its_length() -> None:
    started = time.process_time()
    assert archive_path(b"./" * 500_000 + b"a", folder=False) == b"a"
    assert time.process_time() - started < 1  # with one copy for each dot: twelve seconds


@pytest.mark.parametrize("raw", [b"", b"/", b"a//", b"..", b"../"])
def test_a_folder_name_that_could_lead_elsewhere_is_refused(raw: bytes) -> None:
    with pytest.raises(JudgementError):
        archive_path(raw, folder=True)
