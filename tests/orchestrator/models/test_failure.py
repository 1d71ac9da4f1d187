from typing import Any

import anthropic
import httpx2
import pytest

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.limits import MAX_MODEL_ERROR_CHARACTERS
from judge_bundles.models.failure import Failure, classify

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/messages")


def status_error(status: int, body: Any, headers: dict[str, str] | None = None) -> Exception:
    response = httpx2.Response(status, request=REQUEST, headers=headers)
    return anthropic.APIStatusError("raw", response=response, body=body)


def worded(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def classified(error: Exception) -> Failure:
    failure = classify(error)
    assert failure is not None
    return failure


# Texts as servers really send them.
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, worded("prompt is too long: 208310 tokens > 200000 maximum"), "context_exceeded"),
        (
            400,
            worded(
                "input length and `max_tokens` exceed context limit: 199000 + 16000 > 200000, "
                "decrease input length or `max_tokens` and try again"
            ),
            "context_exceeded",
        ),
        (400, {"message": "Input is too long for requested model."}, "context_exceeded"),
        (400, worded("This model's maximum context length is 32768 tokens."), "context_exceeded"),
        (
            400,
            worded(
                "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"
            ),
            "model_request",
        ),
        (400, worded("Your credit balance is too low to access the Anthropic API."), "model_auth"),
        (402, worded("pay first", "billing_error"), "model_auth"),
        (401, worded("invalid x-api-key", "authentication_error"), "model_auth"),
        (404, worded("model: claude-nope", "not_found_error"), "model_request"),
        (413, worded("Request exceeds the maximum size", "request_too_large"), "model_request"),
        (424, {"message": "The model failed."}, "model_server"),
        (408, "", "model_server"),
        (429, worded("slow down", "rate_limit_error"), "model_rate_limited"),
        (
            429,
            {"message": "Too many tokens, please wait before trying again."},
            "model_rate_limited",
        ),
        (500, worded("Overloaded", "overloaded_error"), "model_overloaded"),
        (529, worded("Overloaded", "overloaded_error"), "model_overloaded"),
        (503, "<html>", "model_server"),
        (418, None, "model_request"),
    ],
)
def test_a_status_and_its_text_decide_the_kind(status: int, body: Any, kind: ErrorKind) -> None:
    assert classified(status_error(status, body)).kind == kind


@pytest.mark.parametrize(
    ("status", "crowded"), [(429, True), (529, True), (500, False), (400, False)]
)
def test_only_limits_and_overload_ask_for_fewer_calls(status: int, crowded: bool) -> None:
    assert classified(status_error(status, None)).crowded is crowded


def test_the_message_names_the_status_and_the_sentence_of_the_server() -> None:
    assert (
        classified(status_error(404, worded("model:\n  nope"))).message == "HTTP 404: model: nope"
    )
    assert classified(status_error(404, {"error": ["odd"]})).message == "HTTP 404"


def test_a_long_text_is_cut() -> None:
    message = classified(status_error(500, "x" * 10_000)).message
    assert len(message) == MAX_MODEL_ERROR_CHARACTERS
    assert message.endswith("…")


def test_a_key_in_a_text_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-0123456789")
    failure = classified(status_error(401, worded("no: canary-0123456789 sk-ant-api03-abcdefgh")))
    assert failure.message == "HTTP 401: no: [redacted] [redacted]"


@pytest.mark.parametrize(
    ("cause", "retry", "unaccounted"),
    [
        (httpx2.ConnectError("refused"), True, False),
        (httpx2.ConnectTimeout("slow"), True, False),
        (httpx2.ReadTimeout("slow"), True, True),
        (httpx2.RemoteProtocolError("cut"), True, True),
        (ConnectionResetError(104, "reset"), True, True),
        (httpx2.UnsupportedProtocol("ftp"), False, False),
        (httpx2.LocalProtocolError("Illegal header value b'Bearer canary'"), False, False),
        (httpx2.TooManyRedirects("again"), False, False),
    ],
)
def test_a_connection_fault_is_unreachable(
    cause: Exception, retry: bool, unaccounted: bool
) -> None:
    error = anthropic.APIConnectionError(request=REQUEST)
    error.__cause__ = cause
    failure = classified(error)
    assert (failure.kind, failure.retry) == ("model_unreachable", retry)
    assert failure.unaccounted is unaccounted
    assert type(cause).__name__ in failure.message
    assert "canary" not in failure.message


def test_a_bug_below_the_client_is_no_failure_of_the_model() -> None:
    error = anthropic.APIConnectionError(request=REQUEST)
    error.__cause__ = TypeError("a bug")
    assert classify(error) is None
    assert classify(KeyError("a bug")) is None


def test_missing_credentials_of_a_cloud_are_told_from_bugs_elsewhere() -> None:
    error = RuntimeError("Could not resolve AWS credentials from session")
    assert classify(error) is None
    failure = classify(error, cloud=True)
    assert failure is not None
    assert (failure.kind, failure.retry) == ("model_auth", False)
    assert classify(KeyError("a bug"), cloud=True) is None
