"""Say what a rule will check: for people as lines, for machines as one JSON object."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from judge_bundles import escape
from judge_bundles.rules.describe_judge import of_judge, of_pairwise
from judge_bundles.rules.judge_specs import PAIRWISE_JUDGE, PythonJudgeSpec
from judge_bundles.rules.model import JudgeSpec, Rule
from judge_bundles.scoring import Weights


def summary(rule: Rule) -> dict[str, Any]:
    """Return what the rule checks, its digest and the whole resolved rule as JSON."""
    pairwise = rule.pairwise
    return {
        "rule": rule.name,
        "description": rule.description,
        "source": str(rule.source),
        "prechecks": _precheck_counts(rule),
        "judges": [
            {"name": judge.name, "type": judge.type, "model": _model(judge)}
            for judge in rule.judges
        ],
        "pairwise": None if pairwise is None else {"name": PAIRWISE_JUDGE, "model": pairwise.model},
        "model": rule.model,
        "model_source": rule.model_source,
        "rule_digest": rule.digest,
        "warnings": list(rule.warnings),
        "resolved": rule.resolved,
        "scoring": rule.scoring,
    }


def describe(rule: Rule) -> list[str]:
    """Return lines for a terminal, already escaped, the warnings last."""
    lines = [f"rule      {rule.name}", f"prechecks {_prechecks(rule)}"]
    if rule.description:
        lines.insert(1, f"about     {' '.join(rule.description.split())}")
    for judge in rule.judges:
        lines += of_judge(judge, rule)
    if rule.pairwise:
        lines += of_pairwise(rule.pairwise, rule)
    if not rule.judges:
        lines.append("judges    none: the gate alone decides, without a model or a container")
    lines += _scoring(rule)
    lines.append(f"digest    {rule.digest}")
    lines += [f"warning   {warning}" for warning in rule.warnings]
    return [escape.line(line) for line in lines]


def _precheck_counts(rule: Rule) -> dict[str, int]:
    return dict(Counter(str(precheck["type"]) for precheck in rule.resolved["prechecks"]))


def _prechecks(rule: Rule) -> str:
    counts = _precheck_counts(rule)
    kinds = ", ".join(f"{times} {kind}" for kind, times in counts.items())
    return f"{sum(counts.values())} ({kinds})" if counts else "none: every bundle is judged"


def _model(judge: JudgeSpec) -> str | None:
    return None if isinstance(judge, PythonJudgeSpec) else judge.model


def _scoring(rule: Rule) -> Iterator[str]:
    for one in rule.thresholds:
        by_default = " (by default)" if one.default else ""
        yield f"threshold {one.judge}: {one.key} {one.limit:g}{by_default}"
    if rule.reward is not None:
        by = rule.reward.by
        if isinstance(by, Weights):
            made = ", ".join(f"{weight:g} of {name}" for name, weight in by.shares)
        else:
            made = " ".join(by.text.split())
        yield f"reward    {made}{', 0 if a judge says no' if rule.reward.gate else ''}"
