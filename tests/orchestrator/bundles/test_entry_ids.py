"""Ids of bundles: short, unique, printable."""

import pytest

from judge_bundles.bundles.entry_ids import unique_ids


@pytest.mark.parametrize(
    ("paths", "ids"),
    [
        ([("run-1", ""), ("run-2.zip", ".zip")], ["run-1", "run-2"]),
        ([("run-1", ""), ("run-1.zip", ".zip")], ["run-1", "run-1.zip"]),
        ([("r.zip", ".zip"), ("r.tgz", ".tgz")], ["r.zip", "r.tgz"]),
        ([("a", ""), ("a.zip", ".zip"), ("a.zip.tgz", ".tgz")], ["a", "a.zip", "a.zip.tgz"]),
        ([("x/a.ZIP", ".ZIP"), ("y/a.zip", ".zip")], ["x/a", "y/a"]),
        ([("new\nline.tar", ".tar")], ["new\\nline"]),
        ([("new\nline", ""), ("new\\nline", "")], ["new\\nline", "new\\\\nline"]),
        ([], []),
    ],
)
def test_the_suffix_is_left_out_where_that_is_unambiguous(
    paths: list[tuple[str, str]], ids: list[str]
) -> None:
    assert unique_ids(paths) == ids
