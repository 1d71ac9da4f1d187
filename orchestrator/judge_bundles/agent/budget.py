"""Money and tokens: reserved before a call, settled after it.

`RunBudget` is shared by everything a run has in flight; `Spending` belongs to one judgement. A call
whose worst case still fits may start at once. One whose worst case does not fit starts only when
nothing else is in flight and money is left, so that a run goes past its limit by at most the cost
of one call.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from judge_bundles.errors import JudgementError
from judge_bundles.models.base import Price
from judge_bundles.verdict import Usage

SOFT_SHARE: Final = Decimal("0.8")
"""Share of a limit at which a judgement gets its last turn to submit."""
BYTES_PER_TOKEN: Final = 2
"""Taken for the worst case of text; real text has three to four."""
IMAGE_TOKENS: Final = 5_000
DOCUMENT_BYTES_PER_TOKEN: Final = 4
"""Of a PDF's base64; a page is a few thousand tokens."""
MAX_INPUT_TOKENS: Final = 1_000_000
"""The widest context window there is; no request can have more."""


def worst_case(price: Price | None, body: Mapping[str, Any], max_tokens: int) -> Decimal:
    """Return the most that a call with this request body can cost in dollars; 0 without a price."""
    if price is None:
        return Decimal(0)
    tokens = min(_most_tokens(body), MAX_INPUT_TOKENS)
    rate = price.dearest
    dearest_input = max(rate.input, rate.cache_write, rate.cache_read)
    return (dearest_input * tokens + rate.output * max_tokens) / 1_000_000


def _most_tokens(value: Any) -> int:
    """Return a bound on the tokens of a part of a request; media count by kind, not as text."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1
    if isinstance(value, Mapping):
        if value.get("type") == "image":
            return IMAGE_TOKENS
        if value.get("type") == "document":
            return len(value["source"]["data"]) // DOCUMENT_BYTES_PER_TOKEN
        return sum(_most_tokens(key) + _most_tokens(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(_most_tokens(item) for item in value)
    return 1


@dataclass(slots=True)
class RunBudget:
    """The dollars of a whole run. `limit` None means no limit."""

    limit: Decimal | None = None
    spent: Decimal = Decimal(0)
    _reserved: Decimal = Decimal(0)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def exhausted(self) -> bool:
        """True when no further call may start."""
        return self.limit is not None and self.spent >= self.limit

    def require(self) -> None:
        """Raise the `budget` error when the run's money is spent."""
        if self.exhausted:
            raise JudgementError(
                "budget", f"the run's limit of ${self.limit} was spent before a verdict was reached"
            )

    @asynccontextmanager
    async def reserve(self, amount: Decimal) -> AsyncIterator[None]:
        """Hold `amount` for the time of one call; what it really cost goes to `settle`."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.exhausted or self._fits(amount))
            self.require()
            self._reserved += amount
        try:
            yield
        finally:
            async with self._changed:
                self._reserved -= amount
                self._changed.notify_all()

    def settle(self, cost: Decimal) -> None:
        """Add what a call cost; to be called while its reservation is held."""
        self.spent += cost

    def _fits(self, amount: Decimal) -> bool:
        if self.limit is None or self._reserved == 0:
            return True
        return self.spent + self._reserved + amount <= self.limit


@dataclass(slots=True)
class Spending:
    """What one judgement has used of its own limits. None means no limit."""

    price: Price | None
    max_tokens_total: int | None = None
    max_cost_usd: Decimal | None = None
    usage: Usage = field(default_factory=Usage)
    dollars: Decimal = Decimal(0)
    at_risk: Decimal = Decimal(0)
    """For attempts that may have been billed without anyone saying so; counts towards limits."""

    @property
    def cost(self) -> Decimal | None:
        """Dollars so far, or None when the price is not known."""
        return None if self.price is None else self.dollars

    def add(self, usage: Usage) -> Decimal:
        """Count one answered call and return its dollars (0 without a price)."""
        cost = Decimal(0) if self.price is None else self.price.cost(usage)
        self.usage += usage
        self.dollars += cost
        return cost

    def risk(self, attempts: int, worst: Decimal) -> Decimal:
        """Count attempts that nobody accounted for at their worst case, and return that."""
        self.at_risk += attempts * worst
        return attempts * worst

    def require(self) -> None:
        """Raise the `budget` error when a limit is reached."""
        if self.max_tokens_total is not None and self.usage.total_tokens >= self.max_tokens_total:
            raise JudgementError(
                "budget",
                f"{self.usage.total_tokens:,} tokens were used of max_tokens_total "
                f"{self.max_tokens_total:,}",
            )
        if self.max_cost_usd is not None and self._counted >= self.max_cost_usd:
            raise JudgementError(
                "budget", f"${self._counted:.4f} was spent of max_cost_usd {self.max_cost_usd}"
            )

    @property
    def nearly_spent(self) -> bool:
        """True once a soft limit is reached: the next turn is the last."""
        tokens, dollars = self.max_tokens_total, self.max_cost_usd
        return (tokens is not None and self.usage.total_tokens >= tokens * SOFT_SHARE) or (
            dollars is not None and self._counted >= dollars * SOFT_SHARE
        )

    @property
    def _counted(self) -> Decimal:
        return self.dollars + self.at_risk
