import pytest

from judge_bundles.documents.document import KeyPath, Node, line_of, nearest, plain

INNER = Node({"b": Node("text", 4)}, 3)
ROOT = Node({"a": Node([Node(1, 2), INNER], 2), "c": Node({}, 5)}, 1)


def test_a_tree_without_its_lines_is_the_plain_value() -> None:
    assert plain(ROOT) == {"a": [1, {"b": "text"}], "c": {}}


@pytest.mark.parametrize(
    ("path", "reached", "line"),
    [
        ((), (), 1),
        (("a", 1), ("a", 1), 3),
        (("a", 1, "b"), ("a", 1, "b"), 4),
        (("a", 1, "b", "further"), ("a", 1, "b"), 4),
        (("a", 1, "constrained-int"), ("a", 1), 3),
        (("a", 2), ("a",), 2),
        (("a", -1), ("a",), 2),
        (("a", "0"), ("a",), 2),
        (("c", 0), ("c",), 5),
        (("missing", "b"), (), 1),
    ],
)
def test_a_path_is_followed_as_far_as_the_document_goes(
    path: KeyPath, reached: KeyPath, line: int
) -> None:
    node, found = nearest(ROOT, path)
    assert (found, node.line, line_of(ROOT, path)) == (reached, line, line)
