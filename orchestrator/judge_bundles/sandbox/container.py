"""A sandbox in a fresh container: made on entry, removed on exit whatever happened between."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from types import TracebackType
from typing import Final, Self, TypeVar

import docker

from judge_bundles.errors import JudgementError
from judge_bundles.limits import SANDBOX_START_TIMEOUT_S, TOOL_TIMEOUT_S
from judge_bundles.log import get_logger
from judge_bundles.sandbox.failure import (
    ENGINE_ERRORS,
    classify_end,
    classify_lost,
    classify_start,
    reason,
)
from judge_bundles.sandbox.isolation import require_isolated
from judge_bundles.sandbox.launch import Plan
from judge_bundles.sandbox.lifecycle import Container
from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.sandbox.session import ToolSession
from judge_bundles.sandbox.stream import LineStream, StreamEnded

_GIVING_UP_S: Final = 10.0

T = TypeVar("T")


class DockerSandbox:
    """One container for one judgement. Made by `Engine.sandbox`."""

    def __init__(
        self,
        api: docker.APIClient,
        executor: Executor,
        plan: Plan,
        *,
        address: str,
        start_timeout_s: float = SANDBOX_START_TIMEOUT_S,
        tool_timeout_s: float = TOOL_TIMEOUT_S,
    ) -> None:
        self._executor = executor
        self._plan = plan
        self._address = address
        self._container = Container(api, plan)
        self._start_timeout_s = start_timeout_s
        self._tool_timeout_s = tool_timeout_s
        self._stream: LineStream | None = None
        self._session: ToolSession | None = None

    @property
    def image_id(self) -> str:
        """The engine's id of the image the tools run in."""
        return self._plan.image_id

    @property
    def container_id(self) -> str | None:
        """The engine's id of the container, once there is one."""
        return self._container.id

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolReply:
        """Run one tool on the bundle."""
        assert self._session is not None, "a sandbox is used inside `async with`"
        try:
            return await self._session.call(tool, arguments)
        except StreamEnded:
            raise await self._explain_end() from None

    async def __aenter__(self) -> Self:
        launching = self._in_thread(self._container.launch)
        try:
            async with asyncio.timeout(self._start_timeout_s):
                await self._open(await asyncio.shield(launching))
        except BaseException as error:
            launching.add_done_callback(_close_unused)
            failure = await self._explain_start(error)
            await self._discard()
            # Whoever was still at work on the start removes what it made; usually that is soon.
            await asyncio.wait({launching}, timeout=_GIVING_UP_S)
            if failure is None:
                raise
            raise failure from error
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._discard()

    async def _open(self, attached: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=attached)
        self._stream = LineStream(reader, writer, framed=True)
        self._session = ToolSession(self._stream, timeout_s=self._tool_timeout_s)
        require_isolated(await self._session.hello(), engine_kernel=self._plan.engine_kernel)

    async def _explain_start(self, error: BaseException) -> JudgementError | None:
        """Return the judgement error that a failed start amounts to; None to let it pass as it is."""
        if isinstance(error, TimeoutError):
            return JudgementError(
                "sandbox_start", f"The container did not start within {self._start_timeout_s:g} s."
            )
        if isinstance(error, StreamEnded):
            ended = await self._explain_end()
            return (
                ended
                if ended.kind != "sandbox_died"
                else JudgementError(
                    "sandbox_start", f"The container did not start. {ended.message}"
                )
            )
        if isinstance(error, ENGINE_ERRORS):
            return classify_start(error, address=self._address)
        return None

    async def _explain_end(self) -> JudgementError:
        try:
            state = await asyncio.shield(self._in_thread(self._container.end_state))
        except ENGINE_ERRORS as error:
            return classify_lost(error, address=self._address)
        return classify_end(state, self._stream.stderr if self._stream else "")

    async def _discard(self) -> None:
        if self._stream is not None:
            self._stream.close()
        try:
            # Shielded: the removal of a container is not called off with the judgement.
            await asyncio.shield(self._in_thread(self._container.remove))
        except ENGINE_ERRORS as error:
            get_logger().warning(
                "container_not_removed", container=self._container.id, reason=reason(error)
            )

    def _in_thread(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._executor, work)


def _close_unused(launching: "asyncio.Future[socket.socket]") -> None:
    """Close the stream of a container that nobody waited for; one in use closes only its twin."""
    if not launching.cancelled() and launching.exception() is None:
        launching.result().close()
