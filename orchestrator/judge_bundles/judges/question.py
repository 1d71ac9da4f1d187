"""One question to a model that has exactly one way to answer: one call of one tool.

Nothing but that call is read, nothing in it is repaired, and it is not asked for again: an answer
that does not fit is an error.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from judge_bundles import escape, log
from judge_bundles.agent.calls import Calls
from judge_bundles.agent.conversation import text_block
from judge_bundles.errors import JudgementError
from judge_bundles.judges.base import failure
from judge_bundles.limits import MAX_RATIONALE_CHARACTERS, QUESTION_TIMEOUT_S, TIMEOUT_GRACE_S
from judge_bundles.models.base import Reply, Request, ToolSpec
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import VerdictError

T = TypeVar("T")

_SHOWN_NAME_CHARACTERS: Final = 80


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """`read` takes the tool's input and returns the answer, or raises `JudgementError`.

    `repeated` says that the same question will be asked again.
    """

    system: str
    text: str
    tool: ToolSpec
    max_tokens: int
    read: Callable[[Mapping[str, Any]], T]
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What came of a question: exactly one of `value` and `error`, and the call on record."""

    value: T | None
    error: VerdictError | None
    trace: JudgeTrace


async def ask(
    question: Question[T], calls: Calls, *, timeout_s: float = QUESTION_TIMEOUT_S
) -> Answer[T]:
    """Ask once, within `timeout_s` seconds.

    What goes wrong, our own faults too, is in the answer; only cancellation gets out.
    """
    value: T | None = None
    error: JudgementError | None = None
    try:
        async with asyncio.timeout(timeout_s + TIMEOUT_GRACE_S):
            reply = await calls.ask(
                _request(question), turn=1, deadline=time.monotonic() + timeout_s
            )
        value = question.read(_only_call(reply, question.tool.name))
    except JudgementError as raised:
        error = raised
    except TimeoutError:
        error = JudgementError("timeout", f"no answer within {timeout_s:g} s")
    except Exception as fault:  # noqa: BLE001 - what was paid is kept
        log.get_logger().exception("judge_crashed", judge=calls.context.judge)
        error = JudgementError("internal", f"{type(fault).__name__}: {fault}")
    context = calls.context
    trace = JudgeTrace(
        context.judge, context.sample, calls=tuple(calls.records), model=calls.model.name
    )
    return Answer(value, None if error is None else failure(error), trace)


def _request(question: Question[T]) -> Request:
    return Request(
        system=question.system,
        messages=[{"role": "user", "content": [text_block(question.text)]}],
        tools=(question.tool,),
        tool_choice=question.tool.name,
        max_tokens=question.max_tokens,
        repeated=question.repeated,
    )


def _only_call(reply: Reply, tool: str) -> Mapping[str, Any]:
    """Return the input of the one call; raise what any other kind of answer is."""
    if reply.stop_reason == "refusal":
        raise JudgementError("refusal", "the model declined to answer")
    if reply.stop_reason == "max_tokens":
        raise JudgementError("output_truncated", "the answer was cut at max_tokens")
    if reply.stop_reason == "model_context_window_exceeded":
        raise JudgementError(
            "context_exceeded", "the prompt does not fit the model's context window"
        )
    if not reply.tool_calls:
        raise JudgementError("no_verdict", f"the judge ended without calling {tool}")
    if len(reply.tool_calls) > 1:
        raise unfit(f"it called {len(reply.tool_calls)} tools, where one call of {tool} is wanted")
    call = reply.tool_calls[0]
    if call.name != tool:
        named = escape.line(call.name, limit=_SHOWN_NAME_CHARACTERS)
        raise unfit(f"it called {named}, and there is only {tool}")
    if not isinstance(call.input, Mapping):
        raise unfit(f"the input of {tool} is not an object")
    return call.input


def read_fields(given: Mapping[str, Any], words: str, decision: str) -> tuple[str, Any]:
    """Return the text and the decision of an answer that has these two keys and no other."""
    expected = (words, decision)
    for key in expected:
        if key not in given:
            raise unfit(f"`{key}` is missing")
    extra = next((key for key in given if key not in expected), None)
    if extra is not None:
        raise unfit(f"it has an unknown key {escape.line(extra, limit=_SHOWN_NAME_CHARACTERS)}")
    said = given[words]
    if not isinstance(said, str) or not said.strip():
        raise unfit(f"`{words}` is no text")
    if len(said) > MAX_RATIONALE_CHARACTERS:
        said = said[: MAX_RATIONALE_CHARACTERS - 1] + "…"
    return said, given[decision]


def unfit(why: str) -> JudgementError:
    """Return the error of an answer that cannot count."""
    return JudgementError("invalid_verdict", f"the answer does not fit: {why}")
