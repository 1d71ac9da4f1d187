from pathlib import Path
from typing import Any

import pytest

from judge_bundles.record import Record, RecordPaths, files_read
from judge_bundles.record.reader import reader, readers
from tests.orchestrator.record.bundles import record

INFO: dict[str, Any] = {
    "model_stats": {"instance_cost": 0.05, "api_calls": 12},
    "config": {"environment": {"cwd": "/workspace/repo"}, "agent": {}},
    "mini_version": "2.0.0",
    "exit_status": "Submitted",
    "submission": "diff",
}
TASK = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "Fix it. Format:\n```bash\nyour_command_here\n```"},
]


def mini(messages: list[dict[str, Any]], version: str = "mini-swe-agent-1.1") -> dict[str, Any]:
    return {"info": INFO, "messages": [*TASK, *messages], "trajectory_format": version}


VERSION_1 = mini(
    [
        {
            "role": "assistant",
            "content": "THOUGHT: look.\n\n```bash\nnl -ba src/a.py | sed -n '1,50p'\n```\n",
            "extra": {"response": {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}},
        },
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\n1 x\n</output>"},
        {"role": "assistant", "content": "```bash\na\n```\n```bash\nb\n```"},
        {"role": "user", "content": "Please always provide EXACTLY ONE action"},
        {
            "role": "assistant",
            "content": "```mswea_bash_command\ncat missing.py\n```",
            "extra": {"response": {"usage": {"prompt_tokens": 200, "completion_tokens": 20}}},
        },
        {"role": "user", "content": "<returncode>1</returncode>\n<output>\nno\n</output>"},
        {"role": "assistant", "content": "```bash\nsleep 100\n```"},
        {"role": "user", "content": "The last command timed out and has been killed."},
        {
            "role": "assistant",
            "content": "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```",
        },
        {"role": "user", "content": ""},
    ],
    "mini-swe-agent-1",
)
VERSION_2 = mini(
    [
        {
            "role": "assistant",
            "content": "Two at once.",
            "tool_calls": [
                {"id": "call_a", "type": "function",
                 "function": {"name": "bash", "arguments": '{"command": "cat docs/a.md"}'}},
                {"id": "call_b", "type": "function",
                 "function": {"name": "bash", "arguments": '{"command": "false"}'}},
            ],
            "extra": {
                "actions": [
                    {"command": "cat docs/a.md", "tool_call_id": "call_a"},
                    {"command": "false", "tool_call_id": "call_b"},
                ],
                "cost": 0.003, "timestamp": 1706000000.0,
            },
        },
        {"role": "tool", "tool_call_id": "call_b", "content": "rc 1", "extra": {"returncode": 1}},
        {"role": "tool", "tool_call_id": "call_a", "content": "# A", "extra": {"returncode": 0}},
        {"role": "user", "content": "No tool calls found", "extra": {"interrupt_type": "FormatError"}},
        {"role": "assistant", "content": None, "extra": {"actions": [{"command": "slow"}]}},
        {"role": "user", "content": "timeout",
         "extra": {"returncode": -1, "exception_info": "TimeoutExpired"}},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_c", "function": {"name": "bash", "arguments": "not json"}}]},
        {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": "d"}},
    ]
)  # fmt: skip
RESPONSES = mini(
    [
        {
            "object": "response",
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant",
                 "content": [{"type": "output_text", "text": "I run it."}]},
                {"type": "function_call", "call_id": "fc_1", "name": "bash",
                 "arguments": '{"command": "head -5 x.txt"}'},
            ],
            "usage": {"input_tokens": 50, "output_tokens": 5, "total_tokens": 55},
        },
        {"type": "function_call_output", "call_id": "fc_1", "output": "five lines",
         "extra": {"returncode": 0}},
    ]
)  # fmt: skip


def outcome(outputs: Record) -> list[tuple[Any, ...]]:
    return [
        (call["input"].get("command"), call["result"], call["is_error"])
        for call in outputs["tool_calls"]
    ]


