"""Read a script file: bounded, JSON or YAML, and a mistake named with its place.

The limits are those of a script; how a document is read is `judge_bundles.documents`' business.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from judge_bundles import escape
from judge_bundles.documents.document import (
    DocumentLimits,
    Node,
    UnreadableDocumentError,
    nearest,
    plain,
)
from judge_bundles.documents.problems import Problem, problem_line, show_path, unreadable
from judge_bundles.documents.source import parse_document, read_bytes
from judge_bundles.errors import ModelSetupError
from judge_bundles.limits import MAX_SCRIPT_BYTES, MAX_SCRIPT_DEPTH
from judge_bundles.models.base import Price
from judge_bundles.models.script.format import ScriptFile

_LIMITS: Final = DocumentLimits(
    MAX_SCRIPT_BYTES,
    MAX_SCRIPT_DEPTH,
    lone_surrogates=True,  # a script can say whatever a careless model says
)
_WORDS: Final = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "model_type": "must be a mapping",
    "dict_type": "must be a mapping",
}


@dataclass(frozen=True, slots=True)
class Script:
    """A script that was read: its file's name, the digest of its bytes, and what it says."""

    file_name: str
    sha256: str
    content: ScriptFile

    @property
    def price(self) -> Price | None:
        """The declared price."""
        return self.content.prices.price() if self.content.prices else None


def load(path: Path) -> Script:
    """Return the script in `path`; raises `ModelSetupError` with file, key path and line."""
    try:
        raw = read_bytes(path, MAX_SCRIPT_BYTES)
    except UnreadableDocumentError as error:
        message = f"script {show_path(path)} cannot be read: {error.message}"
        raise ModelSetupError(message) from error
    return parse(raw, file_name=path.name)


def parse(raw: bytes, *, file_name: str) -> Script:
    """Return the script in the bytes of a file called `file_name`."""
    try:
        root = parse_document(raw, file_name, _LIMITS)
        content = ScriptFile.model_validate(plain(root))
    except UnreadableDocumentError as error:
        raise _refusal(file_name, unreadable(error)) from error
    except ValidationError as error:
        raise _refusal(file_name, _first_problem(error, root)) from error
    return Script(escape.line(file_name), hashlib.sha256(raw).hexdigest(), content)


def _first_problem(error: ValidationError, root: Node) -> Problem:
    """Return the first thing the format does not take."""
    first = error.errors(include_url=False)[0]
    # As far as the document goes; the validator adds names of its own.
    node, path = nearest(root, first["loc"])
    if first["type"] == "missing":
        path = (*path, first["loc"][-1])
    message = _WORDS.get(first["type"], first["msg"].removeprefix("Value error, "))
    return Problem(path, message, node.line)


def _refusal(file_name: str, problem: Problem) -> ModelSetupError:
    return ModelSetupError(f"script {problem_line(file_name, problem)}")
