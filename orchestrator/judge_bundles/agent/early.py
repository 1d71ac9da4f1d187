"""Start the sandbox while the model is still thinking about its first turn."""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from judge_bundles.sandbox.protocol import Sandbox, ToolReply


class EarlySandbox:
    """A `Sandbox` whose start runs in the background; the first call waits for it."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self._start: asyncio.Task[Any] | None = None

    @property
    def image_id(self) -> str | None:
        """The inner sandbox's image."""
        return self._inner.image_id

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Run one tool once the sandbox is up; a failed start is raised here."""
        assert self._start is not None
        await asyncio.shield(self._start)
        return await self._inner.call(tool, arguments)

    async def __aenter__(self) -> Self:
        self._start = asyncio.create_task(self._inner.__aenter__())
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        start = self._start
        assert start is not None
        if exc is not None:
            start.cancel()  # a sandbox cleans up after its own cancelled start
        cancelled = await _settled(start)
        failure = None if start.cancelled() else start.exception()
        if failure is None and not start.cancelled():
            await self._inner.__aexit__(exc_type, exc, traceback)
        if cancelled is not None:
            raise cancelled
        if failure is not None and exc is None:
            raise failure


async def _settled(start: "asyncio.Task[Any]") -> asyncio.CancelledError | None:
    """Wait until the start is over, whatever happens; return our own cancellation meanwhile.

    The start is not awaited itself: its cancellation could not be told from ours.
    """
    cancelled = None
    while not start.done():
        try:
            await asyncio.wait({start})
        except asyncio.CancelledError as error:
            cancelled = error
            if not start.cancelling():  # once: a second time would break off its clean-up
                start.cancel()
    return cancelled
