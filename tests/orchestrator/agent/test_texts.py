from pathlib import Path

import pytest

from judge_bundles.agent import texts
from judge_bundles.agent.texts import Texts
from judge_prechecks.tree import Tree


def test_texts_are_read_by_printable_name(tmp_path: Path) -> None:
    (tmp_path / "a\nb.md").write_text("words\n")
    (tmp_path / "image").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\0")
    read = Texts(Tree.scan(tmp_path)).read
    text = read("a\\nb.md")
    assert text is not None
    assert text.content == "words\n"
    assert read("a\\nb.md") is text
    assert read("image") is None


@pytest.mark.parametrize(("extra", "kept"), [(0, True), (1, False)])
def test_as_many_are_kept_as_fit(tmp_path: Path, extra: int, kept: bool) -> None:
    half = texts.MAX_KEPT_BYTES // 2
    (tmp_path / "a").write_bytes(b"x" * half)
    (tmp_path / "b").write_bytes(b"x" * (half + extra))
    read = Texts(Tree.scan(tmp_path)).read
    first = read("a")
    read("b")
    assert first is not None
    assert (read("a") is first) is kept
