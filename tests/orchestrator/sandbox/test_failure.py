"""Failures as they were observed on engine 20.10 with docker-py 7.2, and what each is taken for."""

from typing import Any

import pytest
from docker import errors as docker_errors
from requests import Response
from requests import exceptions as requests_errors
from urllib3.exceptions import ProtocolError

from judge_bundles.sandbox.failure import (
    MAX_REASON_CHARACTERS,
    classify_end,
    classify_lost,
    classify_start,
    is_absent,
    reason,
    setup_error,
)

ADDRESS = "unix:///var/run/docker.sock"


def api_error(
    status: int, explanation: str, kind: type[docker_errors.APIError] = docker_errors.APIError
) -> docker_errors.APIError:
    response = Response()
    response.status_code = status
    return kind("as requests words it", response=response, explanation=explanation)


def refused(error: OSError) -> requests_errors.ConnectionError:
    return requests_errors.ConnectionError(ProtocolError("Connection aborted.", error))


GONE = refused(FileNotFoundError(2, "No such file or directory"))
NOT_LISTENING = refused(ConnectionRefusedError(111, "Connection refused"))
CUT = requests_errors.ConnectionError(
    ProtocolError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer"))
)
SLOW = requests_errors.ReadTimeout(
    "UnixHTTPConnectionPool(host='localhost', port=None): Read timed out. (read timeout=60)"
)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            api_error(404, "No such image: sha256:0000", docker_errors.ImageNotFound),
            "sandbox_start",
            "no longer in the engine",
        ),
        (api_error(400, "Unknown runtime specified runsc"), "sandbox_start", "Unknown runtime"),
        (
            api_error(
                400, 'invalid mount config for type "bind": bind source path does not exist: /x'
            ),
            "sandbox_start",
            "does not exist",
        ),
        (api_error(400, "Minimum memory limit allowed is 6MB"), "sandbox_start", "6MB"),
        (
            api_error(
                400, "Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available"
            ),
            "sandbox_start",
            "Range of CPUs",
        ),
        (SLOW, "engine", "does not answer any more"),
        (GONE, "engine", ADDRESS),
        (NOT_LISTENING, "engine", ADDRESS),
        (CUT, "engine", ADDRESS),
    ],
)
def test_a_start_that_fails_is_told(error: Exception, kind: str, said: str) -> None:
    failure = classify_start(error, address=ADDRESS)

    assert failure.kind == kind
    assert said in failure.message


@pytest.mark.parametrize(
    ("state", "stderr", "kind", "said"),
    [
        ({"Running": False, "OOMKilled": True, "ExitCode": 137}, "", "sandbox_oom", "memory"),
        (
            {"Running": False, "OOMKilled": False, "ExitCode": 137},
            "",
            "sandbox_died",
            "killed from outside",
        ),
        ({"Running": False, "OOMKilled": False, "ExitCode": 0}, "", "sandbox_died", "exit code 0"),
        (
            {"Running": False, "ExitCode": 1},
            "Traceback\nKeyError: 'x'\n",
            "sandbox_died",
            "exit code 1: KeyError: 'x'",
        ),
        (
            {"Running": False, "ExitCode": 127, "Error": "no such file"},
            "",
            "sandbox_died",
            "no such file",
        ),
        ({"Running": True, "ExitCode": 0}, "", "sandbox_died", "still runs"),
    ],
)
def test_an_end_is_told_by_the_engines_state(
    state: dict[str, Any], stderr: str, kind: str, said: str
) -> None:
    failure = classify_end(state, stderr)

    assert failure.kind == kind
    assert said in failure.message


def test_running_out_of_memory_is_not_tried_again_and_a_kill_is() -> None:
    assert classify_end({"OOMKilled": True, "ExitCode": 137}, "").retryable is False
    assert classify_end({"OOMKilled": False, "ExitCode": 137}, "").retryable is True


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (api_error(404, "No such container: abc", docker_errors.NotFound), "sandbox_died"),
        (GONE, "engine"),
        (CUT, "engine"),
        (SLOW, "engine"),
        (api_error(500, "internal"), "engine"),
    ],
)
def test_an_end_that_the_engine_cannot_tell_is_told(error: Exception, kind: str) -> None:
    assert classify_lost(error, address=ADDRESS).kind == kind


@pytest.mark.parametrize(
    ("error", "absent"),
    [
        (api_error(404, "No such container: abc", docker_errors.NotFound), True),
        (api_error(409, "removal of container abc is already in progress"), True),
        (api_error(500, "driver failed to remove root filesystem"), False),
        (GONE, False),
    ],
)
def test_a_container_on_its_way_out_counts_as_gone(error: Exception, absent: bool) -> None:
    assert is_absent(error) is absent


def test_an_engine_that_may_not_be_used_is_told_apart_from_one_that_is_not_there() -> None:
    denied = docker_errors.DockerException("Error while fetching server API version: …")
    denied.__cause__ = refused(PermissionError(13, "Permission denied"))
    missing = docker_errors.DockerException("Error while fetching server API version: …")
    missing.__cause__ = GONE

    assert "may not be used by this user" in str(setup_error(denied, address=ADDRESS))
    assert "(No such file or directory)" in str(setup_error(missing, address=ADDRESS))


def test_a_reason_is_one_bounded_line() -> None:
    assert reason(api_error(500, "first\n  second")) == "first second"
    assert reason(api_error(500, "x" * MAX_REASON_CHARACTERS)) == "x" * MAX_REASON_CHARACTERS
    long = reason(api_error(500, "x" * (MAX_REASON_CHARACTERS + 1)))
    assert len(long) == MAX_REASON_CHARACTERS
    assert long.endswith("…")
    assert reason(ValueError()) == "ValueError"
