"""The container engine of this machine: connect, have the image, give out sandboxes, clean up.

The client blocks, so every call runs in a few threads of its own; their number also bounds how many
containers start at once, beyond which an engine only gets slower. Each call has a deadline.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from docker.utils import version_lt

from judge_bundles.errors import EngineSetupError
from judge_bundles.limits import (
    ENGINE_TIMEOUT_S,
    IMAGE_BUILD_TIMEOUT_S,
    SANDBOX_START_TIMEOUT_S,
    TOOL_TIMEOUT_S,
)
from judge_bundles.sandbox import cleanup
from judge_bundles.sandbox.client import DEFAULT_ADDRESS, SCHEME, THREADS, Client, connected
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.failure import ENGINE_ERRORS, setup_error
from judge_bundles.sandbox.image import Image, prepare
from judge_bundles.sandbox.isolation import engine_problems
from judge_bundles.sandbox.launch import Plan
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.owner import Owner
from judge_bundles.sandbox.runtime import Runtimes

_OLDEST_API: Final = "1.41"

T = TypeVar("T")


class Engine:
    """One engine, for any number of sandboxes at once. Get it with `await Engine.connect()`."""

    def __init__(self, address: str, api: Client, info: Mapping[str, Any]) -> None:
        self._address = address
        self._api = api
        self._runtimes = Runtimes.of(info)
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="engine")
        self._owner = Owner.this_process()
        self._image: Image | None = None

    @classmethod
    async def connect(
        cls, address: str | None = None, *, timeout_s: float = ENGINE_TIMEOUT_S
    ) -> Self:
        """Connect to `address`, else DOCKER_HOST, else the usual socket; `EngineSetupError` if not.

        The engine must be able to enforce every limit and run on this machine, since it shows the
        sandbox a folder of this machine. It may take `timeout_s` for each answer.
        """
        chosen = address or os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS
        if not chosen.startswith(SCHEME):
            raise EngineSetupError(
                f"The container engine at {chosen} is not on this machine, whose folders the "
                "sandbox has to be shown: set DOCKER_HOST to a unix:// address."
            )
        return cls(chosen, *await asyncio.to_thread(_checked, chosen, timeout_s))

    @property
    def address(self) -> str:
        """Where the engine answers."""
        return self._address

    @property
    def api(self) -> Client:
        """The client, for diagnosis."""
        return self._api

    @property
    def image(self) -> Image | None:
        """The image that sandboxes are made of, once it is prepared."""
        return self._image

    async def prepare_image(self, base: str | None = None) -> Image:
        """Find or build the sandbox image; sandboxes are made of the one prepared last."""
        try:
            self._image = await self._in_thread(lambda: self._prepare(base))
        except ENGINE_ERRORS as error:
            raise setup_error(error, address=self._address) from error
        return self._image

    def sandbox(
        self,
        root: Path,
        *,
        run_id: str,
        entry_id: str,
        options: SandboxOptions | None = None,
        program: tuple[str, ...] | None = None,
        start_timeout_s: float = SANDBOX_START_TIMEOUT_S,
        tool_timeout_s: float = TOOL_TIMEOUT_S,
    ) -> DockerSandbox:
        """Return a sandbox that shows the folder `root`, to be used with `async with`.

        `program` runs there instead of the tool server, to try the isolation itself.
        """
        return DockerSandbox(
            self._api,
            self._executor,
            self.plan(root, run_id=run_id, entry_id=entry_id, options=options, program=program),
            address=self._address,
            start_timeout_s=start_timeout_s,
            tool_timeout_s=tool_timeout_s,
        )

    def plan(
        self,
        root: Path,
        *,
        run_id: str,
        entry_id: str,
        options: SandboxOptions | None = None,
        program: tuple[str, ...] | None = None,
    ) -> Plan:
        """Return what decides about the container of such a sandbox."""
        if self._image is None:
            raise EngineSetupError("The sandbox image was not prepared.")
        options = options or SandboxOptions()
        another = self._runtimes.may_bring_a_kernel(options.runtime)
        return Plan(
            image_id=self._image.id,
            root=root.resolve(),
            labels=self._owner.labels(run_id, entry_id),
            options=self._runtimes.fitting(options),
            program=program,
            engine_kernel=self._runtimes.kernel if another else None,
        )

    async def require_runtimes(self, names: Iterable[str]) -> None:
        """Raise `EngineSetupError` unless the engine has every runtime of that name."""
        try:
            known = Runtimes.of(await self._in_thread(self._api.info)).names
        except ENGINE_ERRORS as error:
            raise setup_error(error, address=self._address) from error
        for name in names:
            if name not in known:
                raise EngineSetupError(
                    f"The container engine at {self._address} has no runtime {name}, which --runtime "
                    f"or sandbox.runtime names: it has {', '.join(known)}."
                )

    async def sweep(self) -> int:
        """Remove containers that dead runs left behind; return how many."""
        try:
            return await self._in_thread(lambda: cleanup.sweep(self._api))
        except ENGINE_ERRORS as error:
            raise setup_error(error, address=self._address) from error

    async def close(self) -> None:
        """Wait until every container that is to go is gone, and give the connection back."""
        await asyncio.to_thread(self._executor.shutdown)
        self._api.close()

    def _prepare(self, base: str | None) -> Image:
        patient = Client(self._address, IMAGE_BUILD_TIMEOUT_S, version=self._api.api_version)
        try:
            return prepare(self._api, base, patient=patient)
        finally:
            patient.close()

    def _in_thread(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._executor, work)


def _checked(address: str, timeout_s: float) -> tuple[Client, Mapping[str, Any]]:
    """Return a client of an engine that can do all that isolation needs, and the engine's `info`."""
    try:
        api = connected(address, timeout_s)
        info: Mapping[str, Any] = api.info()
    except ENGINE_ERRORS as error:
        raise setup_error(error, address=address) from error
    problems = engine_problems(info)
    if version_lt(api.api_version, _OLDEST_API):
        problems.append(f"speak API {_OLDEST_API}, which came with engine 20.10")
    if problems:
        raise EngineSetupError(
            f"The container engine at {address} cannot isolate a sandbox: it cannot "
            f"{', '.join(problems)}. Enable that, or use --prechecks-only."
        )
    return api, info
