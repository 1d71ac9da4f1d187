"""What the file of a builtin judge says of itself."""

import re

import pytest

from judge_bundles.rules.arguments import Argument
from judge_bundles.rules.catalogue.header import (
    Header,
    declared_arguments,
    read_header,
    split_comment,
)

WHOLE = """
  Checks that the report
  is short.

  This goes on for people.

  Required fields: main_content,
    files
  Failure means: It is long.
  Arguments:
      words: int = 500  # how long

      tone: str = "plain"
"""


def test_each_part_of_a_header_is_read_as_one_line() -> None:
    assert read_header(WHOLE) == Header(
        about="Checks that the report is short.",
        required_fields="main_content, files",
        failure="It is long.",
        arguments=("words: int = 500  # how long", 'tone: str = "plain"'),
    )


@pytest.mark.parametrize("text", ["", "  \n", "Required fields:"])
def test_what_is_not_said_is_empty(text: str) -> None:
    assert read_header(text) == Header()


def test_arguments_that_are_named_without_any_are_none() -> None:
    assert read_header("Arguments:").arguments == ()
    assert read_header("Arguments: none").arguments == ("none",)
    assert list(declared_arguments(("none",))) == list(declared_arguments(("(None)",))) == []


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("words: int = 500  # how long", Argument("words", "int", has_default=True, default=500, help="how long")),
        ("words: int", Argument("words", "int", required=True)),
        ('mark: str = "#"', Argument("mark", "str", has_default=True, default="#")),
        ("all: list[str] = []  #none", Argument("all", "list[str]", has_default=True, default=[], help="none")),
        ("later: int = LATER", Argument("later", "int")),
    ],
)  # fmt: skip
def test_a_line_declares_an_argument(line: str, argument: Argument) -> None:
    assert list(declared_arguments((line,))) == [argument]


@pytest.mark.parametrize(
    "line", ["words", "words = 1", "a.b: int = 1", "a: int; b: int", "(", "a: int = 1 2"]
)
def test_a_line_of_another_form_is_refused(line: str) -> None:
    message = f"Arguments: `{line}` is not of the form `name: type = default  # help`"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        list(declared_arguments((line,)))


@pytest.mark.parametrize(
    ("text", "comment", "prompt"),
    [
        ("<!-- a -->\nb\n", " a ", "b\n"),
        ("\n<!--\na\n-->  \n\nb <!-- c -->", "\na\n", "\nb <!-- c -->"),
        ("b <!-- c -->", "", "b <!-- c -->"),
        ("<!-- never closed", "", "<!-- never closed"),
    ],
)
def test_the_comment_that_a_prompt_begins_with_is_no_part_of_it(
    text: str, comment: str, prompt: str
) -> None:
    assert split_comment(text) == (comment, prompt)
