"""Rule files: what a bundle is judged by, read once and checked whole before anything runs."""

from judge_bundles.rules.describe import describe, summary
from judge_bundles.rules.load import load_rule, load_rules
from judge_bundles.rules.model import (
    AgentJudgeSpec,
    Criterion,
    JudgementLimits,
    MustRead,
    Overrides,
    Rule,
    SandboxLimits,
)

__all__ = [
    "AgentJudgeSpec",
    "Criterion",
    "JudgementLimits",
    "MustRead",
    "Overrides",
    "Rule",
    "SandboxLimits",
    "describe",
    "load_rule",
    "load_rules",
    "summary",
]
