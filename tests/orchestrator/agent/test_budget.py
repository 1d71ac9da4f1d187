import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from judge_bundles.agent.budget import RunBudget, Spending, worst_case
from judge_bundles.errors import JudgementError
from judge_bundles.models.base import Price
from judge_bundles.verdict import Usage

PRICE = Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))


def test_the_worst_case_takes_the_dearest_input_price() -> None:
    body = {"messages": ["x" * 200_000]}
    tokens = 100_000 + 1 + len("messages") // 2 + 1
    assert worst_case(PRICE, body, 1_000_000) == Decimal("3.75") * tokens / 1_000_000 + 15
    assert worst_case(None, body, 10) == 0


def test_media_are_not_reserved_as_if_they_were_text() -> None:
    data = "A" * 1_200_000
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "x", "data": data}}
    assert worst_case(PRICE, {"content": [image]}, 0) < Decimal("0.02")
    assert worst_case(PRICE, {"content": [pdf]}, 0) < worst_case(PRICE, {"text": data}, 0)


def test_no_request_is_reserved_beyond_the_widest_context_window() -> None:
    assert worst_case(PRICE, {"a": "x" * 50_000_000}, 0) == Decimal("3.75")


async def _spend(budget: RunBudget, worst: str, cost: str, calls: int) -> int:
    made = 0
    for _ in range(calls):
        async with budget.reserve(Decimal(worst)):
            await asyncio.sleep(0)
            budget.settle(Decimal(cost))
            made += 1
    return made


@pytest.mark.parametrize("cost", ["0.004", "0.009", "0.0001", "0.01"])
def test_calls_in_flight_together_go_past_the_limit_by_one_call_at_most(cost: str) -> None:
    async def run() -> Decimal:
        budget = RunBudget(Decimal("0.01"))
        workers = [_spend(budget, "0.02", cost, 200) for _ in range(8)]
        results = await asyncio.gather(*workers, return_exceptions=True)
        assert all(isinstance(one, JudgementError) and one.kind == "budget" for one in results)
        return budget.spent

    spent = asyncio.run(run())
    assert Decimal("0.01") <= spent < Decimal("0.01") + Decimal(cost)


def test_without_a_limit_nothing_waits() -> None:
    async def run() -> int:
        budget = RunBudget()
        return sum(await asyncio.gather(*(_spend(budget, "9", "9", 5) for _ in range(4))))

    assert asyncio.run(run()) == 20


def test_a_call_that_fails_gives_its_reservation_back() -> None:
    async def run() -> None:
        budget = RunBudget(Decimal(1))
        with pytest.raises(ValueError, match="broken"):
            async with budget.reserve(Decimal(1)):
                raise ValueError("broken")
        async with asyncio.timeout(5), budget.reserve(Decimal(1)):
            pass

    asyncio.run(run())


@pytest.mark.parametrize(
    ("tokens", "soft", "hard"),
    [(79, False, False), (80, True, False), (99, True, False), (100, True, True)],
)
def test_a_token_limit_has_a_soft_and_a_hard_edge(tokens: int, soft: bool, hard: bool) -> None:
    spending = Spending(None, max_tokens_total=100)
    spending.add(Usage(input_tokens=tokens, calls=1))
    assert spending.nearly_spent is soft
    if hard:
        with pytest.raises(JudgementError, match="max_tokens_total 100"):
            spending.require()
    else:
        spending.require()


def test_attempts_that_may_have_been_billed_count_towards_the_limit_but_not_as_cost() -> None:
    spending = Spending(PRICE, max_cost_usd=Decimal(1))
    assert spending.risk(2, Decimal("0.5")) == 1
    assert spending.cost == 0
    with pytest.raises(JudgementError, match="max_cost_usd 1"):
        spending.require()


def test_a_long_prompt_is_reserved_at_the_dearest_price() -> None:
    tiered = replace(
        PRICE, above=((100_000, replace(PRICE, input=Decimal(30), output=Decimal(150))),)
    )
    assert worst_case(tiered, {"a": "x" * 50_000_000}, 0) == 30


def test_cache_reads_and_writes_have_their_own_price() -> None:
    spending = Spending(PRICE, max_cost_usd=Decimal("0.5"))
    million = 1_000_000
    spending.add(Usage(cache_read_tokens=million))
    assert spending.cost == Decimal("0.3")
    spending.add(Usage(cache_write_tokens=million))
    assert spending.cost == Decimal("4.05")
    with pytest.raises(JudgementError) as error:
        spending.require()
    assert error.value.kind == "budget"
