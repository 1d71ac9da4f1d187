"""A few warm worker processes of one program, started when they are needed and replaced when worn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from judge_bundles.limits import WORKER_QUEUE, WORKER_START_TRIES
from judge_bundles.workers.failure import WorkerFailure
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.worker import NotTaken, Worker


class Pool:
    """Up to `size` processes that run `program`, each set up with `setup`.

    Belongs to one event loop. As a context manager it ends every process on the way out, whatever
    it is doing.
    """

    def __init__(self, program: str, setup: Any, limits: WorkerLimits, *, size: int) -> None:
        self._places = [_Place(program, setup, limits) for _ in range(size)]
        self._requests = asyncio.Semaphore(size * WORKER_QUEUE)

    async def ask(self, operation: str, arguments: dict[str, Any], *, wall_s: float) -> Any:
        """Return what the operation returns; raises what `Worker.ask` does, except `NotTaken`.

        A request is tried again only if no process has begun it.
        """
        async with self._requests:
            while True:
                place = min(self._places, key=_Place.load)
                try:
                    async with place.taken() as worker:
                        return await worker.ask(operation, arguments, wall_s)
                except NotTaken:
                    continue

    async def warm(self) -> None:
        """Have one process ready; raises `WorkerFailure` if none can be had, tried repeatedly."""
        for left in reversed(range(WORKER_START_TRIES)):
            try:
                async with self._places[0].taken():
                    return
            except WorkerFailure:  # perhaps somebody else's doing, such as the kernel's
                if not left:
                    raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await asyncio.gather(*(place.clear() for place in self._places))


class _Place:
    """Where one process runs, and after it the next."""

    def __init__(self, program: str, setup: Any, limits: WorkerLimits) -> None:
        self._program = program
        self._setup = setup
        self._limits = limits
        self._worker: Worker | None = None
        self._changing = asyncio.Lock()
        self._taken = 0

    def load(self) -> tuple[int, bool]:
        """Order places: the least asked first, among them those with a warm process."""
        return self._taken, self._worker is None

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[Worker]:
        """Be counted while the process here is asked."""
        self._taken += 1
        try:
            yield await self._ready()
        finally:
            self._taken -= 1

    async def clear(self) -> None:
        """End the process here, if there is one."""
        async with self._changing:
            if self._worker is not None:
                await self._worker.kill()
                self._worker = None

    async def _ready(self) -> Worker:
        async with self._changing:
            if self._worker is not None and not self._worker.usable:
                await self._worker.kill()
                self._worker = None
            if self._worker is None:
                self._worker = await Worker.start(self._program, self._setup, self._limits)
            return self._worker
