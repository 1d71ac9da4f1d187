"""Write down everything a judgement does, while it does it, so that a failure keeps its record."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from judge_bundles.agent.submission import SUBMIT
from judge_bundles.agent.tools import target
from judge_bundles.errors import JudgementError
from judge_bundles.models.base import ModelCallError, Reply, ToolCall
from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.store.records import CallRecord, JudgeTrace, TraceStep
from judge_bundles.verdict import InspectedStep, Usage


@dataclass(slots=True)
class Recorder:
    """Collects the steps and calls of one judgement."""

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

    def call(
        self,
        turn: int,
        body: Mapping[str, Any],
        reply: Reply,
        cost: Decimal | None,
        started: float,
    ) -> None:
        """Record one answered model call; `started` is on the clock of `time.monotonic`."""
        self.calls.append(
            CallRecord(
                turn=turn,
                request=dict(body),
                response=dict(reply.raw),
                usage=reply.usage,
                cost_usd=None if cost is None else float(cost),
                latency_ms=_since(started),
                attempts=reply.attempts,
                request_id=reply.request_id,
                error=None,
            )
        )

    def failed_call(
        self, turn: int, body: Mapping[str, Any], error: JudgementError, started: float
    ) -> None:
        """Record a model call that got no answer."""
        self.calls.append(
            CallRecord(
                turn=turn,
                request=dict(body),
                response=None,
                usage=Usage(),
                cost_usd=None,
                latency_ms=_since(started),
                attempts=error.attempts if isinstance(error, ModelCallError) else 0,
                request_id=None,
                error=f"{error.kind}: {error.message}",
            )
        )

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


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
