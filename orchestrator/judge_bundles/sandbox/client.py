"""The engine's client, in which every call has a deadline.

The library's own gives none to pulling and building. Only the low-level client is used: the other
one asks the engine twice as much.
"""

import math
import os
import socket
from typing import Any, Final

import docker
import requests

from judge_bundles.limits import ENGINE_PING_TIMEOUT_S

DEFAULT_ADDRESS: Final = "unix:///var/run/docker.sock"
SCHEME: Final = "unix://"
THREADS: Final = max(4, 2 * (os.cpu_count() or 1))
"""How many calls of one engine are in flight at once, which also bounds how many containers start."""


class Client(docker.APIClient):
    """`timeout_s` bounds the wait for an answer, and between two parts of one that comes in parts."""

    def __init__(self, address: str, timeout_s: float, *, version: str = "auto") -> None:
        super().__init__(
            base_url=address,
            version=version,
            timeout=math.ceil(timeout_s),
            max_pool_size=THREADS,
        )

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send a request of the library; one without a deadline gets the client's."""
        if options.get("timeout") is None:
            options["timeout"] = self.timeout
        return super().send(request, **options)


def connected(address: str, timeout_s: float) -> Client:
    """Return a client of the engine at `address` once it has answered; the plain `OSError` if not."""
    _knock(address, timeout_s)
    # The version is asked for at once, with a deadline of its own.
    first = Client(address, min(timeout_s, ENGINE_PING_TIMEOUT_S))
    version = first.api_version
    first.close()
    return Client(address, timeout_s, version=version)


def _knock(address: str, timeout_s: float) -> None:
    """Raise the plain `OSError` where nobody listens; the client wraps it and leaks its socket."""
    with socket.socket(socket.AF_UNIX) as knocking:
        knocking.settimeout(min(timeout_s, ENGINE_PING_TIMEOUT_S))
        knocking.connect(address.removeprefix(SCHEME))
