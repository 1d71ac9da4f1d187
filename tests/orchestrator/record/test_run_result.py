import json
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.record.amounts import added_up, amount, count, total_tokens
from tests.orchestrator.record.bundles import STREAM, ends, record


@pytest.mark.parametrize(
    ("stated", "values"),
    [
        ({"cost_usd": 0}, {"cost_usd": 0}),
        ({"total_cost_usd": 1.5}, {"cost_usd": 1.5}),
        ({"cost_usd": None, "total_cost_usd": 2}, {"cost_usd": 2}),
        ({"duration_s": 3, "duration_ms": 9}, {"duration_s": 3}),
        ({"duration_ms": 1500}, {"duration_s": 1.5}),
        ({"turns": 3.0}, {"num_turns": 3}),
        ({"exit_code": -9}, {"exit_code": -9}),
        ({"returncode": 0}, {"exit_code": 0}),
        ({"usage": {"input": 1, "output": 2}}, {"token_usage": {"input": 1, "output": 2}, "total_tokens": 3}),
        ({"total_tokens": 7}, {"total_tokens": 7}),
        ({"token_usage": {"other": 1}}, {"token_usage": {"other": 1}}),
    ],
)  # fmt: skip
def test_what_a_run_result_states(
    tmp_path: Path, stated: dict[str, Any], values: dict[str, Any]
) -> None:
    outputs = record(tmp_path, {"run_result.json": stated})
    keys = ("exit_code", "duration_s", "token_usage", "total_tokens", "cost_usd", "num_turns")
    assert {key: outputs[key] for key in keys if key in outputs} == values
    assert outputs.notes == ()


def test_the_result_object_of_claude_code_is_a_run_result(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"run_result.json": ends()})
    assert (outputs["cost_usd"], outputs["num_turns"], outputs["duration_s"]) == (0.25, 4, 16.5)
    assert outputs["total_tokens"] == 4_330


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"cost_usd": -1}', "cost_usd"),
        ('{"cost_usd": "0.1"}', "cost_usd"),
        ('{"cost_usd": true}', "cost_usd"),
        ('{"cost_usd": 1' + "0" * 400 + "}", "cost_usd"),
        ('{"num_turns": 1.5}', "num_turns"),
        ('{"duration_ms": [1]}', "duration_s"),
        ('{"exit_code": 1.0}', "exit_code"),
        ('{"exit_code": false}', "exit_code"),
        ('{"token_usage": 12}', "token_usage"),
        ('{"total_tokens": -1}', "total_tokens"),
    ],
)
def test_a_value_that_cannot_be_true_is_no_value_and_it_is_said(
    tmp_path: Path, text: str, key: str
) -> None:
    outputs = record(tmp_path, {"run_result.json": text})
    assert key not in outputs
    assert "is not usable and was left out" in outputs.notes[0]


@pytest.mark.parametrize("text", ['{"cost_usd": NaN}', '{"cost_usd": 1e999}', "{}"])
def test_what_is_no_number_in_json_is_not_stated(tmp_path: Path, text: str) -> None:
    outputs = record(tmp_path, {"run_result.json": text})
    assert "cost_usd" not in outputs


@pytest.mark.parametrize("text", ["", "[1]", "{", "null", '"x"', "[" * 500])
def test_a_broken_run_result_leaves_the_word_to_the_trajectory(tmp_path: Path, text: str) -> None:
    outputs = record(tmp_path, {"run_result.json": text, "events.json": STREAM})
    assert outputs["cost_usd"] == 0.25
    assert outputs.notes


def test_the_run_result_wins_over_the_trajectory(tmp_path: Path) -> None:
    stated = {"cost_usd": 9, "num_turns": 8, "duration_s": 7, "token_usage": {"total_tokens": 6}}
    outputs = record(tmp_path, {"run_result.json": stated, "events.json": STREAM})
    assert (outputs["cost_usd"], outputs["num_turns"], outputs["duration_s"]) == (9, 8, 7)
    assert outputs["total_tokens"] == 6


def test_modified_files_are_those_stated_and_those_written(tmp_path: Path) -> None:
    def write(name: str, path: str, identity: str, *, fails: bool = False) -> list[dict[str, Any]]:
        block = {"type": "tool_use", "id": identity, "name": name, "input": {"file_path": path}}
        result = {"type": "tool_result", "tool_use_id": identity, "content": "", "is_error": fails}
        return [
            {"type": "assistant", "message": {"content": [block]}},
            {"type": "user", "message": {"content": [result]}},
        ]

    events = [
        {"type": "system", "subtype": "init", "cwd": "/w/proj"},
        *write("Edit", "/w/proj/src/a.py", "t1"),
        *write("Write", "C:\\proj\\docs\\b.md", "t2"),
        *write("MultiEdit", "/w/proj/src/a.py", "t3"),
        *write("Write", "/tmp/elsewhere.txt", "t4"),
        *write("Write", "/w/proj/src/never.py", "t5", fails=True),
        *write("Read", "/w/proj/src/read.py", "t6"),
    ]
    files: dict[str, Any] = {
        "src/a.py": "a", "docs/b.md": "b", "c.bin": b"\0", "src/read.py": "r", "src/never.py": "n",
        "run_result.json": {"modified_files": ["c.bin", 3, "src/a.py"]},
        "events.json": events,
    }  # fmt: skip
    assert record(tmp_path, files)["modified_files"] == {
        "c.bin": {"_binary": True, "path": "c.bin", "name": "c.bin", "size": 1},
        "src/a.py": "a",
        "docs/b.md": "b",
        "/tmp/elsewhere.txt": {
            "_missing": True, "path": "/tmp/elsewhere.txt", "name": "elsewhere.txt",
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "number", "whole"),
    [
        (0, 0, 0),
        (1.5, 1.5, None),
        (2.0, 2.0, 2),
        (10**15, 10**15, 10**15),
        (10**15 + 1, None, None),
        (-1, None, None),
        (True, None, None),
        ("1", None, None),
        (None, None, None),
        (float("nan"), None, None),
        (float("inf"), None, None),
    ],
)
def test_amounts(value: Any, number: float | None, whole: int | None) -> None:
    assert amount(value) == number
    assert count(value) == whole


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"total_tokens": 5, "input_tokens": 1, "output_tokens": 1}, 5),
        ({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3}, 6),
        ({"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 9}, 12),
        ({"total_prompt_tokens": 10, "total_completion_tokens": 2, "total_cached_tokens": 9}, 12),
        ({"input": 1, "output": 2, "cache_read": 3}, 6),
        ({"input_tokens": 1}, None),
        ({"input_tokens": "1", "output_tokens": 2}, None),
        ({}, None),
    ],
)
def test_all_tokens_of_a_usage(usage: dict[str, Any], total: int | None) -> None:
    assert total_tokens(usage) == total


def test_usages_are_added_up_over_whole_numbers_only() -> None:
    assert added_up([{"a": 1, "b": "x"}, {"a": 2, "c": {"d": 1}}, json.loads('{"a": -4}')]) == {
        "a": 3
    }
