"""The scripted model: a real client of the SDK on the script's own transport.

It needs no key and no network, and no variable of the environment changes what it does.
"""

from collections.abc import Mapping
from typing import Any, Final

import httpx2
from anthropic import AsyncAnthropic

from judge_bundles.models.anthropic_model import AnthropicModel
from judge_bundles.models.base import CallContext, Price, Reply, Request
from judge_bundles.models.retry import RetryPolicy
from judge_bundles.models.script.answer import MODEL_NAME
from judge_bundles.models.script.load import Script
from judge_bundles.models.script.playback import Playback
from judge_bundles.models.script.transport import CALL_CONTEXT, ScriptTransport

_NOWHERE: Final = "http://script.invalid"


class ScriptModel:
    """Replays `script`; its identity is the script's content, not its name."""

    scripted = True

    def __init__(
        self, script: Script, *, concurrency: int, policy: RetryPolicy | None = None
    ) -> None:
        self.name = f"script:{script.file_name}"
        self.identity = f"script:sha256:{script.sha256}"
        self.price: Price | None = script.price
        self._model = AnthropicModel(
            _client(script),
            name=self.name,
            wire_model=MODEL_NAME,
            identity=self.identity,
            price=self.price,
            concurrency=concurrency,
            policy=policy,
        )

    def wire_body(self, request: Request) -> Mapping[str, Any]:
        """Return the JSON body `create` would send."""
        return self._model.wire_body(request)

    async def create(self, request: Request, context: CallContext, *, timeout_s: float) -> Reply:
        """Answer one request from the conversation for `context`, faults and retries included."""
        token = CALL_CONTEXT.set(context)
        try:
            return await self._model.create(request, context, timeout_s=timeout_s)
        finally:
            CALL_CONTEXT.reset(token)

    async def close(self) -> None:
        """Give back the client."""
        await self._model.close()


def _client(script: Script) -> AsyncAnthropic:
    transport = ScriptTransport(Playback(script))
    return AsyncAnthropic(
        api_key=MODEL_NAME,
        base_url=_NOWHERE,
        max_retries=0,
        open_telemetry=False,
        http_client=httpx2.AsyncClient(transport=transport, trust_env=False),
    )
