"""Model calls as every judge makes them: paid for, bounded in time, and on record however they end.

Money is set aside before a call and booked after it. A call that is given up, or that may have been
charged without an answer, counts at its worst case.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from judge_bundles.agent.budget import RunBudget, Spending, worst_case
from judge_bundles.errors import JudgementError
from judge_bundles.models.base import CallContext, Model, ModelCallError, Reply, Request
from judge_bundles.store.records import CallRecord
from judge_bundles.verdict import Usage


@dataclass(slots=True)
class Calls:
    """The calls of one judgement, in `records` in their order."""

    model: Model
    context: CallContext
    run_budget: RunBudget
    spending: Spending
    records: list[CallRecord] = field(default_factory=list)

    async def ask(self, request: Request, *, turn: int, deadline: float) -> Reply:
        """Make one call; `deadline` is on the clock of `time.monotonic`. Raises `JudgementError`."""
        self.spending.require()
        body = self.model.wire_body(request)
        amount = worst_case(self.model.price, body, request.max_tokens)
        async with self.run_budget.reserve(amount):
            started = time.monotonic()
            try:
                reply = await self.model.create(
                    request, self.context, timeout_s=max(deadline - started, 0.001)
                )
            except asyncio.CancelledError:
                # Out of time or interrupted: the server may go on, and charge for it.
                self.run_budget.settle(self.spending.risk(1, amount))
                stopped = JudgementError("interrupted", "the call was given up before its answer")
                self._failed(turn, body, stopped, started)
                raise
            except JudgementError as error:
                lost = error.unaccounted_attempts if isinstance(error, ModelCallError) else 0
                self.run_budget.settle(self.spending.risk(lost, amount))
                self._failed(turn, body, error, started)
                raise
            cost = self.spending.add(reply.usage)
            lost_cost = self.spending.risk(reply.unaccounted_attempts, amount)
            self.run_budget.settle(cost + lost_cost)
        self._answered(turn, body, reply, cost, started)
        return reply

    def _answered(
        self, turn: int, body: Mapping[str, Any], reply: Reply, cost: Decimal, started: float
    ) -> None:
        self.records.append(
            CallRecord(
                turn=turn,
                request=dict(body),
                response=dict(reply.raw),
                usage=reply.usage,
                cost_usd=None if self.model.price is None else float(cost),
                latency_ms=_since(started),
                attempts=reply.attempts,
                request_id=reply.request_id,
                error=None,
            )
        )

    def _failed(
        self, turn: int, body: Mapping[str, Any], error: JudgementError, started: float
    ) -> None:
        self.records.append(
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


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
