"""One builtin judge: its file, read and understood as far as that goes without running it."""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from judge_bundles.documents.document import UnreadableDocumentError
from judge_bundles.documents.source import read_text
from judge_bundles.limits import MAX_BUILTIN_BYTES
from judge_bundles.rules.arguments import Declared
from judge_bundles.rules.catalogue.header import (
    Header,
    declared_arguments,
    read_header,
    split_comment,
)
from judge_bundles.rules.python_function import find_function
from judge_bundles.rules.python_text import parsed
from judge_bundles.rules.texts import normal_text

Kind = Literal["python", "LLM"]

FUNCTION = "judge"
"""What a Python judge defines."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """One judge of the catalogue. `text` is its Python, or its prompt without the header."""

    name: str
    category: str
    kind: Kind
    file: Path
    text: str
    header: Header
    declared: Declared

    @property
    def qualified(self) -> str:
        """`category/name`."""
        return f"{self.category}/{self.name}"


def read_builtin(file: Path, category: str) -> Builtin:
    """Return the judge in `file`; ValueError says what is wrong with it."""
    try:
        text = read_text(file, MAX_BUILTIN_BYTES)
    except UnreadableDocumentError as error:
        place = "" if error.line is None else f"line {error.line}: "
        raise ValueError(f"{place}{error.message}") from error
    if file.suffix == ".py":
        return _python(file, category, text)
    return _llm(file, category, text)


def _python(file: Path, category: str, text: str) -> Builtin:
    tree = parsed(text)
    declared = find_function(tree, FUNCTION, text)
    header = read_header(ast.get_docstring(tree) or "")
    return Builtin(file.stem, category, "python", file, text, header, declared)


def _llm(file: Path, category: str, text: str) -> Builtin:
    comment, template = split_comment(text)
    prompt = normal_text(template)
    if not prompt:
        raise ValueError("holds no prompt")
    header = read_header(comment)
    if header.arguments is None:
        declared = Declared()
    else:
        declared = Declared(tuple(declared_arguments(header.arguments)), open=False)
    return Builtin(file.stem, category, "LLM", file, prompt, header, declared)
