"""The problems of one rule file as one error, in the order of its lines."""

import os
import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from judge_bundles.documents.document import KeyPath
from judge_bundles.documents.problems import Problem, problem_line, show_path
from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_PROBLEMS

_STEP: Final = re.compile(r"\[(?P<index>[0-9]{1,9})\]|\.?(?P<key>[^.\[]+)")


def rule_error(source: str | os.PathLike[str], problems: Iterable[Problem]) -> RuleError:
    """Return the error that lists `problems`, at most MAX_RULE_PROBLEMS of them, one a line.

    Those left out are not even looked for: a file of nothing but mistakes may hold many thousands.
    """
    found = iter(problems)
    listed = list(islice(found, MAX_RULE_PROBLEMS))
    lines = [problem_line(source, one) for one in sorted(listed, key=lambda one: one.line or 0)]
    if next(found, None) is not None:
        lines.append(f"{show_path(source)}: and more, once these {len(listed)} are put right")
    return RuleError("\n".join(lines))


def read_key_path(text: str) -> KeyPath:
    """Return the path that `text`, such as `left.file` or `fields[2]`, is the short form of."""
    return tuple(
        int(match["index"]) if match["index"] else match["key"] for match in _STEP.finditer(text)
    )
