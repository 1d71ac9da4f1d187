"""Make judges of the entries of `judges`, with everything that is wrong in any of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from judge_bundles.documents.document import Node, line_of, plain
from judge_bundles.documents.problems import Problem
from judge_bundles.limits import MAX_JUDGES
from judge_bundles.rules.entries import agent, llm, python
from judge_bundles.rules.entries.entry import Entry, Findings, Setting
from judge_bundles.rules.entries.kinds import Kind, kind_of, warn_of_idle_keys
from judge_bundles.rules.judge_file import JudgeFile, judge_schema
from judge_bundles.rules.judge_specs import PAIRWISE_JUDGE, PairwiseSpec
from judge_bundles.rules.model import JudgeSpec, scale_of
from judge_bundles.rules.python_text import check_condition
from judge_bundles.rules.wording import empty_keys, model_problems
from judge_bundles.scoring import JudgeScale

_SCHEMA: Final = judge_schema()
_KEY: Final = "judges"


@dataclass(slots=True)
class Judges:
    """The judges of a rule. `named` are all that are written, except those that are skipped."""

    specs: list[JudgeSpec] = field(default_factory=list)
    pairwise: PairwiseSpec | None = None
    named: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    @property
    def scales(self) -> list[JudgeScale]:
        """What is known of the answers of every judge; nothing of those that cannot be used."""
        known = {spec.name: scale_of(spec) for spec in self.specs}
        names = (name for name in dict.fromkeys(self.named) if name != PAIRWISE_JUDGE)
        return [known.get(name, JudgeScale(name)) for name in names]

    @property
    def names_pairwise(self) -> bool:
        """Whether `pairwise` is written, usable or not."""
        return PAIRWISE_JUDGE in self.named


def read_judges(nodes: Sequence[Node], setting: Setting, taken: Sequence[str]) -> Judges:
    """Return the judges of the entries `nodes`. Names that are `taken` cannot be had again."""
    judges = Judges()
    names = [_name(node) for node in nodes[:MAX_JUDGES]]
    judges.named = [name for name in names if name is not None]
    judges.findings.problems += _repeated(names, nodes, taken)
    for index, node in enumerate(nodes[:MAX_JUDGES]):
        entry = _entry(index, node, setting, judges.findings)
        if entry is not None:
            _add(judges, entry)
    return judges


def _name(node: Node) -> str | None:
    name = node.content.get("name") if isinstance(node.content, dict) else None
    return name.content if name and isinstance(name.content, str) else None


def _repeated(
    names: Sequence[str | None], nodes: Sequence[Node], taken: Sequence[str]
) -> Iterator[Problem]:
    seen = set(taken)
    for index, name in enumerate(names):
        if name is None:
            continue
        if name in seen:
            line = line_of(nodes[index], ("name",))
            why = " (it is that of the rule's own rubric)" * (name in taken)
            message = f"another judge is named `{name[:80]}`{why}: names are unique"
            yield Problem((_KEY, index, "name"), message, line)
        seen.add(name)


def _entry(index: int, node: Node, setting: Setting, findings: Findings) -> Entry | None:
    """Return the entry if it fits the model; what does not fit is added to the findings."""
    path = (_KEY, index)
    findings.problems += empty_keys(node, _SCHEMA, path)
    if node.content is None:
        return None
    value: Any = plain(node)
    try:
        file = JudgeFile.model_validate(value)
    except ValidationError as error:
        findings.problems += model_problems(error, _SCHEMA, node, path)
        return None
    return Entry(file, node, path, setting, findings)


def _add(judges: Judges, entry: Entry) -> None:
    _check_condition(entry)
    kind = kind_of(entry)
    if kind == "builtin":
        _add_builtin(judges, entry)
    elif kind == "skipped":
        judges.named.remove(entry.file.name)
    elif kind is not None:
        _check_scale(entry)
        warn_of_idle_keys(entry, kind)
        _add_kind(judges, entry, kind)


def _add_builtin(judges: Judges, entry: Entry) -> None:
    name = entry.file.builtin or ""
    catalogue = entry.setting.catalogue()
    builtin = catalogue.find(name)
    if builtin is None:
        entry.add(catalogue.unknown(name), "builtin")
    elif builtin.kind == "python":
        _check_scale(entry)
        warn_of_idle_keys(entry, "builtin")
        judges.specs.append(python.builtin_judge(entry, builtin))
    else:
        warn_of_idle_keys(entry, "llm")
        judges.specs.append(llm.builtin_judge(entry, builtin))


def _add_kind(judges: Judges, entry: Entry, kind: Kind) -> None:
    match kind:
        case "pairwise":
            judges.pairwise = llm.pairwise_judge(entry)
        case "check":
            judges.specs.append(python.check_judge(entry))
        case "llm":
            judges.specs.append(llm.llm_judge(entry))
        case "code":
            judges.specs.append(python.code_judge(entry))
        case "agent":
            judges.specs.append(agent.agent_entry(entry))


def _check_condition(entry: Entry) -> None:
    condition = entry.file.if_
    if isinstance(condition, str):
        try:
            check_condition(condition)
        except ValueError as error:
            entry.add(str(error), "if")


def _check_scale(entry: Entry) -> None:
    if entry.file.feedback_type == llm.YES_OR_NO and entry.file.score_range is not None:
        message = "a judge of the `feedback_type` `bool` says pass or fail and has no scale"
        entry.add(message, "score_range")
