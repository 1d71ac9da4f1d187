"""What the file of a builtin judge says of itself: a docstring, or the comment a prompt begins with.

Checks that the report is short.

Required fields: main_content
Failure means: The report is longer than a reader has time for.
Arguments:
    max_words: int = 500  # how long it may be
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judge_bundles.rules.arguments import Argument, argument
from judge_bundles.rules.python_text import parsed

_FIELD: Final = re.compile(r"\s*(Required fields|Failure means|Arguments):(?:\s+(.*))?")
_COMMENT: Final = re.compile(r"\s*<!--(.*?)-->[ \t]*\n?", re.DOTALL)
_NONE: Final = frozenset({"none", "(none)"})


@dataclass(frozen=True, slots=True)
class Header:
    """The parts of one, each on one line. `arguments` is None where nothing is said of them."""

    about: str = ""
    required_fields: str = ""
    failure: str = ""
    arguments: tuple[str, ...] | None = None


def split_comment(text: str) -> tuple[str, str]:
    """Return the comment that a prompt begins with, "" for none, and the prompt itself."""
    match = _COMMENT.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def read_header(text: str) -> Header:
    """Return what `text` says; what it does not say is empty."""
    fields: dict[str, list[str]] = {"": []}
    here, ended = "", False
    for line in text.strip().splitlines():
        if match := _FIELD.fullmatch(line):
            here, ended = match[1], False
            fields[here] = [match[2] or ""]
        elif not line.strip():
            ended = True
        elif not ended or here == "Arguments":
            fields[here].append(line.strip())
    return Header(
        about=_one_line(fields[""]),
        required_fields=_one_line(fields.get("Required fields", ())),
        failure=_one_line(fields.get("Failure means", ())),
        arguments=_lines(fields["Arguments"]) if "Arguments" in fields else None,
    )


def declared_arguments(lines: Sequence[str]) -> Iterator[Argument]:
    """Yield the argument that each line such as `max_words: int = 500  # help` declares.

    ValueError for a line of another form, or a default that does not fit.
    """
    if len(lines) == 1 and lines[0].lower() in _NONE:
        return
    for line in lines:
        code, _, note = line.partition("  #")
        yield _declared(code, note.strip())


def _declared(code: str, note: str) -> Argument:
    try:
        body = parsed(code).body
    except ValueError:
        body = []
    match body:
        case [ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=default)]:
            return argument(name, annotation, default, note)
    raise ValueError(f"Arguments: `{code[:80]}` is not of the form `name: type = default  # help`")


def _one_line(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def _lines(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line)
