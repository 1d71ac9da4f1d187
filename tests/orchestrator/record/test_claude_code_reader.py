import json
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.record import RecordPaths
from tests.orchestrator.record.bundles import STREAM, answers, calls, ends, init, record, says

SESSION: list[dict[str, Any]] = [
    {"type": "summary", "summary": "Earlier work", "leafUuid": "u9"},
    {
        "type": "user", "uuid": "u1", "parentUuid": None, "isSidechain": False, "userType": "external",
        "cwd": "/home/u/proj", "sessionId": "s1", "version": "2.0.61",
        "timestamp": "2026-01-05T10:00:00.000Z",
        "message": {"role": "user", "content": "Fix the bug"},
    },
    {
        "type": "assistant", "uuid": "a1", "parentUuid": "u1", "isSidechain": False,
        "message": {
            "id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "I delegate."}],
            "usage": {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 100},
        },
    },
    {
        "type": "assistant", "uuid": "a2", "parentUuid": "a1", "isSidechain": False,
        "message": {
            "id": "msg_1", "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "Task",
                         "input": {"subagent_type": "Explore", "prompt": "look"}}],
            "usage": {"input_tokens": 5, "output_tokens": 40, "cache_read_input_tokens": 100},
        },
    },
    {
        "type": "assistant", "uuid": "s1", "parentUuid": None, "isSidechain": True,
        "agentId": "ae267a1",
        "message": {
            "id": "msg_2", "role": "assistant",
            "content": [
                {"type": "text", "text": "subagent speaking"},
                {"type": "tool_use", "id": "toolu_2", "name": "Read",
                 "input": {"file_path": "/home/u/proj/src/a.py"}},
            ],
            "usage": {"input_tokens": 7, "output_tokens": 3},
        },
    },
    {
        "type": "user", "uuid": "s2", "parentUuid": "s1", "isSidechain": True, "agentId": "ae267a1",
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "1\tprint()"}]},
        "toolUseResult": {"type": "text", "file": {"filePath": "/home/u/proj/src/a.py"}},
    },
    {
        "type": "user", "uuid": "u2", "parentUuid": "a2", "isSidechain": False,
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1",
             "content": [{"type": "text", "text": "found it"}]}]},
    },
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "system", "subtype": "turn_duration", "uuid": "x1", "durationMs": 1200},
]  # fmt: skip
"""A session file as Claude Code keeps it: a subagent inside, one answer written as two lines."""


