"""Verdict records for machines: pure JSON, one documented object for each verdict."""

from collections.abc import Iterable
from typing import Any

from judge_bundles import escape
from judge_bundles.verdict import Verdict, to_record


def record(verdict: Verdict) -> dict[str, Any]:
    """Return the record with every string fit for RFC 8259 JSON in UTF-8."""
    cleaned = escape.json_value(to_record(verdict))
    assert isinstance(cleaned, dict)
    return cleaned


def as_json(verdicts: Iterable[Verdict]) -> str:
    """Return a JSON array."""
    return escape.json_text([to_record(verdict) for verdict in verdicts], indent=2) + "\n"


def as_jsonl(verdicts: Iterable[Verdict]) -> str:
    """Return one JSON object a line."""
    return "".join(escape.json_text(to_record(verdict)) + "\n" for verdict in verdicts)
