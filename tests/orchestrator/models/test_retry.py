import asyncio
from datetime import UTC, datetime

import pytest

from judge_bundles.models.base import ModelCallError
from judge_bundles.models.failure import Failure
from judge_bundles.models.pace import Pace
from judge_bundles.models.retry import Caller, RetryPolicy, Tally
from judge_bundles.models.retry_after import retry_after_s

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:05 GMT"}, 5.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:05 -0000"}, 5.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:59:00 GMT"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "after lunch"}, None),
    ],
)
def test_a_wait_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=NOW) == seconds


def test_backoff_doubles_under_full_jitter_up_to_its_maximum() -> None:
    policy = RetryPolicy(backoff_first_s=1.0, backoff_max_s=5.0)
    widest = [max(policy.delay_s(n, None) for _ in range(400)) for n in range(5)]
    assert all(
        0.8 * limit < delay <= limit for delay, limit in zip(widest, [1, 2, 4, 5, 5], strict=True)
    )
    assert min(policy.delay_s(4, None) for _ in range(400)) < 1.0


def test_what_the_server_asks_is_the_least_that_is_waited() -> None:
    policy = RetryPolicy(backoff_first_s=0.5, retry_after_max_s=10.0)
    delays = [policy.delay_s(0, 2.0) for _ in range(100)]
    assert min(delays) >= 2.0
    assert max(delays) <= 2.5
    assert len(set(delays)) > 1
    assert 10.0 <= policy.delay_s(0, 3600.0) <= 10.5


def test_a_fault_of_this_program_is_not_retried_or_renamed() -> None:
    async def broken() -> None:
        raise KeyError("a bug")

    caller = Caller(RetryPolicy(), Pace(1), lambda _: None)
    with pytest.raises(KeyError):
        asyncio.run(caller.call(broken, timeout_s=1, announce=lambda _tally, _delay: None))


def test_each_retry_is_announced_with_what_went_wrong() -> None:
    tries = 0
    seen: list[tuple[int, str]] = []

    async def third_time_lucky() -> str:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OSError(f"attempt {tries}")
        return "answer"

    def announce(tally: Tally, delay_s: float) -> None:
        assert delay_s >= 0
        assert tally.last is not None
        seen.append((tally.attempts, tally.last.message))

    caller = Caller(
        RetryPolicy(backoff_first_s=0.001),
        Pace(1),
        lambda error: Failure("model_server", str(error), retry=True),
    )
    answer, tally = asyncio.run(caller.call(third_time_lucky, timeout_s=5, announce=announce))
    assert (answer, tally.attempts) == ("answer", 3)
    assert seen == [(1, "attempt 1"), (2, "attempt 2")]


def test_no_time_left_is_a_timeout_without_an_attempt_that_counts() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    caller = Caller(RetryPolicy(), Pace(1), lambda _: None)
    with pytest.raises(ModelCallError) as caught:
        asyncio.run(caller.call(never, timeout_s=0, announce=lambda _tally, _delay: None))
    assert caught.value.kind == "timeout"