def test_a_stream_is_read_whole(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.jsonl": STREAM})
    assert outputs.trajectory
    assert outputs.trajectory.format == "claude-code"
    assert [(call["id"], call["subagent"], call["is_error"]) for call in outputs["tool_calls"]] == [
        ("toolu_1", None, False),
        ("toolu_2", None, False),
        ("toolu_3", "toolu_2", False),
        ("toolu_4", None, True),
        ("toolu_5", None, False),
    ]
    assert outputs["tool_calls"][1]["result"] == "found\none"
    assert outputs["tool_calls"][0] == {
        "name": "Read",
        "input": {"file_path": "/work/project/docs/setup.md"},
        "result": "# Setup",
        "is_error": False,
        "id": "toolu_1",
        "subagent": None,
    }
    assert outputs["conversation"] == "I look at the docs first.\n\nThe report is written."
    assert (outputs["cost_usd"], outputs["num_turns"], outputs["duration_s"]) == (0.25, 4, 16.5)
    assert "exit_code" not in outputs
    assert outputs.notes == ()


@pytest.mark.parametrize("name", ["events.json", "events.jsonl"])
@pytest.mark.parametrize("form", ["lines", "array", "pretty array", "lines with blanks", "marked"])
def test_an_array_and_lines_are_the_same_whatever_the_name(
    tmp_path: Path, name: str, form: str
) -> None:
    lines = "\n".join(map(json.dumps, STREAM))
    written = {
        "lines": lines,
        "array": json.dumps(STREAM),
        "pretty array": json.dumps(STREAM, indent=2),
        "lines with blanks": "\n\r\n" + lines.replace("\n", "\r\n \n") + "\n\n",
        "marked": "\ufeff" + lines,
    }
    outputs = record(tmp_path, {name: written[form]})
    assert outputs["events"] == STREAM
    assert outputs.notes == ()


def test_a_session_file_is_read(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.jsonl": SESSION})
    assert outputs["conversation"] == "I delegate."
    task, read = outputs["tool_calls"]
    assert (task["name"], task["result"], task["is_error"], task["subagent"]) == (
        "Task", "found it", False, None,
    )  # fmt: skip
    assert (read["name"], read["result"], read["subagent"]) == ("Read", "1\tprint()", "ae267a1")
    assert outputs["token_usage"] == {
        "input_tokens": 12, "output_tokens": 43, "cache_read_input_tokens": 100,
    }  # fmt: skip
    assert outputs["total_tokens"] == 155
    assert "cost_usd" not in outputs
    assert "num_turns" not in outputs


def test_a_session_taken_up_again_does_not_count_twice(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.jsonl": [*SESSION, *SESSION]})
    assert len(outputs["tool_calls"]) == 2
    assert outputs["conversation"] == "I delegate."
    assert "events.jsonl: 7 events written twice, counted once" in "".join(outputs.notes)


def test_an_event_cannot_hide_behind_the_identity_of_another(tmp_path: Path) -> None:
    innocent = says("fine") | {"uuid": "same"}
    guilty = calls("Bash", {"command": "rm -rf /"}, "toolu_1") | {"uuid": "same"}
    outputs = record(tmp_path, {"events.jsonl": [innocent, guilty]})
    assert [call["name"] for call in outputs["tool_calls"]] == ["Bash"]


def test_a_call_written_twice_is_one_call_but_another_of_its_id_is_not(tmp_path: Path) -> None:
    call = calls("Read", {"file_path": "a"}, "toolu_1")
    other = calls("Read", {"file_path": "b"}, "toolu_1")
    result = answers("toolu_1", "text")
    outputs = record(tmp_path, {"events.jsonl": [call, result, call, result, other]})
    assert [(one["input"]["file_path"], one["result"]) for one in outputs["tool_calls"]] == [
        ("a", "text"),
        ("b", None),
    ]
    assert "1 tool call written twice" in "".join(outputs.notes)


def test_a_single_result_object_is_a_run_with_an_answer(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.json": ends()})
    assert outputs["conversation"] == "All done."
    assert outputs["cost_usd"] == 0.25
    assert outputs["tool_calls"] == []


def test_the_last_result_of_a_stream_counts(tmp_path: Path) -> None:
    events = [init(), ends(total_cost_usd=0.1), ends(total_cost_usd=0.3, num_turns=9)]
    outputs = record(tmp_path, {"events.jsonl": events})
    assert (outputs["cost_usd"], outputs["num_turns"]) == (0.3, 9)


def test_broken_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    lines = [json.dumps(event) for event in STREAM]
    lines[2:2] = ['{"type": "assistant", "mess', "not json", '{"a": ' + "9" * 5_000 + "}"]
    lines.append("[1, 2]")
    outputs = record(tmp_path, {"events.jsonl": "\n".join(lines)})
    assert outputs["events"] == STREAM
    assert outputs.notes == (
        "events: events.jsonl: 3 broken lines skipped",
        "events: events.jsonl: 1 line that hold no object skipped",
    )


def test_a_broken_first_line_is_only_one_line(tmp_path: Path) -> None:
    lines = "\n".join(['{"type": "sys', *map(json.dumps, STREAM)])
    outputs = record(tmp_path, {"events.jsonl": lines})
    assert outputs["events"] == STREAM
    assert outputs.notes == ("events: events.jsonl: 1 broken line skipped",)


@pytest.mark.parametrize(
    "content",
    ["", "\n\n", "nothing\nof the kind", json.dumps(STREAM)[:-100], "\0" * 50, b"\xff\xfe{\0"],
)
def test_what_is_no_json_is_no_trajectory_and_it_is_said(
    tmp_path: Path, content: str | bytes
) -> None:
    outputs = record(tmp_path, {"events.json": content, "stdout.log": "printed"})
    assert outputs.trajectory is None
    assert outputs["events"] == outputs["tool_calls"] == []
    assert outputs["conversation"] == "printed"
    assert "events.json cannot be used" in "".join(outputs.notes)


def test_events_of_no_known_format_are_given_but_no_calls(tmp_path: Path) -> None:
    events = [{"kind": "step", "tool": "read"}, {"kind": "end"}, 3]
    outputs = record(tmp_path, {"events.json": events})
    assert outputs["events"] == events[:2]
    assert outputs["tool_calls"] == []
    assert outputs.trajectory
    assert outputs.trajectory.format is None
    assert outputs.notes == ("events: events.json is a trajectory of no known format",)


def test_partial_messages_are_events_but_say_nothing_twice(tmp_path: Path) -> None:
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hel"}}
    partial = {"type": "stream_event", "event": delta, "parent_tool_use_id": None}
    outputs = record(tmp_path, {"events.jsonl": [init(), partial, says("Hello")]})
    assert len(outputs["events"]) == 3
    assert outputs["conversation"] == "Hello"


def test_thinking_and_subagents_are_no_conversation(tmp_path: Path) -> None:
    thinking = {
        "type": "assistant",
        "message": {"content": [{"type": "thinking", "thinking": "h"}]},
    }
    text = {"type": "assistant", "message": {"content": "plain text"}}
    outputs = record(tmp_path, {"events.jsonl": [thinking, says("s", "toolu_9"), text, says(" ")]})
    assert outputs["conversation"] == "plain text"


def test_a_wildcard_takes_a_session_with_the_files_of_its_subagents(tmp_path: Path) -> None:
    root = [event for event in SESSION if not event.get("isSidechain")]
    below = [event for event in SESSION if event.get("isSidechain")]
    files: dict[str, Any] = {
        "sessions/s1.jsonl": root,
        "sessions/s1/subagents/agent-ae267a1.jsonl": below,
        "report.md": "x",
    }
    outputs = record(tmp_path, files, RecordPaths(events="sessions/**/*.jsonl"))
    assert {call["name"]: call["subagent"] for call in outputs["tool_calls"]} == {
        "Task": None,
        "Read": "ae267a1",
    }
    assert outputs["conversation"] == "I delegate."
    assert outputs["token_usage"]["input_tokens"] == 12
    assert list(outputs["files"]) == ["report.md"]
