"""Folding a conversation keeps every request exactly, and little more than what was said once."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.limits import MIN_SHARED_TEXT_CHARACTERS
from judge_bundles.store import storable, transcript
from judge_bundles.store.records import CallRecord
from tests.support.store_records import trace

LONG = "x" * MIN_SHARED_TEXT_CHARACTERS
TEXTS = st.sampled_from(["", "@", "@0", "@@1", "@x", LONG, f"@{LONG}", "é\0", "plain"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
BODIES = st.fixed_dictionaries(
    {"model": TEXTS, "messages": st.lists(JSON_VALUES, max_size=4), "tools": JSON_VALUES}
)


def round_trip(calls: list[CallRecord]) -> list[tuple[Any, Any]]:
    """Fold, write, read and unfold, as the store does."""
    folded = storable.unpack(storable.pack(transcript.fold(calls)))
    bodies = [storable.unpack(storable.pack(transcript.settings(call.request))) for call in calls]
    return list(transcript.unfold(folded, bodies))


def spelled(calls: list[tuple[Any, Any]]) -> list[str]:
    """Write calls out, so that also the order of keys is compared."""
    return [json.dumps(call) for call in calls]


@given(st.lists(st.tuples(BODIES, st.none() | st.dictionaries(TEXTS, JSON_VALUES)), max_size=4))
def test_any_request_and_response_comes_back_as_it_was(
    said: list[tuple[dict[str, Any], dict[str, Any] | None]],
) -> None:
    calls = [CallRecord(1, request, response) for request, response in said]
    assert spelled(round_trip(calls)) == spelled([(one.request, one.response) for one in calls])


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"messages": []},
        {"messages": None, "model": "m"},
        {"messages": "not a list"},
        {"a": 1, "messages": [{"role": "user", "content": "hi"}], "z": 2},
        {"messages": [{"content": "a", "role": "user"}, {"role": "user", "content": "a"}]},
    ],
)
def test_odd_requests_come_back_as_they_were(request_body: dict[str, Any]) -> None:
    call = CallRecord(1, request_body, None)
    assert spelled(round_trip([call])) == spelled([(request_body, None)])


def test_a_history_that_is_sent_again_and_again_is_kept_once() -> None:
    words = random.Random(7)
    turns = [f"{words.getrandbits(16_000):x}" for _ in range(40)]
    calls = list(trace(*turns).calls)
    said = sum(len(turn) for turn in turns)
    sent = sum(len(json.dumps(call.request)) for call in calls)
    kept = len(storable.pack(transcript.fold(calls)))
    assert sent > 15 * said
    assert kept < said


def test_folding_does_not_change_what_it_folds() -> None:
    calls = list(trace("one " * 100, "two").calls)
    before = json.dumps([call.request for call in calls])
    transcript.fold(calls)
    assert json.dumps([call.request for call in calls]) == before


@pytest.mark.parametrize("field", ["messages", "tools"])
def test_nesting_without_end_becomes_a_note_and_the_rest_stays(field: str) -> None:
    bottomless: Any = []
    for _ in range(900):
        bottomless = [bottomless]
    call = CallRecord(1, {"model": "m", field: [{"content": bottomless}]}, {"content": "fine"})
    ((request, response),) = round_trip([call])
    assert (request["model"], response) == ("m", {"content": "fine"})
    assert storable.TOO_DEEP in json.dumps(request)
