"""Text and JSON on their way into the store."""

import json
import sys
from types import MappingProxyType

import pytest

from judge_bundles.limits import MAX_STORED_DEPTH
from judge_bundles.store import storable
from judge_bundles.verdict import JSON

KEY = "sk-ant-api03-abcdefgh12345678"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("plain", "plain"),
        ("日本語 \U0001f600\n\t", "日本語 \U0001f600\n\t"),
        ("bad \udcff name", "bad \\udcff name"),
        ("nul \0 here", "nul \\u0000 here"),
        (f"key {KEY}!", "key [redacted]!"),
    ],
)
def test_text_becomes_what_every_database_takes(given: str, kept: str) -> None:
    assert storable.text(given) == kept
    assert storable.text(kept) == kept
    kept.encode("utf-8")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
        ("nul \0 here", "nul \0 here"),
        ({"\udcff": ["\ud800 é"]}, {"\\udcff": ["\\ud800 é"]}),
        ({KEY: {"deep": [f"Bearer {KEY}"]}}, {"[redacted]": {"deep": ["[redacted]"]}}),
        (float("inf"), "inf"),
        ([float("nan")], ["nan"]),
        ((1, (2, 3)), [1, [2, 3]]),
        (MappingProxyType({"a": KEY}), {"a": "[redacted]"}),
    ],
)
def test_json_becomes_ascii_that_every_reader_takes(given: JSON, kept: JSON) -> None:
    written = storable.json_text(given)
    assert written.isascii()
    assert "\0" not in written
    assert json.loads(written) == kept
    assert storable.unpack(storable.pack(given)) == kept


def test_a_secret_of_the_environment_is_found_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = 'pass "word\\é\nsecond line'
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    kept = storable.json_text({"a": ["x", f"<{secret}>"], secret: 1})
    assert json.loads(kept) == {"a": ["x", "<[redacted]>"], "[redacted]": 1}


def nested(levels: int) -> JSON:
    value: JSON = "core"
    for _ in range(levels):
        value = [value]
    return value


def test_nesting_is_kept_up_to_its_limit() -> None:
    kept = json.loads(storable.json_text(nested(MAX_STORED_DEPTH)))
    assert kept == nested(MAX_STORED_DEPTH)


def test_nesting_past_its_limit_becomes_a_note() -> None:
    for levels in (MAX_STORED_DEPTH + 1, 900):
        written = storable.json_text(nested(levels))
        assert "core" not in written
        assert written.count("[[") > 0
        assert json.loads(written) is not None
        assert storable.TOO_DEEP in written


def test_integers_are_kept_as_long_as_they_can_be_read_again() -> None:
    largest = 10 ** sys.get_int_max_str_digits() - 1
    assert json.loads(storable.json_text([largest, -largest])) == [largest, -largest]
    kept = json.loads(storable.json_text([largest, largest + 1, -(10**5000)]))
    assert kept == [largest, "[an integer of 14285 bits]", "[an integer of 16610 bits]"]


@pytest.mark.parametrize("name", ["a", "日本", "a b:c", "x\\udcff", "-rf", "line\\nbreak"])
def test_a_usual_name_is_kept_as_it_is(name: str) -> None:
    assert storable.stored_id(name) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{KEY}1", f"{KEY}2"),
        ("a\udcff", "a\\udcff"),
        ("a\0", "a\\u0000"),
    ],
)
def test_names_that_look_alike_once_cleaned_stay_two(one: str, other: str) -> None:
    kept = {storable.stored_id(one), storable.stored_id(other)}
    assert len(kept) == 2
    assert all(storable.stored_id(name) == name for name in kept)
    assert not any(KEY in name for name in kept)
