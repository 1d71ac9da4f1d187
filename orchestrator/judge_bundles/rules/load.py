"""Read rule files: one, or all of a command line. Nothing is run, no model or engine is asked."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from judge_bundles.documents.document import DocumentLimits, UnreadableDocumentError
from judge_bundles.documents.problems import show_path, unreadable
from judge_bundles.documents.source import read_document
from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_BYTES, MAX_RULE_DEPTH
from judge_bundles.rules.catalogue import Catalogue, read_catalogue
from judge_bundles.rules.draft import Draft
from judge_bundles.rules.model import Overrides, Rule
from judge_bundles.rules.problems import rule_error

_LIMITS: Final = DocumentLimits(MAX_RULE_BYTES, MAX_RULE_DEPTH)
_NO_OVERRIDES: Final = Overrides()


def load_rule(
    path: str | os.PathLike[str],
    *,
    project_root: Path | None = None,
    overrides: Overrides = _NO_OVERRIDES,
    judges_dirs: Sequence[Path] = (),
) -> Rule:
    """Return the rule in the file `path`, or raise `RuleError` with all its problems.

    Paths in the rule start at `project_root` (default: the current folder), then beside the rule.
    `judges_dirs` are folders with builtin judges beside the shipped ones.
    """
    return _load(Path(path), project_root or Path(), overrides, _catalogue(judges_dirs))


def _load(
    source: Path, project_root: Path, overrides: Overrides, catalogue: Callable[[], Catalogue]
) -> Rule:
    if overrides.model is not None and not overrides.model.strip():
        raise RuleError("--model is blank: name a model, or leave the option out")
    if overrides.runtime is not None and not overrides.runtime.strip():
        raise RuleError("--runtime is blank: name a runtime, or leave the option out")
    try:
        root = read_document(source, _LIMITS)
    except UnreadableDocumentError as error:
        raise rule_error(source, [unreadable(error)]) from error
    return Draft(source, root, project_root, catalogue).rule(overrides)


def _catalogue(judges_dirs: Sequence[Path]) -> Callable[[], Catalogue]:
    """Return what gives the catalogue: at once where folders are named, else once it is needed."""
    catalogue = cache(partial(read_catalogue, tuple(judges_dirs)))
    if judges_dirs:
        catalogue()
    return catalogue


def load_rules(
    paths: Iterable[str | os.PathLike[str]],
    *,
    project_root: Path | None = None,
    overrides: Overrides = _NO_OVERRIDES,
    judges_dirs: Sequence[Path] = (),
) -> tuple[Rule, ...]:
    """Return the rules of one command line; their names must differ."""
    catalogue = _catalogue(judges_dirs)
    rules: list[Rule] = []
    failures: list[str] = []
    for path in paths:
        try:
            rules.append(_load(Path(path), project_root or Path(), overrides, catalogue))
        except RuleError as error:
            failures.append(str(error))
    if failures:
        raise RuleError("\n".join(dict.fromkeys(failures)))
    _refuse_equal_names(rules)
    return tuple(rules)


def _refuse_equal_names(rules: list[Rule]) -> None:
    first: dict[str, Rule] = {}
    for rule in rules:
        other = first.setdefault(rule.name, rule)
        if other is not rule:
            files = f"{show_path(other.source)} and {show_path(rule.source)}"
            raise RuleError(f"{files} are both named `{rule.name}`: give one another `name`")
