import pytest

from judge_bundles.documents.document import KeyPath, UnreadableDocumentError
from judge_bundles.documents.problems import Problem, problem_line, show_key_path, unreadable


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), ""),
        (("limits", "max_turns"), "limits.max_turns"),
        (("prechecks", 2, "left", "file"), "prechecks[2].left.file"),
        ((0, "fields", 1), "[0].fields[1]"),
        (("$schema",), "$schema"),
        (("a b", "c.d", ""), '["a b"]["c.d"][""]'),
        (("\x1b\n",), '["\\u001b\\n"]'),
        (("k" * 80,), "k" * 80),
        (("k" * 81,), f'["{"k" * 79}…"]'),
    ],
)
def test_a_key_path_is_shown_as_it_would_be_written(path: KeyPath, shown: str) -> None:
    assert show_key_path(path) == shown


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem(("a", 0), "is missing", 7), "r.yaml:7: a[0]: is missing"),
        (Problem(("a",), "is missing"), "r.yaml: a: is missing"),
        (Problem((), "is missing", 7), "r.yaml:7: is missing"),
        (Problem((0,) * 66, "is deep", 7), f"r.yaml:7: {'[0]' * 66}: is deep"),
        (Problem((0,) * 67, "is deep", 7), f"r.yaml:7: {'[0]' * 66}[…: is deep"),
        (Problem((), "\x1b[31m\nred"), "r.yaml: \\u001b[31m\\nred"),
        (Problem((), "x" * 500), f"r.yaml: {'x' * 500}"),
        (Problem((), "x" * 501), f"r.yaml: {'x' * 499}…"),
    ],
)
def test_a_problem_is_one_harmless_line_with_what_is_known_of_its_place(
    problem: Problem, line: str
) -> None:
    assert problem_line("r.yaml", problem) == line


def test_what_a_reader_gave_up_on_is_a_problem_at_its_place() -> None:
    error = UnreadableDocumentError("is odd", 3)
    error.path = ("a", 1)
    assert unreadable(error) == Problem(("a", 1), "is odd", 3)
