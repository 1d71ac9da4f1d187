"""A rule file between being read and being a rule: find everything that is wrong with it.

Each step adds what it finds; only then is the file refused, with all of it at once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from judge_bundles.documents.document import KeyPath, Node, line_of, plain
from judge_bundles.documents.problems import Problem
from judge_bundles.limits import MAX_PRECHECKS
from judge_bundles.rules.file_model import RuleFile, object_schema
from judge_bundles.rules.model import Overrides, Rule
from judge_bundles.rules.problems import read_key_path, rule_error
from judge_bundles.rules.resolve import resolve
from judge_bundles.rules.texts import normal_text, read_prompt
from judge_bundles.rules.wording import empty_keys, model_problems
from judge_prechecks import Gate, JsonOptions, PrecheckSpecError

_SCHEMA: Final = object_schema()


@dataclass(slots=True)
class Draft:
    """One file. `source` is its path for messages, `root` its content with lines."""

    source: Path
    root: Node
    project_root: Path
    problems: list[Iterable[Problem]] = field(default_factory=list)

    def rule(self, overrides: Overrides) -> Rule:
        """Return the rule, or raise `RuleError`."""
        keys = self._keys()
        file = self._file(keys)
        json_options = _json_options(keys)
        gate = self._gate(keys, json_options)
        rubric = self._rubric(keys)
        self._refuse_if_any()
        assert file is not None
        self._find_disagreements(file, rubric)
        self._refuse_if_any()
        return resolve(
            file,
            gate=gate,
            json_options=json_options,
            rubric=rubric,
            source=self.source,
            overrides=overrides,
        )

    def _keys(self) -> dict[str, Any]:
        value = plain(self.root)
        if isinstance(value, list):
            return {"prechecks": value}
        if isinstance(value, dict):
            return value
        # The value is not shown: it may be the first line of a file that is no rule at all.
        message = "a rule is a mapping of keys or a list of prechecks, not a single value"
        raise rule_error(self.source, [Problem((), message, self.root.line)])

    def _file(self, keys: dict[str, Any]) -> RuleFile | None:
        self.problems.append(empty_keys(self.root, _SCHEMA))
        try:
            return RuleFile.model_validate(keys)
        except ValidationError as error:
            self.problems.append(model_problems(error, _SCHEMA, self.root))
            return None

    def _gate(self, keys: dict[str, Any], json_options: JsonOptions) -> Gate:
        items = keys.get("prechecks")
        usable = isinstance(items, list) and len(items) <= MAX_PRECHECKS
        try:
            return Gate.parse(items if usable else [], json_options=json_options)
        except PrecheckSpecError as error:
            self.problems.append(self._gate_problems(error))
            return Gate.parse([], json_options=json_options)

    def _gate_problems(self, error: PrecheckSpecError) -> Iterator[Problem]:
        above: KeyPath = () if isinstance(self.root.content, list) else ("prechecks",)
        for problem in error.problems:
            index = () if problem.index is None else (problem.index,)
            path = (*above, *index, *read_key_path(problem.key_path or ""))
            yield Problem(path, problem.message, line_of(self.root, path))

    def _rubric(self, keys: dict[str, Any]) -> str:
        text, file = keys.get("rubric"), keys.get("rubric_file")
        if text is not None and file is not None:
            self._add(("rubric_file",), "stands beside `rubric`: keep one of the two")
        elif isinstance(file, str) and file.strip():
            try:
                return read_prompt(file, project_root=self.project_root, rule_file=self.source)
            except ValueError as error:
                self._add(("rubric_file",), str(error))
        return normal_text(text) if isinstance(text, str) else ""

    def _find_disagreements(self, file: RuleFile, rubric: str) -> None:
        """Look for what is wrong only when keys are taken together."""
        if not (file.prechecks or rubric or file.criteria):
            self._add((), "nothing to check: give it `prechecks`, a `rubric` or `criteria`")
        budget = (file.thinking or {}).get("budget_tokens", 0)
        if budget >= file.max_tokens:
            message = f"`budget_tokens` {budget} must be below `max_tokens` {file.max_tokens}"
            self._add(("thinking", "budget_tokens"), message)

    def _add(self, path: KeyPath, message: str) -> None:
        self.problems.append([Problem(path, message, line_of(self.root, path))])

    def _refuse_if_any(self) -> None:
        found = chain.from_iterable(self.problems)
        first = next(found, None)
        if first is not None:
            raise rule_error(self.source, chain([first], found))
        self.problems.clear()


def _json_options(keys: dict[str, Any]) -> JsonOptions:
    last = keys.get("json") == {"duplicate_keys": "last"}
    return JsonOptions(duplicate_keys="last" if last else "error")
