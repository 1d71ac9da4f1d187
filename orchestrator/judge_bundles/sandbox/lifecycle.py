"""One container from its creation to its removal. Blocking; called in the engine's threads.

A call that was begun cannot be taken back. So whoever gives up waiting for `launch` calls `remove`,
and whichever of the two comes later takes the container away.
"""

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any, Final

import docker
from requests import exceptions as requests_errors

from judge_bundles.sandbox import launch
from judge_bundles.sandbox.failure import ENGINE_ERRORS, is_absent

_END_TIMEOUT_S: Final = 10
"""How long a container whose stream has ended may take until the engine knows how it ended."""


class Container:
    """What the engine knows of one sandbox."""

    def __init__(self, api: docker.APIClient, plan: launch.Plan) -> None:
        self._api = api
        self._plan = plan
        self._lock = threading.Lock()
        self._id: str | None = None
        self._unwanted = False

    @property
    def id(self) -> str | None:
        """The engine's id, once it was created."""
        return self._id

    def launch(self) -> socket.socket:
        """Create and start the container; return its attached stream."""
        identity = launch.create(self._api, self._plan)
        with self._lock:
            self._id = identity
            unwanted = self._unwanted
        if unwanted:
            self.remove()
            raise InterruptedError("nobody waits for this container any more")
        return launch.start(self._api, identity, self._plan)

    def end_state(self) -> Mapping[str, Any]:
        """Return the engine's `State` of a container that has ended or is about to."""
        assert self._id is not None
        with contextlib.suppress(requests_errors.ReadTimeout, requests_errors.ConnectionError):
            self._api.wait(self._id, timeout=_END_TIMEOUT_S)
        state: Mapping[str, Any] = self._api.inspect_container(self._id)["State"]
        return state

    def remove(self) -> None:
        """Remove the container, running or not, now or as soon as it exists."""
        with self._lock:
            self._unwanted = True
            identity = self._id
        if identity is not None:
            remove_container(self._api, identity)


def remove_container(api: docker.APIClient, identity: str) -> None:
    """Remove a container with its anonymous volumes; one that is gone already is no error."""
    try:
        api.remove_container(identity, force=True, v=True)
    except ENGINE_ERRORS as error:
        if not is_absent(error):
            raise
