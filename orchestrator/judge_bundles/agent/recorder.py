"""Write down everything a judgement does, while it does it, so that a failure keeps its record."""

import hashlib
from dataclasses import dataclass, field

from judge_bundles.agent.submission import SUBMIT
from judge_bundles.agent.tools import target
from judge_bundles.models.base import ToolCall
from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.store.records import CallRecord, JudgeTrace, TraceStep
from judge_bundles.verdict import InspectedStep


@dataclass(slots=True)
class Recorder:
    """Collects the steps of one judgement; `calls` is filled by who makes them."""

    judge: str
    sample: int
    model: str
    steps: list[TraceStep] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)

    def look(self, turn: int, call: ToolCall, reply: ToolReply, *, duration_ms: int) -> None:
        """Record one exploration call with its answer."""
        raw = reply.text.encode("utf-8", "surrogatepass")
        media = "".join(media.data for media in reply.media).encode()
        self.steps.append(
            TraceStep(
                turn=turn,
                tool=call.name,
                target=target(call.name, call.input),
                arguments=call.input,
                result_sha256=hashlib.sha256(raw + media).hexdigest(),
                result_bytes=len(raw) + len(media),
                duration_ms=duration_ms,
                error_kind=reply.error_kind,
                cut=reply.cut,
                shown=tuple((shown.file, shown.start, shown.end) for shown in reply.shown),
                exploration=True,
            )
        )

    def refused(self, turn: int, call: ToolCall, text: str) -> None:
        """Record a call that never reached the sandbox; it looked at nothing."""
        self._other(turn, call, text, "refused")

    def submission(self, turn: int, call: ToolCall, *, accepted: bool) -> None:
        """Record a submitted verdict."""
        self._other(turn, call, "", None if accepted else "rejected")

    def inspected(self) -> tuple[InspectedStep, ...]:
        """Return the exploration calls, in order."""
        return tuple(
            InspectedStep(step.turn, step.tool, step.target)
            for step in self.steps
            if step.exploration
        )

    def trace(self) -> JudgeTrace:
        """Return everything recorded so far."""
        return JudgeTrace(
            judge=self.judge,
            sample=self.sample,
            steps=tuple(self.steps),
            calls=tuple(self.calls),
            model=self.model,
        )

    def _other(self, turn: int, call: ToolCall, text: str, error_kind: str | None) -> None:
        raw = text.encode("utf-8", "surrogatepass")
        self.steps.append(
            TraceStep(
                turn=turn,
                tool=call.name,
                target="verdict" if call.name == SUBMIT else target(call.name, call.input),
                arguments=call.input,
                result_sha256=hashlib.sha256(raw).hexdigest(),
                result_bytes=len(raw),
                duration_ms=0,
                error_kind=error_kind,
                cut=False,
                shown=(),
                exploration=False,
            )
        )
