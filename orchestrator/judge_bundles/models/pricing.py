"""What tokens of a model cost, from the genai-prices data that is installed: offline, never updated.

That data matches names loosely (`claude-opus-4-10` would be taken for `claude-opus-4-1`), so a
match counts only when the name, freed of date and version, is one the matched entry spells out. A
name that is not surely known has no price, which makes a limit in dollars an error up front.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from genai_prices import data_snapshot, types

from judge_bundles.models.base import Price

_PROVIDERS: Final = {"bedrock": "aws", "vertex": "google", "foundry": "anthropic"}
_DIRECT: Final = "anthropic"
_VERSION: Final = re.compile(
    r"(?:-latest)?(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|default))?(?:-v\d+)?(?::\d+)?@?$"
)
"""A date, an alias or a Bedrock version at the end of a name."""
_AREA: Final = re.compile(r"^(?:global|regional|us-gov|us|eu|apac|au|jp|in)\.(?=anthropic\.)")
_KEYS: Final = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


def price_of(name: str, *, now: datetime | None = None) -> Price | None:
    """Return the price of a model by the name the user writes, or None when it is not known.

    Cache writes are priced for the five-minute cache, the only one this program uses.
    """
    prefix, _, rest = name.rpartition("/")
    if prefix and prefix not in _PROVIDERS:
        return None
    provider = _PROVIDERS.get(prefix, _DIRECT)
    try:
        _, model = data_snapshot.get_snapshot().find_provider_model(rest, None, provider, None)
    except LookupError:
        return None
    if not _belongs(rest.lower(), model):
        return None
    return _price(model.get_prices(now or datetime.now(UTC)))


def _belongs(name: str, model: types.ModelInfo) -> bool:
    spelled = {_plain(text) for text in (model.id, *_spellings(model.match))}
    return _plain(name) in spelled


def _plain(name: str) -> str:
    without_area = _AREA.sub("", name.lower())
    return _VERSION.sub("", without_area.removeprefix("anthropic."))


def _spellings(match: Any) -> Iterator[str]:
    """Yield every literal text in a match clause; regular expressions spell nothing out."""
    match match:
        case types.ClauseOr(or_=clauses) | types.ClauseAnd(and_=clauses):
            for clause in clauses:
                yield from _spellings(clause)
        case types.ClauseEquals(equals=text) | types.ClauseStartsWith(starts_with=text):
            yield text
        case types.ClauseContains(contains=text) | types.ClauseEndsWith(ends_with=text):
            yield text
        case _:
            return


def _price(prices: types.ModelPrice) -> Price | None:
    rates = {key: getattr(prices, key) for key in _KEYS}
    if rates["input_mtok"] is None or rates["output_mtok"] is None:
        return None
    tiered = [rate for rate in rates.values() if isinstance(rate, types.TieredPrices)]
    thresholds = sorted({tier.start for rate in tiered for tier in rate.tiers})
    base = _at(rates, 0)
    above = tuple((threshold, _at(rates, threshold + 1)) for threshold in thresholds)
    return Price(base.input, base.output, base.cache_read, base.cache_write, above)


def _at(rates: dict[str, Any], prompt_tokens: int) -> Price:
    values = {key: _rate(rate, prompt_tokens) for key, rate in rates.items()}
    paid, written = values["input_mtok"], values["output_mtok"]
    assert paid is not None
    assert written is not None
    # Without a price of its own, cached input is ordinary input.
    cache_read, cache_write = values["cache_read_mtok"], values["cache_write_mtok"]
    return Price(
        input=paid,
        output=written,
        cache_read=paid if cache_read is None else cache_read,
        cache_write=paid if cache_write is None else cache_write,
    )


def _rate(rate: Decimal | types.TieredPrices | None, prompt_tokens: int) -> Decimal | None:
    if not isinstance(rate, types.TieredPrices):
        return rate
    passed = [tier.price for tier in rate.tiers if prompt_tokens > tier.start]
    return passed[-1] if passed else rate.base
