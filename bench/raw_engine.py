"""The engine's own pace: container lives with the product's options and nothing of its code around.

A life is create, attach, start, the server's first line, force-remove, each one call of the low-level
client. What the product checks, reads or waits for in between is left out on purpose.
"""

import asyncio
import json
import socket
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import docker

from bench.context import SkippedError
from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox import launch
from judge_bundles.sandbox.engine import Engine

_RUN: Final = "bench"
_TIMEOUT_S: Final = 60
_MOST_CONNECTIONS: Final = 64


@contextmanager
def engine(address: str | None = None) -> Iterator[Engine]:
    """Connect to an engine with the sandbox image ready; skips the section where there is none."""
    try:
        connected = asyncio.run(_prepared(address))
    except EngineSetupError as error:
        raise SkippedError(str(error)) from error
    try:
        yield connected
    finally:
        asyncio.run(connected.close())


async def _prepared(address: str | None) -> Engine:
    connected = await Engine.connect(address)
    await connected.prepare_image()
    return connected


class RawContainer:
    """One container that runs the tool server, with its attached stream read in the plainest way."""

    def __init__(self, api: docker.APIClient, plan: launch.Plan) -> None:
        self._api = api
        self.id = launch.create(api, plan)
        self._stream: socket.socket | None = None

    def start(self) -> None:
        """Attach, start, and wait for the server's first line."""
        self._stream = launch.attach_and_start(self._api, self.id)
        self._stream.settimeout(_TIMEOUT_S)
        self._line()

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """Send one request and return the answer's line."""
        assert self._stream is not None
        request = {"id": 1, "tool": tool, "input": dict(arguments)}
        self._stream.sendall(json.dumps(request).encode() + b"\n")
        return self._line()

    def remove(self) -> None:
        """Close the stream and force-remove the container."""
        if self._stream is not None:
            self._stream.close()
        self._api.remove_container(self.id, force=True, v=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()

    def _line(self) -> bytes:
        content = b""
        while not content.endswith(b"\n"):
            header = self._exactly(8)
            content += self._exactly(int.from_bytes(header[4:], "big"))
        return content

    def _exactly(self, count: int) -> bytes:
        assert self._stream is not None
        data = bytearray()
        while len(data) < count:
            part = self._stream.recv(count - len(data))
            if not part:
                raise ConnectionError("the container ended")
            data += part
        return bytes(data)


class RawEngine:
    """Lives of containers that show the folder `root`, made by threads that share one client."""

    def __init__(self, connected: Engine, root: Path) -> None:
        self._plan = connected.plan(root, run_id=_RUN, entry_id=_RUN)
        self._api = docker.APIClient(
            connected.address, version="auto", timeout=_TIMEOUT_S, max_pool_size=_MOST_CONNECTIONS
        )

    def container(self) -> RawContainer:
        """Create a container, not started yet."""
        return RawContainer(self._api, self._plan)

    def life_s(self) -> float:
        """Return the seconds of one whole life."""
        begun = time.perf_counter()
        with self.container() as container:
            container.start()
        return time.perf_counter() - begun

    def rate(self, count: int, concurrency: int) -> float:
        """Return lives per second, `concurrency` of them at once."""
        begun = time.perf_counter()
        with ThreadPoolExecutor(concurrency) as threads:
            for life in [threads.submit(self.life_s) for _ in range(count)]:
                life.result()
        return count / (time.perf_counter() - begun)

    def exec_s(self, container: str, command: list[str]) -> float:
        """Return the seconds of running a command in a running container and reading its output."""
        begun = time.perf_counter()
        made = self._api.exec_create(container, command)
        self._api.exec_start(made["Id"])
        took = time.perf_counter() - begun
        code = self._api.exec_inspect(made["Id"])["ExitCode"]
        if code != 0:
            raise AssertionError(f"{command} ended with {code}")
        return took

    def close(self) -> None:
        """Give the connections back."""
        self._api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
