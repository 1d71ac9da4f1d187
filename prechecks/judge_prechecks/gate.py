"""The gate: all prechecks of a rule on one bundle, evaluated every one, whatever the bundle holds."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from judge_prechecks import specs as parsing
from judge_prechecks.bundle import Bundle
from judge_prechecks.limits import MAX_LISTED, MAX_MESSAGE_CHARACTERS, MAX_SPEC_BYTES
from judge_prechecks.outcome import JSON, CheckCrashedError, Held, Outcome, UnmetError
from judge_prechecks.parameters import Parameters
from judge_prechecks.patterns import Pattern
from judge_prechecks.present import bounded, cut
from judge_prechecks.spec_errors import PrecheckSpecError, Problem
from judge_prechecks.specs import Spec
from judge_prechecks.strict_json import InvalidJsonError, JsonOptions, decode
from judge_prechecks.tree import Tree
from judge_prechecks.view import View

_MAX_DETAILS: Final = 2 * MAX_LISTED
"""More than any check of this package writes; a bound for plugins."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Validated prechecks, ready to run on any number of bundles, from any thread."""

    checks: tuple[Spec, ...]
    json_options: JsonOptions = field(default_factory=JsonOptions)
    documents: tuple[Pattern, ...] = ()
    """The files that prechecks select from, see `Bundle`."""

    @classmethod
    def parse(cls, items: JSON, json_options: JsonOptions | None = None) -> "Gate":
        """Validate a decoded JSON array; raises `PrecheckSpecError` with every problem in it."""
        checks = parsing.parse(items)
        documents = {
            pattern.text: pattern for check in checks for pattern in check.parameters.documents()
        }
        return cls(checks, json_options or JsonOptions(), tuple(documents.values()))

    @property
    def specs(self) -> tuple[Parameters, ...]:
        """The typed parameters of each precheck, in order."""
        return tuple(check.parameters for check in self.checks)

    def dump(self) -> list[dict[str, Any]]:
        """Return the array in canonical form, defaults filled in: equal gates, equal dumps."""
        return [spec.model_dump(mode="json", exclude_none=True) for spec in self.specs]

    def run(self, bundle: Tree | str | os.PathLike[str]) -> tuple[Outcome, ...]:
        """Evaluate every precheck on a tree, or on a folder that is scanned first.

        No bundle makes it raise, but for the `OSError` of a folder that cannot be scanned, and
        `MemoryError`. A check of which a fault shows is a `CheckCrashedError`, not an outcome.
        """
        tree = bundle if isinstance(bundle, Tree) else Tree.scan(bundle)
        shared = Bundle(tree, self.json_options, self.documents)
        return tuple(_evaluate(index, spec, shared) for index, spec in enumerate(self.checks))


def load(path: str | os.PathLike[str], json_options: JsonOptions | None = None) -> Gate:
    """Read a JSON file that holds an array of prechecks; raises `PrecheckSpecError`."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_SPEC_BYTES + 1)
        items = decode(data, JsonOptions(max_bytes=MAX_SPEC_BYTES))
    except (OSError, InvalidJsonError) as error:
        raise PrecheckSpecError([Problem(None, None, f"{os.fspath(path)}: {error}")]) from None
    return Gate.parse(items, json_options)


def _evaluate(index: int, spec: Spec, bundle: Bundle) -> Outcome:
    view = View(bundle)
    kind = spec.primitive.name
    try:
        result = spec.primitive.check(spec.parameters, view)
    except UnmetError as unmet:
        return _outcome(index, kind, unmet, view.notes, held=False)
    except MemoryError:
        raise
    except Exception as error:  # an accident is no judgement
        raise CheckCrashedError(index, kind, error) from error
    return _outcome(index, kind, result, view.notes, held=True)


def _outcome(
    index: int, kind: str, result: Held | UnmetError, notes: list[str], *, held: bool
) -> Outcome:
    """Bound what a check said, so that no bundle and no plugin can flood a verdict."""
    observed, expected, details = result.observed, result.expected, result.details
    if notes:
        details = (*details, *notes)
    return Outcome(
        index,
        kind,
        held,
        cut(result.message, MAX_MESSAGE_CHARACTERS),
        result.file,
        result.path,
        None if observed is None else bounded(observed),
        None if expected is None else bounded(expected),
        _bounded_details(details) if details else (),
    )


def _bounded_details(details: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cut(text, MAX_MESSAGE_CHARACTERS) for text in details[:_MAX_DETAILS])
