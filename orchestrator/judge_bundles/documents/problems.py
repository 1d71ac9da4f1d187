"""A problem in a document, said in one plain line: which file and line, under which key, what.

Everything quoted from the file is escaped here, once, for a terminal.
"""

import os
import re
from dataclasses import dataclass
from typing import Final

from judge_bundles import escape
from judge_bundles.documents.document import KeyPath, UnreadableDocumentError

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,79}")
_MAX_KEY_PATH_CHARACTERS: Final = 200
_MAX_MESSAGE_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to put right: where (`path` may be empty, `line` unknown) and what."""

    path: KeyPath
    message: str
    line: int | None = None


def unreadable(error: UnreadableDocumentError) -> Problem:
    """Return what made a reader give up."""
    return Problem(error.path, error.message, error.line)


def problem_line(source: str | os.PathLike[str], problem: Problem) -> str:
    """Return `rule.yaml:3: prechecks[2].path: message`, less what is not known of its place."""
    where = show_path(source) + ("" if problem.line is None else f":{problem.line}")
    key_path = escape.line(show_key_path(problem.path), limit=_MAX_KEY_PATH_CHARACTERS)
    message = escape.line(problem.message, limit=_MAX_MESSAGE_CHARACTERS)
    return ": ".join(part for part in (where, key_path, message) if part)


def show_path(path: str | os.PathLike[str]) -> str:
    """Return a file's path in the form messages show it."""
    return escape.line(os.fspath(path))


def show_key_path(path: KeyPath) -> str:
    """Return `path` as `prechecks[2].left.file`; keys that are no plain words stand in quotes."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            shown += f".{part}" if shown else part
        else:
            shown += f'["{escape.line(part, limit=80)}"]'
    return shown
