"""What a process is told of a rule's judges: plain records made from the JSON it was set up with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from judge_bundles.record import RecordPaths
from judge_bundles.scoring.values import ScoreRange


@dataclass(frozen=True, slots=True)
class PythonCode:
    """A judge in Python. What each field holds is said where it comes from, in `PythonJudgeSpec`."""

    type: Literal["builtin", "check", "code"]
    label: str
    """How messages call its text: `check has_content`, `process/consulted_docs`."""
    source: str
    file: str | None
    module: str | None
    function: str
    project_root: str
    arguments: Mapping[str, Any]
    score_range: ScoreRange | None

    @classmethod
    def of(cls, name: str, fields: dict[str, Any], project_root: str) -> Self:
        """Read the JSON of one judge; a root of its own wins over that of the run."""
        declared = fields["score_range"]
        return cls(
            type=fields["type"],
            label=_label(name, fields),
            source=fields["source"],
            file=fields["file"],
            module=fields["module"],
            function=fields["function"],
            project_root=fields["project_root"] or project_root,
            arguments=fields["arguments"],
            score_range=ScoreRange(*declared) if declared else None,
        )


@dataclass(frozen=True, slots=True)
class Section:
    """One template of a prompt: the judge's own, or a file of its context, which has a name."""

    label: str
    source: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PromptTemplates:
    """The templates of one LLM judge, and its arguments."""

    main: Section
    context: tuple[Section, ...]
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, fields: dict[str, Any]) -> Self:
        """Read the JSON of one judge."""
        context = (
            Section(f"the context file {file['name']}", file["text"], file["name"])
            for file in fields["context"]
        )
        main = Section(f"the prompt of {name}", fields["template"])
        return cls(main, tuple(context), fields["arguments"])


@dataclass(frozen=True, slots=True)
class JudgeCode:
    """All code of one judge. A condition that is no text was decided before anyone asked."""

    name: str
    condition: bool | str
    python: PythonCode | None
    prompt: PromptTemplates | None


@dataclass(frozen=True, slots=True)
class RuleCode:
    """All code of one rule, by the name of its judge, and where its record lies in a bundle."""

    judges: Mapping[str, JudgeCode]
    record: RecordPaths

    @classmethod
    def of(cls, fields: dict[str, Any], project_root: str) -> Self:
        """Read the JSON of one rule."""
        judges = {
            name: _judge(name, judge, project_root) for name, judge in fields["judges"].items()
        }
        return cls(judges, RecordPaths(**fields["record"]))


def _judge(name: str, fields: dict[str, Any], project_root: str) -> JudgeCode:
    python, template = fields.get("python"), fields.get("template")
    return JudgeCode(
        name=name,
        condition=fields["condition"],
        python=PythonCode.of(name, python, project_root) if python else None,
        prompt=PromptTemplates.of(name, template) if template else None,
    )


def _label(name: str, fields: dict[str, Any]) -> str:
    if fields["type"] == "check":
        return f"check {name}"
    return str(fields["builtin"] or fields["module"] or name)
