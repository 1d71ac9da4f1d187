"""What the tests of models share: a request, a context, a client that is quick to retry."""

import asyncio
from typing import Final

from anthropic import AsyncAnthropic

from judge_bundles.models.anthropic_model import AnthropicModel
from judge_bundles.models.base import CallContext, Price, Reply, Request, ToolSpec
from judge_bundles.models.retry import RetryPolicy

KEY: Final = "canary-key-0123456789"
CONTEXT: Final = CallContext("bundle-1", "rule", "judge")
QUICK: Final = RetryPolicy(backoff_first_s=0.001, backoff_max_s=0.002)
REQUEST: Final = Request(
    system="You judge bundles.",
    messages=[{"role": "user", "content": [{"type": "text", "text": "Judge."}]}],
    tools=[
        ToolSpec("list_files", "List files.", {"type": "object", "properties": {}}),
        ToolSpec(
            "submit_verdict",
            "Submit.",
            {"type": "object", "properties": {"passed": {"type": "boolean"}}},
            strict=True,
        ),
    ],
    max_tokens=1000,
)


def model_at(
    url: str,
    *,
    policy: RetryPolicy = QUICK,
    concurrency: int = 4,
    price: Price | None = None,
) -> AnthropicModel:
    """Return a model behind `url`."""
    return AnthropicModel(
        AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0, open_telemetry=False),
        name="claude-test",
        wire_model="claude-test",
        identity="claude-test",
        price=price,
        concurrency=concurrency,
        policy=policy,
    )


def ask(model: AnthropicModel, request: Request = REQUEST, *, timeout_s: float = 5.0) -> Reply:
    """Make one call on an event loop of its own and close the model."""

    async def call() -> Reply:
        try:
            return await model.create(request, CONTEXT, timeout_s=timeout_s)
        finally:
            await model.close()

    return asyncio.run(call())
