"""A JSON or YAML document as a tree that remembers the line of every value.

The two readers beside this module build it; nothing here knows what a document is about.
"""

from dataclasses import dataclass

from judge_bundles.verdict import JSON

Scalar = None | bool | int | float | str
KeyPath = tuple[str | int, ...]
"""Keys and list positions (from 0) that lead from the top of a document to a value."""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What a reader takes. `max_bytes` also holds once every alias of YAML is written out.

    With `lone_surrogates`, a text may hold halves of characters, as some models write them.
    """

    max_bytes: int
    max_depth: int
    lone_surrogates: bool = False


class UnreadableDocumentError(Exception):
    """The text is no document at all. `line` counts from 1 and may be unknown, `path` be empty."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.path: KeyPath = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One value. `line` (from 1) is where its key stands, or where it starts if it has none."""

    content: "Scalar | dict[str, Node] | list[Node]"
    line: int


def plain(node: Node) -> JSON:
    """Return the value without its lines."""
    if isinstance(node.content, dict):
        return {key: plain(member) for key, member in node.content.items()}
    if isinstance(node.content, list):
        return [plain(item) for item in node.content]
    return node.content


def nearest(node: Node, path: KeyPath) -> tuple[Node, KeyPath]:
    """Return the value at `path`, or the nearest above it that exists, and the path to that."""
    for depth, part in enumerate(path):
        child: Node | None = None
        if isinstance(node.content, dict) and isinstance(part, str):
            child = node.content.get(part)
        elif isinstance(node.content, list) and isinstance(part, int):
            child = node.content[part] if 0 <= part < len(node.content) else None
        if child is None:
            return node, path[:depth]
        node = child
    return node, path


def line_of(node: Node, path: KeyPath) -> int:
    """Return the line of the value at `path`, or of the nearest value above it that exists."""
    return nearest(node, path)[0].line
