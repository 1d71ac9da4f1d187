"""A rule file between being read and being a rule: find everything that is wrong with it.

Each step adds what it finds; only then is the file refused, with all of it at once.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from judge_bundles.documents.document import KeyPath, Node, line_of, plain
from judge_bundles.documents.problems import Problem
from judge_bundles.limits import MAX_PRECHECKS
from judge_bundles.rules.agent_judge import RubricError, disagreements, rubric_text
from judge_bundles.rules.catalogue import Catalogue
from judge_bundles.rules.entries import Judges, Setting, read_judges
from judge_bundles.rules.file_model import RuleFile, object_schema
from judge_bundles.rules.model import Overrides, Rule
from judge_bundles.rules.model_choice import ModelChoice
from judge_bundles.rules.other_tools import foreign_keys_warning, known_keys
from judge_bundles.rules.problems import read_key_path, rule_error
from judge_bundles.rules.resolve import RUBRIC_JUDGE, Parts, resolve
from judge_bundles.rules.scoring_keys import Scoring, read_scoring
from judge_bundles.rules.texts import read_prompt
from judge_bundles.rules.wording import empty_keys, model_problems
from judge_bundles.scoring import JudgeScale
from judge_prechecks import Gate, JsonOptions, PrecheckSpecError

_SCHEMA: Final = object_schema()
_RUBRIC_KEYS: Final = ("rubric", "rubric_file", "criteria")


@dataclass(slots=True)
class Draft:
    """One file. `source` is its path for messages, `root` its content with lines."""

    source: Path
    root: Node
    project_root: Path
    catalogue: Callable[[], Catalogue]
    problems: list[Iterable[Problem]] = field(default_factory=list)

    def rule(self, overrides: Overrides) -> Rule:
        """Return the rule, or raise `RuleError`."""
        keys = self._keys()
        file = self._file(keys)
        json_options = _json_options(keys)
        gate = self._gate(keys, json_options)
        rubric = self._rubric(keys)
        models = ModelChoice.of(file, overrides)
        judges = self._judges(keys, models, overrides)
        scoring = self._scoring(keys, judges)
        self._refuse_if_any()
        assert file is not None
        self._find_disagreements(file, rubric, judges)
        self._refuse_if_any()
        warning = foreign_keys_warning(keys, _SCHEMA["properties"])
        parts = Parts(gate, json_options, rubric, judges, scoring, models, overrides.runtime)
        return resolve(file, parts, self.source, [warning] if warning else [])

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
            return RuleFile.model_validate(known_keys(keys, _SCHEMA["properties"]))
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
        try:
            return rubric_text(keys, self._read)
        except RubricError as error:
            self._add((error.key,), error.message)
            return ""

    def _read(self, name: str) -> str:
        return read_prompt(name, project_root=self.project_root, rule_file=self.source)

    def _judges(self, keys: dict[str, Any], models: ModelChoice, overrides: Overrides) -> Judges:
        node = self.root.content.get("judges") if isinstance(self.root.content, dict) else None
        setting = Setting(self.source, self.project_root, self.catalogue, models, overrides.runtime)
        entries = node.content if node and isinstance(node.content, list) else []
        judges = read_judges(entries, setting, [RUBRIC_JUDGE] if _has_rubric(keys) else [])
        self.problems.append(judges.findings.problems)
        return judges

    def _scoring(self, keys: dict[str, Any], judges: Judges) -> Scoring:
        rubric = [JudgeScale(RUBRIC_JUDGE, "pass_fail")] if _has_rubric(keys) else []
        scoring = read_scoring(
            keys,
            self.root,
            [*rubric, *judges.scales],
            has_gate=bool(keys.get("prechecks")),
            has_pairwise=judges.names_pairwise,
        )
        self.problems.append(scoring.problems)
        return scoring

    def _find_disagreements(self, file: RuleFile, rubric: str, judges: Judges) -> None:
        """Look for what is wrong only when keys are taken together."""
        if not (file.prechecks or rubric or file.criteria or judges.specs):
            self._add(*_nothing_to_check(judges, written=bool(file.judges)))
        for path, message in disagreements(file):
            self._add(path, message)

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


def _has_rubric(keys: dict[str, Any]) -> bool:
    return any(keys.get(key) is not None for key in _RUBRIC_KEYS)


def _nothing_to_check(judges: Judges, *, written: bool) -> tuple[KeyPath, str]:
    if judges.pairwise:
        return ("judges",), "nothing to check: `pairwise` only compares what others have judged"
    if written:
        return ("judges",), "nothing to check: no entry says what kind of judge it is"
    return (), "nothing to check: give it `prechecks`, a `rubric`, `criteria` or `judges`"
