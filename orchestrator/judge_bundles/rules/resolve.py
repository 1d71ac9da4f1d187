"""Make the resolved rule of a checked file: defaults, overrides, the judge a rubric stands for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_bundles.record import RecordPaths
from judge_bundles.rules.agent_judge import ONE_TURN, agent_judge
from judge_bundles.rules.digest import digest, resolved_rule
from judge_bundles.rules.entries import Judges
from judge_bundles.rules.file_model import RuleFile
from judge_bundles.rules.judge_specs import PythonJudgeSpec
from judge_bundles.rules.model import AgentJudgeSpec, JudgeSpec, Rule
from judge_bundles.rules.model_choice import ModelChoice
from judge_bundles.rules.scoring_keys import KEYS, Scoring
from judge_prechecks import Gate, JsonOptions
from judge_prechecks.names import show

RUBRIC_JUDGE: Final = "rubric"
"""The name of the judge that a rule's own rubric stands for."""
_RUBRIC_KEYS: Final = (
    "effort", "thinking", "max_tokens", "samples", "limits", "evidence", "must_read", "sandbox",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parts:
    """What was made of the parts of a rule. `rubric` is its text, "" when the file gives none."""

    gate: Gate
    json_options: JsonOptions
    rubric: str
    judges: Judges
    scoring: Scoring
    models: ModelChoice
    runtime: str | None = None


def resolve(file: RuleFile, parts: Parts, source: Path, warnings: Sequence[str] = ()) -> Rule:
    """Return the rule; `warnings` are those that were found already."""
    judges = (*_rubric_judge(file, parts), *parts.judges.specs)
    pairwise = parts.judges.pairwise
    model, model_source = parts.models.for_rule() if _asks(parts, judges) else (None, None)
    record = RecordPaths(**file.record.model_dump())
    resolved = resolved_rule(parts.gate, parts.json_options, judges, pairwise, record)
    return Rule(
        name=file.name or show(source.stem),
        description=file.description,
        gate=parts.gate,
        json_options=parts.json_options,
        judges=judges,
        model=model,
        model_source=model_source,
        digest=digest(resolved),
        resolved=resolved,
        source=source,
        warnings=(*warnings, *parts.judges.findings.warnings, *_warnings(file, parts, judges)),
        pairwise=pairwise,
        thresholds=parts.scoring.thresholds,
        reward=parts.scoring.reward,
        scoring={key: getattr(file, key) for key in KEYS if getattr(file, key) is not None},
        record=record,
    )


def _asks(parts: Parts, judges: Sequence[JudgeSpec]) -> bool:
    """Whether a model will be asked."""
    return parts.judges.pairwise is not None or any(
        not isinstance(judge, PythonJudgeSpec) for judge in judges
    )


def _rubric_judge(file: RuleFile, parts: Parts) -> tuple[AgentJudgeSpec, ...]:
    if not (parts.rubric or file.criteria):
        return ()
    model, _ = parts.models.for_rule()
    return (agent_judge(RUBRIC_JUDGE, file, parts.rubric, model=model, runtime=parts.runtime),)


def _warnings(file: RuleFile, parts: Parts, judges: Sequence[JudgeSpec]) -> Iterator[str]:
    judged = bool(parts.rubric or file.criteria)
    doubtful = [] if judged else [*([] if _asks(parts, judges) else ["model"]), *_RUBRIC_KEYS]
    idle = [key for key in doubtful if key in file.model_fields_set]
    if idle:
        keys = ", ".join(f"`{key}`" for key in idle)
        yield f"{keys}: of no effect without `rubric`, `rubric_file` or `criteria`"
    if judged and file.limits.max_turns == 1:
        yield f"limits.max_turns: {ONE_TURN}"
    if "record" in file.model_fields_set and not _reads_record(parts.judges):
        yield "record: of no effect without `judges` that look at it"


def _reads_record(judges: Judges) -> bool:
    """Whether a judge gets the record; an agent reads the bundle itself, only its `if` needs one."""
    return judges.pairwise is not None or any(
        not isinstance(judge, AgentJudgeSpec) or isinstance(judge.condition, str)
        for judge in judges.specs
    )