def test_mini_swe_agent_with_commands_in_the_text(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"run.traj.json": VERSION_1})
    assert outputs.trajectory
    assert outputs.trajectory.format == "mini-swe-agent"
    assert outcome(outputs) == [
        (
            "nl -ba src/a.py | sed -n '1,50p'",
            "<returncode>0</returncode>\n<output>\n1 x\n</output>",
            False,
        ),
        ("cat missing.py", "<returncode>1</returncode>\n<output>\nno\n</output>", True),
        ("sleep 100", "The last command timed out and has been killed.", None),
        ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "", None),
    ]
    assert {call["name"] for call in outputs["tool_calls"]} == {"bash"}
    assert (outputs["cost_usd"], outputs["num_turns"]) == (0.05, 12)
    assert outputs["token_usage"] == {"prompt_tokens": 300, "completion_tokens": 30}
    assert outputs["total_tokens"] == 330
    assert outputs["conversation"].startswith("THOUGHT: look.")
    assert "EXACTLY ONE" not in outputs["conversation"]
    assert [read.normalized for read in files_read(outputs)] == ["src/a.py"]


def test_mini_swe_agent_with_tool_calls(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"run.traj.json": VERSION_2})
    assert outcome(outputs) == [
        ("cat docs/a.md", "# A", False),
        ("false", "rc 1", True),
        ("slow", "timeout", True),
        (None, None, None),
    ]
    assert outputs["tool_calls"][3]["input"] == {"arguments": "not json"}
    assert outputs["conversation"] == "Two at once."
    assert outputs["events"][2]["timestamp"] == 1706000000.0


def test_mini_swe_agent_with_the_responses_api(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"run.traj.json": RESPONSES})
    assert outcome(outputs) == [("head -5 x.txt", "five lines", False)]
    assert outputs["conversation"] == "I run it."
    assert outputs["total_tokens"] == 55


ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s",
    "agent": {"name": "some-agent", "version": "1"},
    "final_metrics": {
        "total_prompt_tokens": 1120, "total_completion_tokens": 124, "total_cached_tokens": 200,
        "total_cost_usd": 0.00078, "total_steps": 4,
    },
    "steps": [
        {"step_id": 1, "source": "system", "message": "Be good."},
        {"step_id": 2, "source": "user", "message": "What is the price?"},
        {
            "step_id": 3, "source": "agent", "timestamp": "2025-10-11T10:30:02Z",
            "message": "I search twice.", "reasoning_content": "secret thoughts",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "search", "arguments": {"metric": "price"}},
                {"tool_call_id": "c2", "function_name": "search", "arguments": {"metric": "volume"}},
            ],
            "observation": {"results": [
                {"source_call_id": "c2", "content": "1.5M"},
                {"source_call_id": "c1", "content": [
                    {"type": "text", "text": "$185"},
                    {"type": "image", "source": {"media_type": "image/png", "path": "i.png"}}]},
            ]},
            "metrics": {"prompt_tokens": 520, "completion_tokens": 80, "cost_usd": 0.00045},
        },
        {"step_id": 4, "source": "agent", "message": [{"type": "text", "text": "It is $185."}],
         "metrics": {"prompt_tokens": 600, "completion_tokens": 44, "cost_usd": 0.00033}},
    ],
}  # fmt: skip


def test_atif_is_read(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"agent/trajectory.json": ATIF, "agent/report.md": "x"})
    assert outputs.trajectory
    assert outputs.trajectory.format == "atif"
    assert [(one["id"], one["result"], one["is_error"]) for one in outputs["tool_calls"]] == [
        ("c1", "$185\n[image image/png]", None),
        ("c2", "1.5M", None),
    ]
    assert outputs["conversation"] == "I search twice.\n\nIt is $185."
    assert (outputs["cost_usd"], outputs["num_turns"]) == (0.00078, 2)
    assert outputs["total_tokens"] == 1244  # cached tokens are a part of the prompt's
    assert outputs["events"][2]["timestamp"] == "2025-10-11T10:30:02Z"
    assert outputs.notes == ()


def test_atif_without_final_metrics_is_added_up_when_every_step_has_a_cost(tmp_path: Path) -> None:
    without = {key: value for key, value in ATIF.items() if key != "final_metrics"}
    outputs = record(tmp_path / "a", {"trajectory.json": without})
    assert outputs["cost_usd"] == pytest.approx(0.00078)
    assert outputs["token_usage"] == {"prompt_tokens": 1120, "completion_tokens": 124}
    last = {**ATIF["steps"][3], "metrics": {"prompt_tokens": 600}}
    partly = {**without, "steps": [*ATIF["steps"][:3], last]}
    assert "cost_usd" not in record(tmp_path / "b", {"trajectory.json": partly})


