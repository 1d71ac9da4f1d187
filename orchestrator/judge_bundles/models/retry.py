"""Try a model call until it is answered, cannot be, or its time is up.

The wall deadline stands outside every loop and wait. The SDK's own retries are off, so that each
attempt is counted, paced and recorded here.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Final, TypeVar

from judge_bundles import limits
from judge_bundles.error_kinds import ErrorKind
from judge_bundles.models.base import ModelCallError
from judge_bundles.models.failure import Failure
from judge_bundles.models.pace import Pace

Answer = TypeVar("Answer")
_RANDOM: Final = SystemRandom()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patiently to try; times in seconds."""

    max_attempts: int = limits.MODEL_MAX_ATTEMPTS
    max_unreadable_replies: int = limits.MODEL_MAX_UNREADABLE_REPLIES
    attempt_timeout_s: float = limits.MODEL_ATTEMPT_TIMEOUT_S
    backoff_first_s: float = limits.MODEL_BACKOFF_FIRST_S
    backoff_max_s: float = limits.MODEL_BACKOFF_MAX_S
    retry_after_max_s: float = limits.MODEL_RETRY_AFTER_MAX_S

    def delay_s(self, retries: int, retry_after_s: float | None) -> float:
        """Return how long to wait after so many retries: what the server asks, else full jitter."""
        if retry_after_s is not None:
            spread = _RANDOM.uniform(0, self.backoff_first_s)
            return min(retry_after_s, self.retry_after_max_s) + spread
        return _RANDOM.uniform(0, min(self.backoff_max_s, self.backoff_first_s * 2**retries))


@dataclass(slots=True)
class Tally:
    """What has been tried so far for one call."""

    attempts: int = 0
    unaccounted: int = 0
    unreadable: int = 0
    last: Failure | None = None

    def count(self, failure: Failure) -> None:
        """Add a failed attempt; `attempts` itself is counted when one starts."""
        self.last = failure
        self.unaccounted += failure.unaccounted
        self.unreadable += failure.kind == "model_response"

    def error(self, kind: ErrorKind, message: str) -> ModelCallError:
        """Return the exception that ends the call."""
        return ModelCallError(
            kind, message, attempts=self.attempts, unaccounted_attempts=self.unaccounted
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls by a policy and a shared pace.

    `classify` says what an exception means (None: not of the model, raise it); `announce` is told
    of each retry and the seconds before it.
    """

    policy: RetryPolicy
    pace: Pace
    classify: Callable[[Exception], Failure | None]

    async def call(
        self,
        attempt: Callable[[], Awaitable[Answer]],
        *,
        timeout_s: float,
        announce: Callable[[Tally, float], None],
    ) -> tuple[Answer, Tally]:
        """Return the answer and what it took, or raise `ModelCallError` within `timeout_s`."""
        tally = Tally()
        try:
            async with asyncio.timeout(timeout_s) as scope:
                answer = await self._until_answered(attempt, tally, scope, announce)
        except TimeoutError:
            if not scope.expired():
                raise
            raise tally.error("timeout", _out_of_time(timeout_s, tally)) from None
        return answer, tally

    async def _until_answered(
        self,
        attempt: Callable[[], Awaitable[Answer]],
        tally: Tally,
        scope: asyncio.Timeout,
        announce: Callable[[Tally, float], None],
    ) -> Answer:
        while True:
            async with self.pace.slot() as started:
                outcome = await self._try(attempt, tally)
                if not isinstance(outcome, Failure):
                    self.pace.succeeded()
                    return outcome
                if outcome.crowded:
                    self.pace.crowded(started)
            delay_s = self._delay_or_raise(outcome, tally, scope)
            announce(tally, delay_s)
            await asyncio.sleep(delay_s)

    async def _try(
        self, attempt: Callable[[], Awaitable[Answer]], tally: Tally
    ) -> Answer | Failure:
        tally.attempts += 1
        try:
            async with asyncio.timeout(self.policy.attempt_timeout_s):
                return await attempt()
        except asyncio.CancelledError:
            tally.unaccounted += 1  # the server may go on and charge for it
            raise
        except Exception as error:
            failure = self.classify(error)
            if failure is None:
                raise
            tally.count(failure)
            return failure

    def _delay_or_raise(self, failure: Failure, tally: Tally, scope: asyncio.Timeout) -> float:
        """Return the seconds until the next attempt, or raise when there is to be none."""
        policy = self.policy
        if (
            not failure.retry
            or tally.attempts >= policy.max_attempts
            or tally.unreadable > policy.max_unreadable_replies
        ):
            raise tally.error(failure.kind, _gave_up(failure, tally))
        delay_s = policy.delay_s(tally.attempts - 1, failure.retry_after_s)
        deadline = scope.when()
        assert deadline is not None
        if delay_s >= deadline - asyncio.get_running_loop().time():
            reason = f"{_gave_up(failure, tally)}; the next attempt would come too late"
            raise tally.error(failure.kind, reason)
        return delay_s


def _gave_up(failure: Failure, tally: Tally) -> str:
    return failure.message if tally.attempts == 1 else f"{failure.message} ({_times(tally)})"


def _out_of_time(timeout_s: float, tally: Tally) -> str:
    so_far = _times(tally) + (f", the last one: {tally.last.message}" if tally.last else "")
    return f"the model did not answer within the {timeout_s:g} s that were left ({so_far})"


def _times(tally: Tally) -> str:
    return "1 attempt" if tally.attempts == 1 else f"{tally.attempts} attempts"
