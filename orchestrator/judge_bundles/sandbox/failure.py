"""Say what kind of failure it was when the engine or a container failed: here and nowhere else.

Works from what really comes back: exception types and status codes of the client, and the state the
engine keeps of an ended container. The observed texts stand in the tests.
"""

from collections.abc import Mapping
from typing import Any, Final

from docker import errors as docker_errors
from requests import exceptions as requests_errors

from judge_bundles.errors import EngineSetupError, JudgementError

ENGINE_ERRORS: Final = (docker_errors.DockerException, requests_errors.RequestException, OSError)
"""Everything a call of the engine may raise."""

MAX_REASON_CHARACTERS: Final = 500
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_KILLED: Final = 137
_WRAPPINGS: Final = 5


def classify_start(error: Exception, *, address: str) -> JudgementError:
    """Return what a failure to create, attach or start a container means for the bundle."""
    if _is_gone(error):
        return engine_gone(address)
    if isinstance(error, docker_errors.ImageNotFound):
        message = f"The sandbox image is no longer in the engine: {reason(error)}"
        return JudgementError("sandbox_start", message)
    return JudgementError("sandbox_start", f"The container did not start: {reason(error)}")


def classify_lost(error: Exception, *, address: str) -> JudgementError:
    """Return what it means that the engine cannot tell how a container ended."""
    if isinstance(error, docker_errors.NotFound):
        return JudgementError("sandbox_died", "The container was removed during the judgement.")
    if _is_gone(error):
        return engine_gone(address)
    return JudgementError("engine", f"The container engine failed: {reason(error)}")


def classify_end(state: Mapping[str, Any], stderr: str) -> JudgementError:
    """Return what the engine's `State` of a container says about its end."""
    code = state.get("ExitCode")
    if state.get("OOMKilled"):
        return JudgementError("sandbox_oom", "The container ran out of memory and was ended.")
    if state.get("Running"):
        return JudgementError("sandbox_died", "The container closed its stream and still runs.")
    if code == _KILLED:
        return JudgementError("sandbox_died", "The container was killed from outside (exit 137).")
    last = stderr.strip().splitlines()[-1:] or [str(state.get("Error") or "")]
    said = f": {last[0][:MAX_REASON_CHARACTERS]}" if last[0] else ""
    return JudgementError("sandbox_died", f"The tool server ended with exit code {code}{said}")


def engine_gone(address: str) -> JudgementError:
    """Return the failure of an engine that does not answer any more."""
    return JudgementError("engine", f"The container engine at {address} does not answer any more.")


def setup_error(error: Exception, *, address: str) -> EngineSetupError:
    """Return what it means that an engine cannot be used at all."""
    cause = _os_error(error)
    if isinstance(cause, PermissionError):
        return EngineSetupError(
            f"The container engine at {address} may not be used by this user: "
            "use an account that may, such as one in the group docker, or use --prechecks-only."
        )
    if isinstance(error, docker_errors.APIError):
        return EngineSetupError(f"The container engine at {address} refused: {reason(error)}.")
    why = cause.strerror if cause and cause.strerror else reason(error)
    return EngineSetupError(
        f"No container engine answers at {address} ({why}): "
        "start it, set DOCKER_HOST to its address, or use --prechecks-only."
    )


def is_absent(error: Exception) -> bool:
    """Tell whether a container is gone or already on its way out."""
    if isinstance(error, docker_errors.NotFound):
        return True
    return isinstance(error, docker_errors.APIError) and error.status_code == _CONFLICT


def reason(error: Exception) -> str:
    """Return what an engine's error says, in one bounded line."""
    said = error.explanation if isinstance(error, docker_errors.APIError) else str(error)
    line = " ".join(str(said or type(error).__name__).split())
    return line if len(line) <= MAX_REASON_CHARACTERS else f"{line[: MAX_REASON_CHARACTERS - 1]}…"


def _is_gone(error: Exception) -> bool:
    lost = (requests_errors.ConnectionError, requests_errors.Timeout)
    return isinstance(error, lost) or _os_error(error) is not None


def _os_error(error: object, depth: int = 0) -> OSError | None:
    """Return the operating system's error that the client wrapped, if it did."""
    if depth > _WRAPPINGS or isinstance(error, docker_errors.APIError):
        return None
    if isinstance(error, OSError) and not isinstance(error, requests_errors.RequestException):
        return error
    if not isinstance(error, BaseException):
        return None
    wrapped = (_os_error(inner, depth + 1) for inner in (*error.args, error.__cause__))
    return next((found for found in wrapped if found is not None), None)
