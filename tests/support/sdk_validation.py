"""Check a request body against the SDK's own types, down to the leaves.

The types declare lists as `Iterable`, which pydantic validates lazily, item by item, while it is
walked: validating alone would accept wrong roles and blocks.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter, ValidationError


def problem(body: object) -> str | None:
    """Return what is wrong with `body` in one line, or None when the SDK's types accept it."""
    try:
        _walk(_adapter().validate_python(body, extra="forbid"))
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        return "; ".join(f"{'.'.join(map(str, d['loc']))}: {d['msg']}" for d in details[:5])
    return None


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(MessageCreateParamsNonStreaming)


def _walk(value: object) -> None:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for item in value:
            _walk(item)
