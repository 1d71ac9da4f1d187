import asyncio

import pytest

from judge_bundles.models.pace import Pace


def test_no_more_calls_run_at_once_than_the_limit_and_all_get_their_turn() -> None:
    running = most = done = 0

    async def one(pace: Pace) -> None:
        nonlocal running, most, done
        async with pace.slot():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            done += 1

    async def many() -> None:
        pace = Pace(3)
        await asyncio.gather(*(one(pace) for _ in range(20)))

    asyncio.run(many())
    assert (most, done) == (3, 20)


async def _started(pace: Pace) -> int:
    async with pace.slot() as started:
        return started


def test_refusals_of_calls_that_were_in_flight_together_halve_once() -> None:
    pace = Pace(8)
    first, second = asyncio.run(_started(pace)), asyncio.run(_started(pace))
    pace.crowded(first)
    pace.crowded(second)
    assert pace.limit == 4
    pace.crowded(asyncio.run(_started(pace)))
    assert pace.limit == 2


def test_the_limit_never_falls_below_one() -> None:
    pace = Pace(2)
    for _ in range(5):
        pace.crowded(asyncio.run(_started(pace)))
    assert pace.limit == 1


def test_enough_answers_in_a_row_allow_one_more_up_to_the_ceiling() -> None:
    pace = Pace(4, grow_after=3)
    pace.crowded(asyncio.run(_started(pace)))
    limits = []
    for _ in range(12):
        pace.succeeded()
        limits.append(pace.limit)
    assert limits == [2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]


def test_a_refusal_starts_the_count_of_answers_anew() -> None:
    pace = Pace(8, grow_after=2)
    pace.crowded(asyncio.run(_started(pace)))
    pace.succeeded()
    pace.crowded(asyncio.run(_started(pace)))
    pace.succeeded()
    assert pace.limit == 2


def test_growth_wakes_a_call_that_waits() -> None:
    async def grown() -> bool:
        pace = Pace(2, grow_after=1)
        pace.crowded(await _started(pace))
        async with pace.slot():
            waiting = asyncio.create_task(_started(pace))
            await asyncio.sleep(0)
            assert not waiting.done()
            pace.succeeded()
            await waiting
            return True

    assert asyncio.run(grown())


@pytest.mark.parametrize("handed_over", [False, True])
def test_a_call_that_is_cancelled_while_it_waits_leaves_no_slot_taken(handed_over: bool) -> None:
    async def cancelled() -> int:
        pace = Pace(1)
        async with pace.slot():
            waiting = asyncio.create_task(_started(pace))
            await asyncio.sleep(0)
            if not handed_over:
                waiting.cancel()
        if handed_over:  # the slot was just given to it, before it could run again
            waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await asyncio.wait_for(_started(pace), 1)

    assert asyncio.run(cancelled()) == 0
