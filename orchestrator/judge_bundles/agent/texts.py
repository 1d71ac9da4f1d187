"""Read the files of one snapshot as text, again and again, without keeping all of them."""

from typing import Final

from judge_bundles.agent.kept import Kept
from judge_bundles.agent.text import Text, decode
from judge_bundles.limits import MIB
from judge_prechecks.names import show
from judge_prechecks.tree import Tree

MAX_KEPT_BYTES: Final = 64 * MIB
"""Of all texts that are kept; a file is kept as it lies."""


class Texts:
    """The texts of one snapshot, by the printable names of its files."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files = {show(file.path): file for file in tree.files}
        self._kept: Kept[Text | None] = Kept(MAX_KEPT_BYTES, _size)

    def read(self, name: str) -> Text | None:
        """Return the text of a file, or None for what is not text."""
        return self._kept.get(name, lambda: self._decoded(name))

    def _decoded(self, name: str) -> Text | None:
        with self._tree.open(self._files[name]) as stream:
            return decode(stream.read())


def _size(text: Text | None) -> int:
    return len(text.raw) if text else 0
