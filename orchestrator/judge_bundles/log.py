"""Structured events on stderr: one line each, in the past tense, with ids.

Every value passes the redactor (secrets) and the terminal escape (hostile text) on its way out, and
so does what libraries say through `logging`.
"""

import logging
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final, Literal

import structlog

from judge_bundles import escape, key_shapes

LogFormat = Literal["console", "json"]

_SECRET_VARIABLES: Final = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_IDENTITY_TOKEN",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
)
_OF_A_SECRET: Final = re.compile(
    "(?:(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASS)|PASSWD|PASSWORD|PASSPHRASE)$", re.IGNORECASE
)
"""Names of variables of other programs; their values go to children and may come back in text."""
_MIN_SECRET_CHARACTERS: Final = 8
REDACTED: Final = "[redacted]"
_TRACEBACK: Final = "exception"
"""The key under which structlog puts a traceback: the one value of several lines."""


def redact(text: str) -> str:
    """Return `text` without this process's credentials and without anything shaped like a key."""
    for secret in _secrets():
        text = text.replace(secret, REDACTED)
    return key_shapes.replace(text, REDACTED)


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
        else structlog.dev.ConsoleRenderer(colors=colors, pad_event_to=0, sort_keys=False)
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
        # Looked up at each write: a live display puts itself in the place of stderr.
        logger_factory=structlog.PrintLoggerFactory(escape.guarded(lambda: sys.stderr)),
        cache_logger_on_first_use=False,
    )
    if not any(isinstance(handler, _LibraryEvents) for handler in logging.root.handlers):
        logging.root.addHandler(_LibraryEvents(logging.WARNING))


def get_logger() -> Any:
    """Return the logger; bind ids with `structlog.contextvars` or keyword arguments."""
    return structlog.get_logger()


def _secrets() -> Iterable[str]:
    for name in _SECRET_VARIABLES:
        value = os.environ.get(name, "").strip()  # a key is used without the space around it
        if len(value) >= _MIN_SECRET_CHARACTERS:
            yield value
    for name, value in os.environ.items():
        # A path is where a secret lies, not a secret.
        if (
            len(value) >= _MIN_SECRET_CHARACTERS
            and value[0] not in "/~."
            and _OF_A_SECRET.search(name)
        ):
            yield value


def _without_traceback(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    return {key: value for key, value in event.items() if key != "exc_info"}


class _LibraryEvents(logging.Handler):
    """Turns warnings of libraries into events, so that they too are redacted and escaped."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log it, or leave it to the standard library where events are not configured."""
        if not structlog.is_configured():
            return
        write = get_logger().error if record.levelno >= logging.ERROR else get_logger().warning
        error = record.exc_info[1] if record.exc_info else None
        write(
            "library_reported",
            library=record.name,
            message=record.getMessage(),
            **({"error": repr(error), "exc_info": error} if error else {}),
        )


def _clean(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {str(clean_value(key)): _clean_field(key, value) for key, value in event.items()}


def _clean_field(key: str, value: Any) -> Any:
    if key == _TRACEBACK and isinstance(value, str):
        return escape.block(redact(value))
    return clean_value(value)


def clean_value(value: Any) -> Any:
    """Return a value of an event as JSON without secrets or hostile text; of objects, their text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(clean_value(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_value(item) for item in value]
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    return escape.line(redact(text))
