"""One agent judgement: ask the model, run its tools, take its verdict, turn by turn.

Nothing here trusts the model. Each way a turn can end has an outcome, every loop is bounded, and a
judgement that reaches no acceptable verdict raises a `JudgementError`.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

from judge_bundles.agent.calls import Calls
from judge_bundles.agent.conversation import Conversation, text_block
from judge_bundles.agent.judgement import Assignment
from judge_bundles.agent.recorder import Recorder
from judge_bundles.agent.review import Problem, Review, Reviewer
from judge_bundles.agent.submission import SUBMIT, Submission, parse, spec
from judge_bundles.agent.toolbox import Toolbox
from judge_bundles.agent.tools import TOOLS
from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_CORRECTIONS
from judge_bundles.models.base import Block, Reply, Request, ToolCall

MAX_CUT_ANSWERS: Final = 2
"""Answers in a row that may be cut at max_tokens before the bundle ends as an error."""

LAST_TURN: Final = (
    "This is your last turn. If what you have seen decides every criterion, call submit_verdict now. "
    "If it does not, say in one sentence what you could not check; the bundle is then recorded as "
    "not judged."
)
NUDGE: Final = "Text is not a verdict. Go on with the tools, or call submit_verdict."
CUT: Final = "Your answer was cut at the token limit. Answer again, shorter."


@dataclass(frozen=True, slots=True)
class Accepted:
    """A verdict that stands. `waived` are problems that the evidence policy let pass."""

    submission: Submission
    review: Review
    waived: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Loop:
    """The state of one judgement. Use once: `await Loop(…).run()`."""

    assignment: Assignment
    calls: Calls
    system: str
    conversation: Conversation
    toolbox: Toolbox
    reviewer: Reviewer
    recorder: Recorder
    deadline: float
    """On the clock of `time.monotonic`."""
    _rejected: tuple[Submission, Review] | None = None
    _problem: Problem | None = None
    _corrections: int = 0
    _unread_sent_back: bool = False
    _nudged: bool = False
    _cut_answers: int = field(default=0)

    async def run(self) -> Accepted:
        """Converse until a verdict stands; raise `JudgementError` when none does."""
        max_turns = self.assignment.spec.limits.max_turns
        for turn in range(1, max_turns + 1):
            if time.monotonic() >= self.deadline:
                raise out_of_time(self.assignment.spec.limits.timeout_s)
            last = turn == max_turns or self.calls.spending.nearly_spent
            if last:
                self.conversation.say(text_block(LAST_TURN))
            reply = await self._ask(turn)
            accepted = await self._take(reply, turn)
            if accepted:
                return accepted
            if last:
                break
        return self._settle(
            Problem("budget", f"no verdict within the limits (max_turns {max_turns})")
        )

    # ---- asking ---------------------------------------------------------------------------------

    async def _ask(self, turn: int) -> Reply:
        """Make the turn's call; when the context window is full, trim and ask again."""
        while True:
            try:
                reply = await self.calls.ask(self._request(), turn=turn, deadline=self.deadline)
            except JudgementError as error:
                if error.kind != "context_exceeded" or not self._trim():
                    raise
                continue
            if reply.stop_reason != "model_context_window_exceeded":
                return reply
            if not self._trim():
                raise JudgementError(
                    "context_exceeded", "the conversation does not fit the model's context window"
                )

    def _trim(self) -> bool:
        self.toolbox.forget()
        return self.conversation.trim()

    def _request(self) -> Request:
        judge = self.assignment.spec
        return Request(
            system=self.system,
            messages=self.conversation.snapshot(),
            tools=(
                *(tool.spec for tool in TOOLS.values()),
                spec([criterion.id for criterion in judge.criteria]),
            ),
            max_tokens=judge.max_tokens,
            effort=judge.effort,
            thinking=judge.thinking,
        )

    # ---- taking the answer ----------------------------------------------------------------------

    async def _take(self, reply: Reply, turn: int) -> Accepted | None:
        if reply.stop_reason == "refusal":
            raise JudgementError("refusal", "the model declined to go on")
        if reply.stop_reason == "max_tokens":
            self._take_cut_answer(reply)
            return None
        self._cut_answers = 0
        if reply.tool_calls:
            return await self._take_calls(reply, turn)
        if reply.content:
            self.conversation.take(reply)
        return None if reply.stop_reason == "pause_turn" else self._nudge()

    def _take_cut_answer(self, reply: Reply) -> None:
        self._cut_answers += 1
        if self._cut_answers > MAX_CUT_ANSWERS:
            raise JudgementError(
                "output_truncated", f"{self._cut_answers} answers in a row were cut at max_tokens"
            )
        self.conversation.take_without_calls(reply)
        self.conversation.say(text_block(CUT))

    def _nudge(self) -> Accepted | None:
        if self._nudged:
            return self._settle(
                Problem("no_verdict", "the judge ended without calling submit_verdict")
            )
        self._nudged = True
        self.conversation.say(text_block(NUDGE))
        return None

    async def _take_calls(self, reply: Reply, turn: int) -> Accepted | None:
        """Look at a verdict first: it was written before the other calls of the turn were answered."""
        self.conversation.take(reply)
        submitted = [call for call in reply.tool_calls if call.name == SUBMIT]
        verdict = await self._consider(submitted) if submitted else None
        if isinstance(verdict, Accepted):
            self.recorder.submission(turn, submitted[0], accepted=True)
            return verdict
        results: list[Block] = []
        explored = 0
        for call in reply.tool_calls:
            if call.name == SUBMIT:
                assert verdict is not None
                self.recorder.submission(turn, call, accepted=False)
                results.append(_refusal(call, verdict))
            else:
                explored += 1
                results.append(await self.toolbox.run(call, turn, position=explored))
        self.conversation.say(*results)
        return None

    # ---- considering a verdict ------------------------------------------------------------------

    async def _consider(self, submitted: list[ToolCall]) -> Accepted | str:
        """Return the accepted verdict, or the text that sends it back."""
        self._rejected = None
        if len(submitted) > 1:
            return self._send_back((Problem("invalid_verdict", "submit exactly one verdict"),))
        submission = parse(submitted[0].input)
        if isinstance(submission, str):
            return self._send_back((Problem("invalid_verdict", submission),))
        review = await asyncio.to_thread(self.reviewer.review, submission)
        if not review.problems:
            return Accepted(submission, review)
        self._rejected = (submission, review)
        return self._send_back(review.problems)

    def _send_back(self, problems: tuple[Problem, ...]) -> Accepted | str:
        """Ask for a correction, as long as any is left; a pass over unread files gets one."""
        unread = any(problem.kind == "unread" for problem in problems)
        self._problem = problems[0]
        self._corrections += 1
        if self._corrections > MAX_CORRECTIONS or (unread and self._unread_sent_back):
            return self._settle(problems[0])
        self._unread_sent_back = self._unread_sent_back or unread
        return "The verdict was not accepted: " + "; ".join(problem.message for problem in problems)

    def _settle(self, problem: Problem) -> Accepted:
        """Keep the last rejected verdict where the evidence policy allows it; else raise."""
        if self._rejected and self.assignment.spec.evidence == "flag":
            submission, review = self._rejected
            if all(rejection.waivable for rejection in review.problems):
                return Accepted(submission, review, waived=review.problems)
        problem = self._problem or problem
        raise JudgementError(problem.kind, problem.message)


def out_of_time(timeout_s: float) -> JudgementError:
    """Return the error of a judgement whose wall time is over."""
    return JudgementError("timeout", f"no verdict within timeout_s {timeout_s:g}")


def _refusal(call: ToolCall, text: str) -> Block:
    return {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": [text_block(text)],
        "is_error": True,
    }
