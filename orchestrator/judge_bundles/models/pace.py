"""How many calls of one model may be in flight: fewer when the server asks, slowly more again.

Additive increase, multiplicative decrease. All calls of a model share one `Pace`; it knows nothing
of requests or errors and never sleeps by itself.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from judge_bundles.limits import MODEL_GROW_AFTER_SUCCESSES

_LEAST: Final = 1


class Pace:
    """A limit on concurrent calls that starts at its ceiling, `concurrency`."""

    def __init__(self, concurrency: int, *, grow_after: int = MODEL_GROW_AFTER_SUCCESSES) -> None:
        self._ceiling = max(_LEAST, concurrency)
        self._grow_after = grow_after
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._in_flight = 0
        self._successes = 0
        self._halvings = 0
        self.limit = self._ceiling
        """Calls that may be in flight now."""

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for room, then hold it. The value goes to `crowded` if this call is turned away."""
        await self._acquire()
        try:
            yield self._halvings
        finally:
            self._release()

    def succeeded(self) -> None:
        """Count an answer; enough of them in a row allow one more call in flight."""
        self._successes += 1
        if self._successes >= self._grow_after and self.limit < self._ceiling:
            self._successes = 0
            self.limit += 1
            self._wake()

    def crowded(self, started: int) -> None:
        """Halve the limit, once for all the calls that were in flight together.

        `started` is the value of the slot the refused call held.
        """
        self._successes = 0
        if started == self._halvings:
            self._halvings += 1
            self.limit = max(_LEAST, self.limit // 2)

    async def _acquire(self) -> None:
        if self._in_flight < self.limit and not self._waiting:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()  # the slot had been handed over already
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def _release(self) -> None:
        self._in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)
