"""The server that is not there: an HTTP transport that answers from a script, in this process.

It stands below the SDK's real client, so that requests are built, sent, retried and read by the
same code as with a real server. It opens no socket.
"""

import asyncio
import json
from contextvars import ContextVar
from typing import Any, Final

import httpx2

from judge_bundles.models.base import CallContext
from judge_bundles.models.script.format import Fault
from judge_bundles.models.script.playback import Answer, NoConversation, Playback

CALL_CONTEXT: Final[ContextVar[CallContext]] = ContextVar("judge_bundles_script_call_context")
"""For whom the request now being sent is made; the Messages API itself has no place for it."""
_JSON: Final = {"content-type": "application/json"}


class ScriptTransport(httpx2.AsyncBaseTransport):
    """Answers each request as `playback` says."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one `POST /v1/messages`."""
        body = json.loads(await request.aread())
        step = self._playback.next(CALL_CONTEXT.get(), body)
        if isinstance(step, NoConversation):
            return _error(404, step.message, {})
        if isinstance(step, Fault):
            return _fault(step, request)
        return await _answer(step)


async def _answer(step: Answer) -> httpx2.Response:
    if step.delay_s:
        await asyncio.sleep(step.delay_s)
    # ASCII JSON: a script may hold half an emoji, as models do, which UTF-8 cannot.
    content = json.dumps(step.message).encode()
    return httpx2.Response(200, content=content, headers={**_JSON, "request-id": "req_script"})


def _fault(fault: Fault, request: httpx2.Request) -> httpx2.Response:
    if fault.disconnect:
        raise httpx2.RemoteProtocolError("the script disconnected", request=request)
    if fault.body is not None:
        content = fault.body.encode("utf-8", "surrogatepass")
        return httpx2.Response(200, content=content, headers=_JSON)
    assert fault.status is not None
    headers = {} if fault.retry_after is None else {"retry-after": str(fault.retry_after)}
    return _error(fault.status, fault.message or "the script failed", headers)


def _error(status: int, message: str, headers: dict[str, str]) -> httpx2.Response:
    return httpx2.Response(status, json=error_body(status, message), headers=headers)


def error_body(status: int, message: str) -> dict[str, Any]:
    """Return an error as the Messages API words it."""
    kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
    kinds |= {429: "rate_limit_error", 529: "overloaded_error"}
    fallback = "invalid_request_error" if status < 500 else "api_error"
    return {"type": "error", "error": {"type": kinds.get(status, fallback), "message": message}}
