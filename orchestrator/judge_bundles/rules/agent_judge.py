"""The sandboxed agent: of a rule's own rubric, and of an entry of `judges` with `agent`."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

from judge_bundles.documents.document import KeyPath
from judge_bundles.rules.file_parts import AgentKeys
from judge_bundles.rules.judge_specs import Condition
from judge_bundles.rules.model import (
    AgentJudgeSpec,
    Criterion,
    JudgementLimits,
    MustRead,
    SandboxLimits,
)
from judge_bundles.rules.texts import normal_text

CRITERIA_ONLY_RUBRIC: Final = "The bundle is good when it meets every criterion."
ONE_TURN: Final = "with one turn nothing can be inspected, so nothing can pass"


class RubricError(Exception):
    """A rubric cannot be had; `key` is where it should stand."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        self.message = message


def rubric_text(keys: dict[str, Any], read: Callable[[str], str]) -> str:
    """Return the rubric among the plain `keys`, "" for none, or raise `RubricError`.

    `read` gives the text of a file, or raises ValueError. Keys of wrong types are left to the model.
    """
    text, file = keys.get("rubric"), keys.get("rubric_file")
    if text is not None and file is not None:
        raise RubricError("rubric_file", "stands beside `rubric`: keep one of the two")
    if isinstance(file, str) and file.strip():
        try:
            return read(file)
        except ValueError as error:
            raise RubricError("rubric_file", str(error)) from error
    return normal_text(text) if isinstance(text, str) else ""


def disagreements(keys: AgentKeys) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong only when keys are taken together: where, and what."""
    budget = (keys.thinking or {}).get("budget_tokens", 0)
    if budget >= keys.max_tokens:
        message = f"`budget_tokens` {budget} must be below `max_tokens` {keys.max_tokens}"
        yield ("thinking", "budget_tokens"), message


def agent_judge(
    name: str,
    keys: AgentKeys,
    rubric: str,
    *,
    model: str | None,
    runtime: str | None,
    description: str = "",
    condition: Condition = True,
) -> AgentJudgeSpec:
    """Return the judge. `rubric` is its text, "" when there are only criteria."""
    return AgentJudgeSpec(
        name=name,
        rubric=rubric or CRITERIA_ONLY_RUBRIC,
        criteria=tuple(Criterion(one.id, one.text.strip()) for one in keys.criteria),
        model=model,
        effort=keys.effort,
        thinking=keys.thinking,
        max_tokens=keys.max_tokens,
        samples=keys.samples,
        limits=_limits(keys),
        evidence=keys.evidence,
        must_read=tuple(MustRead(one.path, one.min_coverage) for one in keys.must_read),
        sandbox=SandboxLimits(
            memory_bytes=keys.sandbox.memory,
            cpus=keys.sandbox.cpus,
            pids=keys.sandbox.pids,
            runtime=runtime or keys.sandbox.runtime,
        ),
        description=description,
        condition=condition,
    )


def _limits(keys: AgentKeys) -> JudgementLimits:
    dollars = keys.limits.max_cost_usd
    return JudgementLimits(
        max_turns=keys.limits.max_turns,
        timeout_s=keys.limits.timeout_s,
        max_tokens_total=keys.limits.max_tokens_total,
        # By way of its shortest writing: 0.1 dollars are ten cents exactly.
        max_cost_usd=None if dollars is None else Decimal(repr(dollars)),
    )
