import pytest

from judge_bundles.documents.document import KeyPath
from judge_bundles.documents.problems import Problem
from judge_bundles.rules.problems import read_key_path, rule_error


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("path", ("path",)),
        ("left.file", ("left", "file")),
        ("fields[2]", ("fields", 2)),
        ("allowed[0].x", ("allowed", 0, "x")),
        ("a[" + "9" * 5000 + "]", ("a", "9" * 5000 + "]")),
    ],
)
def test_the_short_form_of_a_key_path_is_read_back(text: str, path: KeyPath) -> None:
    assert read_key_path(text) == path


def test_problems_stand_in_the_order_of_lines_with_what_is_known_of_their_place() -> None:
    problems = [
        Problem(("b",), "second", 9),
        Problem((), "third", 10),
        Problem(("a",), "first", 2),
        Problem((), "of the whole file"),
    ]
    assert str(rule_error("r.json", problems)).split("\n") == [
        "r.json: of the whole file",
        "r.json:2: a: first",
        "r.json:9: b: second",
        "r.json:10: third",
    ]
