from typing import Any

import pytest

from judge_bundles.record.pairing import pair
from judge_bundles.record.reader import Reading
from tests.orchestrator.record.bundles import answers, calls, says


def paired(
    *events: dict[str, Any], silence: bool = True, unique: bool = True
) -> list[tuple[Any, ...]]:
    reading = Reading(list(events), silence_is_success=silence, ids_are_unique=unique)
    return [(one["name"], one["result"], one["is_error"]) for one in pair(reading)[0]]


def test_results_are_found_wherever_they_stand() -> None:
    assert paired(
        answers("toolu_3", "early"),
        calls("A", {}, "toolu_1"),
        calls("B", {}, "toolu_2"),
        says("meanwhile"),
        answers("toolu_2", "second"),
        calls("C", {}, "toolu_3"),
        answers("toolu_1", "first"),
    ) == [("A", "first", False), ("B", "second", False), ("C", "early", False)]


def test_parallel_calls_of_one_message_have_their_results_in_one_message() -> None:
    both = calls("A", {}, "toolu_1")
    both["message"]["content"] += calls("B", {}, "toolu_2")["message"]["content"]
    results = answers("toolu_2", "b", is_error=True)
    results["message"]["content"] += answers("toolu_1", "a")["message"]["content"]
    assert paired(both, results) == [("A", "a", False), ("B", "b", True)]


def test_a_call_without_a_result_has_none_and_no_verdict() -> None:
    assert paired(calls("A", {}, "toolu_1")) == [("A", None, None)]


def test_a_result_without_a_call_is_counted_and_makes_no_call() -> None:
    calls_, notes = pair(Reading([answers("toolu_9", "x"), answers("", "y")]))
    assert calls_ == []
    assert notes == ["2 tool results without a call"]


def test_ids_that_come_again_belong_to_the_latest_call() -> None:
    events = [
        calls("A", {"n": 1}, "call_0"),  # its result is missing
        calls("B", {"n": 1}, "call_0"),
        answers("call_0", "b"),
        calls("C", {"n": 1}, "call_0"),
        answers("call_0", "c"),
    ]
    assert paired(*events, unique=False) == [
        ("A", None, None),
        ("B", "b", False),
        ("C", "c", False),
    ]


@pytest.mark.parametrize(
    ("flag", "silence", "expected"),
    [
        (True, True, True),
        (False, True, False),
        (None, True, False),
        (None, False, None),
        (False, False, False),
        (1, True, True),
        ("true", True, True),
        ("false", True, False),
        (0, True, False),
    ],
)
def test_the_flag_of_a_result(flag: Any, silence: bool, expected: bool | None) -> None:
    events = (calls("A", {}, "toolu_1"), answers("toolu_1", "0 errors found", is_error=flag))
    assert paired(*events, silence=silence) == [("A", "0 errors found", expected)]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("text", "text"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, "b", {"type": "text", "text": "c"}], "a\nb\nc"),
        (
            [{"type": "image", "source": {"media_type": "image/png", "data": "…"}}],
            "[image image/png]",
        ),
        ([{"type": "image"}, {"type": "document", "source": {}}], "[image]\n[document]"),
        ([{"type": "tool_reference", "tool_name": "x"}], "[tool_reference]"),
        ([{"odd": 1}, 7, None], '{"odd": 1}\n7\nnull'),
        ({"error": "no such file"}, {"error": "no such file"}),
        (7, "7"),
        (True, "true"),
    ],
)
def test_what_a_tool_answered_as_one_value(content: Any, result: Any) -> None:
    assert paired(calls("A", {}, "toolu_1"), answers("toolu_1", content))[0][1] == result


def test_tools_of_the_models_server_are_calls_with_their_own_results() -> None:
    search: dict[str, Any] = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_search",
        "input": {},
    }
    other = {**search, "id": "s2"}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    failed = {"type": "web_search_tool_result", "tool_use_id": "s2", "content": error}
    event = {"type": "assistant", "message": {"content": [search, found, other, failed]}}
    assert paired(event) == [("web_search", "", False), ("web_search", error, True)]


def test_results_and_calls_that_are_events_by_themselves() -> None:
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True}
    assert paired(call, result) == [("Read", "x", True)]


@pytest.mark.parametrize("given", [None, "a string", ["a", "list"], 3])
def test_arguments_that_are_no_object_become_one(given: Any) -> None:
    (call,), _ = pair(Reading([calls("A", given, "t")]))
    assert call["input"] == ({} if given is None else {"input": given})


@pytest.mark.parametrize("odd", [None, 3, ["x"], {"a": 1}])
def test_names_and_ids_of_the_wrong_kind_are_none(odd: Any) -> None:
    (call,), _ = pair(Reading([calls(odd, {}, odd)]))
    assert (call["name"], call["id"], call["result"]) == ("", None, None)
