"""Turn the name of a model, as a user writes it, into something that can be called.

The SDK takes about a second to import; it is imported here, inside functions, and nowhere before,
so that a run that needs no model never pays for it. Nothing here sends a request.
"""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from judge_bundles import escape
from judge_bundles.errors import ModelSetupError
from judge_bundles.log import redact
from judge_bundles.models.base import Model

if TYPE_CHECKING:
    from judge_bundles.models.anthropic_model import Client

SCRIPT_PREFIX: Final = "script:"
_BASE_URL: Final = "ANTHROPIC_BASE_URL"
KNOWN: Final = "claude-…, bedrock/…, vertex/…, foundry/… and script:FILE"
_CLIENT_OPTIONS: Final[dict[str, Any]] = {"max_retries": 0, "open_telemetry": False}


def resolve(name: str, *, concurrency: int) -> Model:
    """Return the model `name` for a run of `concurrency` bundles at a time.

    Raises `ModelSetupError` when the name is not known or what it needs is missing.
    """
    if name.startswith(SCRIPT_PREFIX):
        return _script(name.removeprefix(SCRIPT_PREFIX), concurrency)
    prefix, _, rest = name.partition("/")
    if prefix in _CLOUDS:
        if not rest:
            raise ModelSetupError(
                f"model {prefix}/: no model named; write {prefix}/ and the id {prefix} knows it by"
            )
        return _model(name, rest, _CLOUDS[prefix](), concurrency)
    if name.startswith("claude-") or (name.strip() and os.environ.get(_BASE_URL)):
        return _model(name, name, _direct(), concurrency)
    raise ModelSetupError(
        f"model {escape.line(name, limit=80)!r} is not known: use {KNOWN}, "
        "or set ANTHROPIC_BASE_URL for a server with models of other names"
    )


def _script(file: str, concurrency: int) -> Model:
    from judge_bundles.models.script.load import load  # noqa: PLC0415  see the module docstring
    from judge_bundles.models.script.model import ScriptModel  # noqa: PLC0415

    return ScriptModel(load(Path(file)), concurrency=concurrency)


def _model(name: str, wire_model: str, client: "Client", concurrency: int) -> Model:
    from judge_bundles.models.anthropic_model import AnthropicModel  # noqa: PLC0415
    from judge_bundles.models.pricing import price_of  # noqa: PLC0415

    return AnthropicModel(
        client,
        name=name,
        wire_model=wire_model,
        identity=_identity(name),
        price=price_of(name),
        concurrency=concurrency,
    )


def _identity(name: str) -> str:
    """Name a model apart from one of the same name on another server."""
    variable = _BASE_URLS.get(name.partition("/")[0], _BASE_URL)
    base_url = os.environ.get(variable)
    if not base_url:
        return name
    parts = urlsplit(base_url)
    return f"{name} at {parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _direct() -> "Client":
    import anthropic  # noqa: PLC0415

    _require_base_url(_BASE_URL)
    key, token = _credential("ANTHROPIC_API_KEY"), _credential("ANTHROPIC_AUTH_TOKEN")
    try:
        client = anthropic.AsyncAnthropic(
            api_key=key, auth_token=None if key else token, **_CLIENT_OPTIONS
        )
    except (anthropic.AnthropicError, ValueError) as error:
        reason = redact(" ".join(str(error).split()))
        raise ModelSetupError(f"no usable Anthropic credentials: {reason}") from None
    if key or token or client.credentials is not None:  # the last: a profile or federation
        return client
    any_text = " (any text if the server asks for none)" if os.environ.get(_BASE_URL) else ""
    raise ModelSetupError(
        "a judge needs a model and there is no key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"
        f"{any_text}, or choose another model with --model"
    )


def _bedrock() -> "Client":
    import anthropic  # noqa: PLC0415

    _require_base_url("ANTHROPIC_BEDROCK_BASE_URL")
    if not _credential("AWS_BEARER_TOKEN_BEDROCK"):
        _require_package("boto3", "bedrock")
    return _built(
        anthropic.AsyncAnthropicBedrock,
        "set AWS_REGION and the usual AWS credentials for bedrock/…",
    )


def _vertex() -> "Client":
    import anthropic  # noqa: PLC0415

    _require_base_url("ANTHROPIC_VERTEX_BASE_URL")
    _require_package("google.auth", "vertex")
    return _built(
        anthropic.AsyncAnthropicVertex,
        "set CLOUD_ML_REGION, ANTHROPIC_VERTEX_PROJECT_ID and Google credentials for vertex/…",
    )


def _foundry() -> "Client":
    import anthropic  # noqa: PLC0415

    _require_base_url("ANTHROPIC_FOUNDRY_BASE_URL")
    _credential("ANTHROPIC_FOUNDRY_API_KEY")
    return _built(
        anthropic.AsyncAnthropicFoundry,
        "set ANTHROPIC_FOUNDRY_API_KEY and ANTHROPIC_FOUNDRY_RESOURCE for foundry/…",
    )


_CLOUDS: Final[Mapping[str, Callable[[], "Client"]]] = {
    "bedrock": _bedrock,
    "vertex": _vertex,
    "foundry": _foundry,
}
_BASE_URLS: Final = {cloud: f"ANTHROPIC_{cloud.upper()}_BASE_URL" for cloud in _CLOUDS}


def _built(build: Callable[..., "Client"], advice: str) -> "Client":
    try:
        return build(**_CLIENT_OPTIONS)
    except Exception as error:  # each cloud's own library has its own
        reason = redact(" ".join(str(error).split()))
        raise ModelSetupError(f"{advice} ({reason})") from error


def _credential(variable: str) -> str | None:
    """Return a key from the environment, refusing one that could not be sent as a header."""
    value = os.environ.get(variable, "").strip()
    if not all("!" <= character <= "~" for character in value):
        raise ModelSetupError(
            f"{variable} holds spaces or characters that no key has; set it again"
        )
    return value or None


def _require_base_url(variable: str) -> None:
    value = os.environ.get(variable)
    if value is None:
        return
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise ModelSetupError(f"{variable} is not an http:// or https:// address; set it again")
    if "@" in parts.netloc:
        raise ModelSetupError(
            f"{variable} holds a user or password; give the key in its own variable"
        )


def _require_package(module: str, extra: str) -> None:
    try:
        found = find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package
        found = False
    if not found:
        raise ModelSetupError(
            f"{extra}/… needs the package {module.partition('.')[0]}: "
            f"pip install 'judge-bundles[{extra}]'"
        )
