"""Say in lines what one judge of a rule does. Nothing is escaped yet."""

import json
from collections.abc import Iterator
from typing import Final

from judge_bundles.limits import MIB
from judge_bundles.rules.judge_specs import (
    PAIRWISE_JUDGE,
    LlmJudgeSpec,
    PairwiseSpec,
    PythonJudgeSpec,
)
from judge_bundles.rules.model import (
    AgentJudgeSpec,
    JudgementLimits,
    JudgeSpec,
    Rule,
    SandboxLimits,
)

_MAX_ARGUMENTS_CHARACTERS: Final = 400


def of_judge(judge: JudgeSpec, rule: Rule) -> list[str]:
    """Return the lines of one judge, each with its label."""
    if isinstance(judge, AgentJudgeSpec):
        lines = list(_agent(judge, rule))
    elif isinstance(judge, PythonJudgeSpec):
        lines = list(_python(judge))
    else:
        lines = list(_llm(judge, rule))
    return [*lines[:1], *_common(judge), *lines[1:]]


def of_pairwise(pairwise: PairwiseSpec, rule: Rule) -> list[str]:
    """Return the lines of the comparison with a baseline."""
    lines = [f"judge     {PAIRWISE_JUDGE}: LLM, only with --baseline, asked in both orders"]
    if pairwise.arguments:
        lines.append(_arguments(dict(pairwise.arguments)))
    if pairwise.context:
        lines.append(f"context   {', '.join(file.name for file in pairwise.context)}")
    return [*lines, model_line(pairwise.model, rule)]


def model_line(model: str | None, rule: Rule) -> str:
    """Return the line on a judge's model, and where it is named."""
    if model is None:
        return "model     none yet: use --model, the rule's `model` or EVAL_JUDGE_MODEL"
    source = rule.model_source if model == rule.model else "the judge"
    return f"model     {model} (from {'the rule' if source == 'rule' else source})"


def _common(judge: JudgeSpec) -> Iterator[str]:
    if judge.description:
        yield f"about     {' '.join(judge.description.split())}"
    if judge.condition is not True:
        condition = "false" if judge.condition is False else judge.condition
        yield f"if        {' '.join(condition.split())}"
    if not isinstance(judge, AgentJudgeSpec) and judge.arguments:
        yield _arguments(dict(judge.arguments))


def _python(judge: PythonJudgeSpec) -> Iterator[str]:
    if judge.type == "builtin":
        yield f"judge     {judge.name}: builtin {judge.builtin}, Python"
    elif judge.type == "code":
        yield f"judge     {judge.name}: {judge.function} of {judge.module} in {judge.file}"
    else:
        yield f"judge     {judge.name}: check, {len(judge.source.splitlines())} lines of Python"
    if judge.score_range:
        yield _range(judge.score_range)


def _llm(judge: LlmJudgeSpec, rule: Rule) -> Iterator[str]:
    what = f"builtin {judge.builtin}, LLM" if judge.builtin else "LLM"
    answer = "pass or fail" if judge.pass_fail else "a score"
    yield f"judge     {judge.name}: {what}, {answer}, samples {judge.samples}"
    if not judge.pass_fail:
        yield _range(judge.score_range)
    if judge.context:
        yield f"context   {', '.join(file.name for file in judge.context)}"
    yield model_line(judge.model, rule)


def _agent(judge: AgentJudgeSpec, rule: Rule) -> Iterator[str]:
    questions = f"{len(judge.criteria)} criteria" if judge.criteria else "free-text rubric"
    yield f"judge     {judge.name}: agent, {questions}, samples {judge.samples}"
    yield f"evidence  {judge.evidence}"
    yield model_line(judge.model, rule)
    yield f"limits    {_limits(judge.limits)}"
    yield f"sandbox   {_sandbox(judge.sandbox)}"
    for one in judge.must_read:
        yield f"must read {one.path} (at least {one.min_coverage:.0%})"


def _range(scale: tuple[float, float]) -> str:
    return f"range     {scale[0]:g} to {scale[1]:g}"


def _arguments(arguments: dict[str, object]) -> str:
    text = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items()
    )
    most = _MAX_ARGUMENTS_CHARACTERS
    return f"arguments {text if len(text) <= most else text[: most - 1] + '…'}"


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
