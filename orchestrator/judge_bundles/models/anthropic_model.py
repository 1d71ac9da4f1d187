"""A model behind the Messages API, reached with the official SDK.

Whole requests, no server-side threads and no tool runner: an audit needs every request on record.
Importing this module imports the SDK, which takes about a second; only `resolve` does so, and only
when a judge needs a model.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import httpx2
from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex

from judge_bundles.limits import MODEL_CONNECT_TIMEOUT_S
from judge_bundles.log import get_logger
from judge_bundles.models import reply, wire
from judge_bundles.models.base import CallContext, Price, Reply, Request
from judge_bundles.models.failure import classify
from judge_bundles.models.pace import Pace
from judge_bundles.models.retry import Caller, RetryPolicy, Tally

Client = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex


class AnthropicModel:
    """One model of one server; all calls share one client and one pace.

    `client` must not retry by itself. `wire_model` is the name the server knows the model by.
    """

    scripted = False

    def __init__(
        self,
        client: Client,
        *,
        name: str,
        wire_model: str,
        identity: str,
        price: Price | None,
        concurrency: int,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.name = name
        self.identity = identity
        self.price = price
        self.pace = Pace(concurrency)
        self._client = client
        self._wire_model = wire_model
        self._policy = policy or RetryPolicy()
        cloud = not isinstance(client, AsyncAnthropic)
        self._caller = Caller(self._policy, self.pace, partial(classify, cloud=cloud))

    def wire_body(self, request: Request) -> Mapping[str, Any]:
        """Return the JSON body `create` would send."""
        return wire.body(self._wire_model, request)

    async def create(self, request: Request, context: CallContext, *, timeout_s: float) -> Reply:
        """Send one request and retry what may be retried, all within `timeout_s` seconds.

        Raises `ModelCallError`, a `JudgementError` of a `model_*` kind, `context_exceeded` or
        `timeout`.
        """
        answer, tally = await self._caller.call(
            partial(self._send, self.wire_body(request)),
            timeout_s=timeout_s,
            announce=partial(_log_retry, self.name, context),
        )
        return replace(answer, attempts=tally.attempts, unaccounted_attempts=tally.unaccounted)

    async def close(self) -> None:
        """Give back connections."""
        await self._client.close()

    async def _send(self, body: Mapping[str, Any]) -> Reply:
        timeout = httpx2.Timeout(self._policy.attempt_timeout_s, connect=MODEL_CONNECT_TIMEOUT_S)
        response = await self._client.messages.with_raw_response.create(**body, timeout=timeout)
        return reply.read(await response.read(), request_id=response.request_id)


def _log_retry(model: str, context: CallContext, tally: Tally, delay_s: float) -> None:
    assert tally.last is not None
    get_logger().info(
        "model_call_failed",
        model=model,
        entry_id=context.entry_id,
        rule=context.rule,
        judge=context.judge,
        sample=context.sample,
        attempt=tally.attempts,
        kind=tally.last.kind,
        message=tally.last.message,
        retried_in_s=round(delay_s, 3),
    )
