"""Structured events on stderr: one line each, in the past tense, with ids.

Every value passes the redactor (secrets) and the terminal escape (hostile text) on its way out.
"""

import os
import re
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, Final, Literal

import structlog

from judge_bundles import escape

LogFormat = Literal["console", "json"]

_KEY_SHAPES: Final = re.compile(
    r"sk-ant-[A-Za-z0-9_\-]{8,}"  # Anthropic keys and tokens
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"  # AWS access key ids
    r"|AIza[A-Za-z0-9_\-]{35}"  # Google API keys
    r"|ya29\.[A-Za-z0-9_\-]{20,}"  # Google access tokens
    r"|(?:ghp|gho|ghs|ghr)_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}"
    r"|(?i:bearer )[A-Za-z0-9._~+/\-]{16,}=*"
)
_SECRET_VARIABLES: Final = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_IDENTITY_TOKEN",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
)
_MIN_SECRET_CHARACTERS: Final = 8
REDACTED: Final = "[redacted]"


def redact(text: str) -> str:
    """Return `text` without this process's credentials and without anything shaped like a key."""
    for secret in _secrets():
        text = text.replace(secret, REDACTED)
    return _KEY_SHAPES.sub(REDACTED, text)


def redact_value(value: Any) -> Any:
    """Redact every string in a JSON value, keys included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact_value(key): redact_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item) for item in value]
    return value


def configure(
    log_format: LogFormat, *, quiet: bool = False, colors: bool = False, tracebacks: bool = False
) -> None:
    """Send events to stderr; `quiet` keeps warnings and errors only.

    A traceback that an event carries is shown only with `tracebacks`.
    """
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=True)
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=colors, pad_event_to=0)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info if tracebacks else _without_traceback,
            _clean,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(30 if quiet else 20),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def get_logger() -> Any:
    """Return the logger; bind ids with `structlog.contextvars` or keyword arguments."""
    return structlog.get_logger()


def _secrets() -> Iterable[str]:
    for name in _SECRET_VARIABLES:
        value = os.environ.get(name, "").strip()  # a key is used without the space around it
        if len(value) >= _MIN_SECRET_CHARACTERS:
            yield value


def _without_traceback(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    return {key: value for key, value in event.items() if key != "exc_info"}


def _clean(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: _clean_value(value) for key, value in event.items()}


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return escape.line(redact(value))
    if isinstance(value, (list, tuple)):
        return [_clean_value(item) for item in value]
    return value
