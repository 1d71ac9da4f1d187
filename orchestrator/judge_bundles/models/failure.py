"""The one place that says what a failed model call means and whether trying again can help.

It judges what really comes back: the exceptions of the SDK and its HTTP client, and the statuses,
headers and texts of servers. Messages are free of credentials and bounded; they may hold text of
the server, not yet escaped for any sink.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import anthropic
import httpx2

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.limits import MAX_MODEL_ERROR_CHARACTERS
from judge_bundles.log import redact
from judge_bundles.models.reply import UnreadableReplyError
from judge_bundles.models.retry_after import retry_after_s


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt."""

    kind: ErrorKind
    message: str
    retry: bool = False
    retry_after_s: float | None = None
    crowded: bool = False
    """The server asks for fewer calls."""
    unaccounted: bool = False
    """The server may have charged for an answer that nobody could read."""


# Statuses below 500 that are not a plain refusal of the request, and whether they pass by waiting.
_STATUSES: Final[dict[int, tuple[ErrorKind, bool]]] = {
    401: ("model_auth", False),
    402: ("model_auth", False),  # the account cannot pay
    403: ("model_auth", False),
    408: ("model_server", True),  # the server gave up waiting for the request
    409: ("model_server", True),  # a lock the server could not get
    424: ("model_server", True),  # Bedrock: the model failed behind it
    429: ("model_rate_limited", True),
    529: ("model_overloaded", True),
}
_CONTEXT_TEXTS: Final = re.compile(
    r"prompt is too long"  # Anthropic: "prompt is too long: 208310 tokens > 200000 maximum"
    r"|input is too long"  # Bedrock: "Input is too long for requested model."
    r"|context (?:window|length|limit)",  # "… `max_tokens` exceed context limit: …" and others
    re.IGNORECASE,
)
_UNPAID_TEXTS: Final = re.compile(r"credit balance is too low", re.IGNORECASE)
_CLOUD_PACKAGES: Final = frozenset({"boto3", "botocore", "google"})
_NEVER_CONNECTED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_POINTLESS_TO_REPEAT: Final = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
_QUOTABLE: Final = (httpx2.NetworkError, httpx2.RemoteProtocolError, OSError)
"""Causes whose text cannot hold a header of the request, and thus no key."""


def classify(error: Exception, *, cloud: bool = False) -> Failure | None:
    """Return what `error` means, or None when it is a fault of this program.

    `cloud` says that the client resolves credentials of a cloud by itself while it sends: it then
    reports missing ones as bare `RuntimeError` or `ValueError`.
    """
    if isinstance(error, UnreadableReplyError):
        return Failure("model_response", _clean(str(error)), retry=True, unaccounted=True)
    if isinstance(error, anthropic.APIStatusError):
        return _from_status(error)
    if isinstance(error, anthropic.APIConnectionError):
        return _from_connection(error)
    if isinstance(error, TimeoutError):
        return Failure(
            "model_unreachable", "no complete answer in time", retry=True, unaccounted=True
        )
    if isinstance(error, anthropic.AnthropicError) or (cloud and _about_credentials(error)):
        return Failure("model_auth", _clean(f"no usable credentials: {error}"))
    return None


def _from_status(error: anthropic.APIStatusError) -> Failure:
    status, text = error.status_code, _text_of(error.body)
    kind, retry = _STATUSES.get(
        status, ("model_server", True) if status >= 500 else ("model_request", False)
    )
    if error.type == "overloaded_error":
        kind, retry = "model_overloaded", True
    elif status == 400 and _CONTEXT_TEXTS.search(text):
        kind = "context_exceeded"
    elif error.type == "billing_error" or (status == 400 and _UNPAID_TEXTS.search(text)):
        kind, retry = "model_auth", False
    return Failure(
        kind,
        _clean(f"HTTP {status}: {text}" if text else f"HTTP {status}"),
        retry=_server_decides(error.response.headers, retry),
        retry_after_s=retry_after_s(error.response.headers),
        crowded=kind in {"model_rate_limited", "model_overloaded"},
    )


def _from_connection(error: anthropic.APIConnectionError) -> Failure | None:
    cause = error.__cause__
    if not isinstance(cause, (httpx2.HTTPError, httpx2.InvalidURL, OSError)):
        return None
    name = type(cause).__name__
    text = f"{name}: {cause}" if isinstance(cause, _QUOTABLE) and str(cause) else name
    passing = isinstance(cause, (httpx2.TransportError, OSError))
    return Failure(
        "model_unreachable",
        _clean(text),
        retry=passing and not isinstance(cause, _POINTLESS_TO_REPEAT),
        unaccounted=passing and not isinstance(cause, (*_NEVER_CONNECTED, *_POINTLESS_TO_REPEAT)),
    )


def _about_credentials(error: Exception) -> bool:
    package = type(error).__module__.partition(".")[0]
    return package in _CLOUD_PACKAGES or type(error) in {RuntimeError, ValueError}


def _server_decides(headers: httpx2.Headers, default: bool) -> bool:  # noqa: FBT001  one private call
    said = headers.get("x-should-retry", "").lower()
    return {"true": True, "false": False}.get(said, default)


def _text_of(body: Any) -> str:
    """Return the sentence in an error body: Anthropic's `error.message`, Bedrock's `message`."""
    if not isinstance(body, dict):
        return str(body or "")
    error = body.get("error")
    message = error.get("message") if isinstance(error, dict) else body.get("message", error)
    return message if isinstance(message, str) else ""


def _clean(text: str) -> str:
    shown = redact(" ".join(text.split()))
    if len(shown) <= MAX_MODEL_ERROR_CHARACTERS:
        return shown
    return shown[: MAX_MODEL_ERROR_CHARACTERS - 1] + "…"
