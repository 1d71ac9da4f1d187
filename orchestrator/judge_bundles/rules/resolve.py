"""Make the resolved rule of a checked file: defaults, overrides, the judge a rubric stands for."""

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from judge_bundles.rules.digest import digest, resolved_rule
from judge_bundles.rules.file_model import RuleFile
from judge_bundles.rules.model import (
    AgentJudgeSpec,
    Criterion,
    JudgementLimits,
    ModelSource,
    MustRead,
    Overrides,
    Rule,
    SandboxLimits,
)
from judge_prechecks import Gate, JsonOptions
from judge_prechecks.names import show

RUBRIC_JUDGE: Final = "rubric"
"""The name of the judge that a rule's own rubric stands for."""
CRITERIA_ONLY_RUBRIC: Final = "The bundle is good when it meets every criterion."
_JUDGE_KEYS: Final = (
    "model", "effort", "thinking", "max_tokens", "samples", "limits", "evidence", "must_read",
    "sandbox",
)  # fmt: skip


def resolve(
    file: RuleFile,
    *,
    gate: Gate,
    json_options: JsonOptions,
    rubric: str,
    source: Path,
    overrides: Overrides,
) -> Rule:
    """Return the rule. `rubric` is its text, "" when the file gives none."""
    judged = bool(rubric or file.criteria)
    model, model_source = _model(file, overrides) if judged else (None, None)
    judges = (_rubric_judge(file, rubric, model),) if judged else ()
    resolved = resolved_rule(gate, json_options, judges)
    return Rule(
        name=file.name or show(source.stem),
        description=file.description,
        gate=gate,
        json_options=json_options,
        judges=judges,
        model=model,
        model_source=model_source,
        digest=digest(resolved),
        resolved=resolved,
        source=source,
        warnings=tuple(_warnings(file, judged=judged)),
    )


def _model(file: RuleFile, overrides: Overrides) -> tuple[str | None, ModelSource | None]:
    """Return the strongest model named and where; an empty variable names none."""
    if overrides.model is not None:
        return overrides.model.strip(), "--model"
    if file.model is not None:
        return file.model.strip(), "rule"
    inherited = os.environ.get("EVAL_JUDGE_MODEL", "").strip()
    return (inherited, "EVAL_JUDGE_MODEL") if inherited else (None, None)


def _rubric_judge(file: RuleFile, rubric: str, model: str | None) -> AgentJudgeSpec:
    return AgentJudgeSpec(
        name=RUBRIC_JUDGE,
        rubric=rubric or CRITERIA_ONLY_RUBRIC,
        criteria=tuple(Criterion(one.id, one.text.strip()) for one in file.criteria),
        model=model,
        effort=file.effort,
        thinking=file.thinking,
        max_tokens=file.max_tokens,
        samples=file.samples,
        limits=_limits(file),
        evidence=file.evidence,
        must_read=tuple(MustRead(one.path, one.min_coverage) for one in file.must_read),
        sandbox=SandboxLimits(
            memory_bytes=file.sandbox.memory,
            cpus=file.sandbox.cpus,
            pids=file.sandbox.pids,
            runtime=file.sandbox.runtime,
        ),
    )


def _limits(file: RuleFile) -> JudgementLimits:
    dollars = file.limits.max_cost_usd
    return JudgementLimits(
        max_turns=file.limits.max_turns,
        timeout_s=file.limits.timeout_s,
        max_tokens_total=file.limits.max_tokens_total,
        # By way of its shortest writing: 0.1 dollars are ten cents exactly.
        max_cost_usd=None if dollars is None else Decimal(repr(dollars)),
    )


def _warnings(file: RuleFile, *, judged: bool) -> Iterator[str]:
    idle = [key for key in _JUDGE_KEYS if key in file.model_fields_set]
    if idle and not judged:
        keys = ", ".join(f"`{key}`" for key in idle)
        yield f"{keys}: of no effect without `rubric`, `rubric_file` or `criteria`"
    if judged and file.limits.max_turns == 1:
        yield "limits.max_turns: with one turn nothing can be inspected, so nothing can pass"
