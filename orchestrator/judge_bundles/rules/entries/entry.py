"""One entry of `judges` while it is read: where it stands, what surrounds it, what was found."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from judge_bundles.documents.document import KeyPath, Node, line_of
from judge_bundles.documents.problems import Problem, show_key_path
from judge_bundles.rules.catalogue import Catalogue
from judge_bundles.rules.judge_file import JudgeFile
from judge_bundles.rules.model_choice import ModelChoice
from judge_bundles.rules.texts import read_prompt


@dataclass(frozen=True, slots=True)
class Setting:
    """What an entry is read against."""

    rule_file: Path
    project_root: Path
    catalogue: Callable[[], Catalogue]
    models: ModelChoice = field(default_factory=ModelChoice)
    runtime: str | None = None
    """The container runtime of the command line."""

    def read(self, name: str) -> str:
        """Return the text of a file that a rule names; ValueError says why not."""
        return read_prompt(name, project_root=self.project_root, rule_file=self.rule_file)


@dataclass(slots=True)
class Findings:
    """What is wrong in a rule, and what is doubtful."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that fits the file model. `path` leads to it, `node` is it with its lines."""

    file: JudgeFile
    node: Node
    path: KeyPath
    setting: Setting
    findings: Findings

    def has(self, key: str) -> bool:
        """Whether a key is written in the entry, by its name in the file."""
        return isinstance(self.node.content, dict) and key in self.node.content

    def add(self, message: str, *below: str | int) -> None:
        """Say that the value at `below` cannot be used."""
        problem = Problem((*self.path, *below), message, line_of(self.node, below))
        self.findings.problems.append(problem)

    def warn(self, message: str, *below: str | int) -> None:
        """Say that the value at `below` can be used and is doubtful."""
        self.findings.warnings.append(f"{show_key_path((*self.path, *below))}: {message}")

    def read(self, name: str, *below: str | int) -> str:
        """Return the text of the file that stands at `below`; "" when there is none to be had."""
        try:
            return self.setting.read(name)
        except ValueError as error:
            self.add(str(error), *below)
            return ""
