"""Problems of one rule file: collected, put in the order of its lines, and said in plain lines.

Everything quoted from the file is escaped here, once, for a terminal.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from judge_bundles import escape
from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_PROBLEMS
from judge_bundles.rules.document import KeyPath

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,79}")
_STEP: Final = re.compile(r"\[(?P<index>[0-9]{1,9})\]|\.?(?P<key>[^.\[]+)")
_MAX_MESSAGE_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to put right: where (`path` may be empty, `line` unknown) and what."""

    path: KeyPath
    message: str
    line: int | None = None


def rule_error(source: str | os.PathLike[str], problems: Iterable[Problem]) -> RuleError:
    """Return the error that lists `problems`, at most MAX_RULE_PROBLEMS of them, one a line.

    Those left out are not even looked for: a file of nothing but mistakes may hold many thousands.
    """
    found = iter(problems)
    listed = list(islice(found, MAX_RULE_PROBLEMS))
    lines = [_line(source, one) for one in sorted(listed, key=lambda one: one.line or 0)]
    if next(found, None) is not None:
        lines.append(f"{show_path(source)}: and more, once these {len(listed)} are put right")
    return RuleError("\n".join(lines))


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


def read_key_path(text: str) -> KeyPath:
    """Return the path that `text`, such as `left.file` or `fields[2]`, is the short form of."""
    return tuple(
        int(match["index"]) if match["index"] else match["key"] for match in _STEP.finditer(text)
    )


def _line(source: str | os.PathLike[str], problem: Problem) -> str:
    where = show_path(source) + ("" if problem.line is None else f":{problem.line}")
    key_path = show_key_path(problem.path)
    message = escape.line(problem.message, limit=_MAX_MESSAGE_CHARACTERS)
    return ": ".join(part for part in (where, key_path, message) if part)