def step(calls: list[str], results: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    made = [
        {"tool_call_id": one, "function_name": "bash_command", "arguments": {"keystrokes": one}}
        for one in calls
    ]
    observation = {"results": results}
    return {
        "source": "agent",
        "message": "",
        "tool_calls": made,
        "observation": observation,
        **more,
    }


@pytest.mark.parametrize(
    ("calls", "results", "expected"),
    [
        (["a"], [{"content": "screen"}], ["screen"]),
        (["a", "b"], [{"content": "screen"}], [None, "screen"]),
        (["a", "b"], [{"content": "1"}, {"content": "2"}], ["1", "2"]),
        (["a", "b"], [{"content": "1"}, {"source_call_id": "b", "content": "2"}], [None, "2"]),
        (["a"], [], [None]),
    ],
)
def test_atif_results_without_an_id(
    tmp_path: Path, calls: list[str], results: list[dict[str, Any]], expected: list[Any]
) -> None:
    document = {**ATIF, "steps": [step(calls, results)]}
    outputs = record(tmp_path, {"trajectory.json": document})
    assert [one["result"] for one in outputs["tool_calls"]] == expected


def test_atif_ids_may_come_again_in_another_step(tmp_path: Path) -> None:
    again = [step(["call_0"], [{"source_call_id": "call_0", "content": text}]) for text in "xy"]
    outputs = record(tmp_path, {"trajectory.json": {**ATIF, "steps": again}})
    assert [one["result"] for one in outputs["tool_calls"]] == ["x", "y"]


def test_atif_keeps_what_a_converter_knew_of_errors_and_subagents(tmp_path: Path) -> None:
    failed = {"source_call_id": "a", "content": "x", "extra": {"tool_result_is_error": True}}
    steps = [step(["a"], [failed], extra={"is_sidechain": True, "agent_id": "sub"})]
    nested = {**ATIF, "session_id": "inner", "steps": [step(["b"], [{"content": "y"}])]}
    referred = {"source_call_id": "c", "subagent_trajectory_ref": [{"session_id": "elsewhere"}]}
    document = {
        **ATIF,
        "steps": [*steps, step(["c"], [referred])],
        "subagent_trajectories": [nested],
    }
    outputs = record(tmp_path, {"trajectory.json": document})
    assert [(one["id"], one["subagent"], one["is_error"]) for one in outputs["tool_calls"]] == [
        ("a", "sub", True),
        ("c", None, None),
        ("b", "inner", None),
    ]
    assert outputs["tool_calls"][1]["result"] == "[the trajectory of a subagent]"
    assert "1 reference to other trajectories not followed" in "".join(outputs.notes)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (VERSION_1, "mini-swe-agent"),
        (ATIF, "atif"),
        ([{"type": "user", "message": {"content": "x"}}], "claude-code"),
        ({"messages": [{"role": "user", "content": "x"}]}, None),
        ({"steps": [{"id": 1}]}, None),
        ([{"role": "assistant", "content": "x"}], None),
        ({}, None),
        ([], None),
    ],
)
def test_the_content_decides_which_reader_it_is(
    tmp_path: Path, document: Any, name: str | None
) -> None:
    trajectory = record(tmp_path, {"whatever.json": document}, RecordPaths(events="whatever.json"))
    assert (trajectory.trajectory.format if trajectory.trajectory else None) == name


def test_readers_are_found_without_a_list_of_them() -> None:
    assert [one.name for one in readers()] == ["atif", "claude-code", "mini-swe-agent"]
    with pytest.raises(ValueError, match="atif is taken"):
        reader("atif")(lambda _document: None)


def test_events_win_over_other_trajectories(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "trajectory.json": ATIF,
        "events.json": [{"type": "user", "message": {}}],
    }
    outputs = record(tmp_path, files)
    assert outputs.trajectory
    assert outputs.trajectory.format == "claude-code"
    assert list(outputs["files"]) == ["trajectory.json"]


def test_several_trajectories_are_ambiguous(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"a.traj.json": VERSION_1, "b.traj.json": VERSION_2})
    assert outputs.trajectory is None
    assert "events is ambiguous: 2 files match (a.traj.json, b.traj.json)" in outputs.notes[0]
