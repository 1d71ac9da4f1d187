"""Say what a rule will check: for people as lines, for machines as one JSON object."""

from collections import Counter
from typing import Any

from judge_bundles import escape
from judge_bundles.limits import MIB
from judge_bundles.rules.model import AgentJudgeSpec, JudgementLimits, Rule, SandboxLimits


def summary(rule: Rule) -> dict[str, Any]:
    """Return what the rule checks, its digest and the whole resolved rule as JSON."""
    return {
        "rule": rule.name,
        "description": rule.description,
        "source": str(rule.source),
        "prechecks": _precheck_counts(rule),
        "judges": [
            {"name": judge.name, "type": judge.type, "model": judge.model} for judge in rule.judges
        ],
        "model": rule.model,
        "model_source": rule.model_source,
        "rule_digest": rule.digest,
        "warnings": list(rule.warnings),
        "resolved": rule.resolved,
    }


def describe(rule: Rule) -> list[str]:
    """Return lines for a terminal, already escaped, the warnings last."""
    lines = [f"rule      {rule.name}", f"prechecks {_prechecks(rule)}"]
    if rule.description:
        lines.insert(1, f"about     {' '.join(rule.description.split())}")
    for judge in rule.judges:
        lines += _judge(judge, rule)
    if not rule.judges:
        lines.append("judges    none: the gate alone decides, without a model or a container")
    lines.append(f"digest    {rule.digest}")
    lines += [f"warning   {warning}" for warning in rule.warnings]
    return [escape.line(line) for line in lines]


def _precheck_counts(rule: Rule) -> dict[str, int]:
    return dict(Counter(str(precheck["type"]) for precheck in rule.resolved["prechecks"]))


def _prechecks(rule: Rule) -> str:
    counts = _precheck_counts(rule)
    kinds = ", ".join(f"{times} {kind}" for kind, times in counts.items())
    return f"{sum(counts.values())} ({kinds})" if counts else "none: every bundle is judged"


def _judge(judge: AgentJudgeSpec, rule: Rule) -> list[str]:
    questions = f"{len(judge.criteria)} criteria" if judge.criteria else "free-text rubric"
    lines = [
        f"judge     {judge.name}: agent, {questions}, samples {judge.samples}",
        f"evidence  {judge.evidence}",
        f"model     {_model(judge, rule)}",
        f"limits    {_limits(judge.limits)}",
        f"sandbox   {_sandbox(judge.sandbox)}",
    ]
    lines += [f"must read {one.path} (at least {one.min_coverage:.0%})" for one in judge.must_read]
    return lines


def _model(judge: AgentJudgeSpec, rule: Rule) -> str:
    if judge.model is None:
        return "none yet: use --model, the rule's `model` or EVAL_JUDGE_MODEL"
    return (
        f"{judge.model} (from {'the rule' if rule.model_source == 'rule' else rule.model_source})"
    )


def _sandbox(sandbox: SandboxLimits) -> str:
    size = f"{sandbox.memory_bytes / MIB:g} MiB, {sandbox.cpus:g} CPUs, {sandbox.pids} processes"
    return f"{size}, runtime {sandbox.runtime or 'of the engine'}"


def _limits(limits: JudgementLimits) -> str:
    tokens, dollars = limits.max_tokens_total, limits.max_cost_usd
    return ", ".join(
        (
            f"{limits.max_turns} turns",
            f"{limits.timeout_s:g} s",
            "any number of tokens" if tokens is None else f"{tokens} tokens",
            "any cost" if dollars is None else f"{dollars} US dollars",
        )
    )
