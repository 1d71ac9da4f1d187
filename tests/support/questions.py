"""One question to the scripted model, through the SDK's client."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from judge_bundles.agent.budget import RunBudget, Spending
from judge_bundles.agent.calls import Calls
from judge_bundles.judges.question import Answer, Question, ask
from judge_bundles.limits import QUESTION_TIMEOUT_S
from judge_bundles.models.base import CallContext
from tests.support.judging import script_model

T = TypeVar("T")


def asked(
    question: Question[T],
    *turns: Mapping[str, Any],
    budget: RunBudget | None = None,
    timeout_s: float = QUESTION_TIMEOUT_S,
) -> Answer[T]:
    async def run() -> Answer[T]:
        model = script_model(*turns)
        calls = Calls(
            model, CallContext("e", "r", "j"), budget or RunBudget(), Spending(model.price)
        )
        try:
            return await ask(question, calls, timeout_s=timeout_s)
        finally:
            await model.close()

    return asyncio.run(run())


def kind(answer: Answer[Any]) -> str | None:
    """Return the kind of error that the question ended in."""
    assert (answer.value is None) is (answer.error is not None)
    return answer.error.kind if answer.error else None
