from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage as TheirUsage
from genai_prices import data_snapshot

from judge_bundles.models.base import Price
from judge_bundles.models.pricing import price_of
from judge_bundles.verdict import Usage

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PREFIXES = {"anthropic": "", "aws": "bedrock/", "google": "vertex/"}


def claude_models() -> list[tuple[str, str]]:
    return [
        (provider.id, model.id)
        for provider in data_snapshot.get_snapshot().providers
        if provider.id in PREFIXES
        for model in provider.models
        if "claude" in model.id
    ]


def their_cost(provider: str, model: str, usage: Usage) -> Decimal:
    counted = TheirUsage(
        input_tokens=usage.total_tokens - usage.output_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    calculated = data_snapshot.get_snapshot().calc(counted, model, provider, None, NOW)
    return calculated.total_price


@pytest.mark.parametrize(
    "usage",
    [
        Usage(1_000, 500, 20_000, 3_000, 1),
        Usage(90_000, 10, 5_000, 5_000, 1),  # a prompt of exactly 100,000 tokens
        Usage(90_001, 10, 5_000, 5_000, 1),
        Usage(150_000, 10, 40_000, 10_001, 1),
    ],
)
@pytest.mark.parametrize(("provider", "model"), claude_models())
def test_a_call_costs_what_genai_prices_says(provider: str, model: str, usage: Usage) -> None:
    name = model.removeprefix("regional.")  # Bedrock's ids for one region carry no such word
    price = price_of(PREFIXES[provider] + name, now=NOW)
    if price is None:
        pytest.fail(f"{provider} {model} has no price")
    assert price.cost(usage) == their_cost(provider, name, usage)


def test_there_are_models_to_compare() -> None:
    assert len(claude_models()) > 60


def test_a_known_price_is_this() -> None:
    assert price_of("claude-opus-5", now=NOW) == Price(
        Decimal(5), Decimal(25), Decimal("0.5"), Decimal("6.25")
    )


def test_long_prompts_have_prices_of_their_own_and_a_reservation_takes_the_dearest() -> None:
    price = price_of("claude-haiku-5-5", now=NOW)
    assert price is not None
    assert [threshold for threshold, _ in price.above] == [100_000]
    assert price.cost(Usage(100_000, 0)) == Decimal("0.01")
    assert price.cost(Usage(100_001, 0)) == Decimal("0.0500005")
    assert price.dearest.input == Decimal("0.5")
    flat = price_of("claude-opus-5", now=NOW)
    assert flat is not None
    assert flat.dearest is flat


@pytest.mark.parametrize(
    ("name", "same_as"),
    [
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4-0"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("CLAUDE-OPUS-5", "claude-opus-5"),
        ("vertex/claude-sonnet-4-5@20250929", "vertex/claude-sonnet-4-5"),
        ("foundry/claude-opus-5", "claude-opus-5"),
        (
            "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        ),
    ],
)
def test_dates_and_versions_do_not_change_the_price(name: str, same_as: str) -> None:
    assert price_of(name, now=NOW) == price_of(same_as, now=NOW) is not None


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4-10",  # the data would take it for claude-opus-4-1
        "claude-opus-4-1-preview-mini",
        "claude-haiku-4-55",
        "claude-9",
        "claude-",
        "",
        "gpt-5",
        "my-claude-opus-5",
        "other/claude-opus-5",
        "bedrock/",
        "bedrock/global.anthropic.claude-opus-4-50-v1:0",
        "bedrock/arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc",
        "bedrock/sa.anthropic.claude-opus-5",
        "vertex/claude-haiku-4-5-tiny",
        "script:x.yaml",
    ],
)
def test_a_name_that_is_not_surely_known_has_no_price(name: str) -> None:
    assert price_of(name, now=NOW) is None


def test_a_price_that_changes_on_a_date_is_that_of_the_day() -> None:
    before = price_of("claude-opus-4-6", now=datetime(2026, 3, 12, tzinfo=UTC))
    after = price_of("claude-opus-4-6", now=datetime(2026, 3, 13, tzinfo=UTC))
    long_prompt: dict[str, Any] = {"input_tokens": 300_000}
    assert before is not None
    assert after is not None
    assert before.cost(Usage(**long_prompt)) == 2 * after.cost(Usage(**long_prompt))
