import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge_bundles.limits import (
    MIB,
    RECORD_MAX_BROKEN_LINES,
    RECORD_MAX_JSON_NODES,
    RECORD_MAX_NOTES,
    RECORD_MAX_TRAJECTORY_BYTES,
    RECORD_MAX_TRAJECTORY_FILES,
    TextBudgets,
)
from judge_bundles.record import Record, RecordPaths, Texts, files_read
from judge_bundles.record.lenient_json import Allowance, parse_lines
from judge_bundles.record.notes import Notes
from judge_bundles.record.shell_reads import shell_reads
from judge_prechecks.tree import Tree
from tests.orchestrator.record.bundles import answers, calls, record, says

WORDS = st.sampled_from(
    [
        "type",
        "assistant",
        "user",
        "system",
        "result",
        "tool_use",
        "tool_result",
        "text",
        "message",
        "content",
        "id",
        "name",
        "input",
        "tool_use_id",
        "is_error",
        "parent_tool_use_id",
        "isSidechain",
        "agentId",
        "uuid",
        "usage",
        "input_tokens",
        "cwd",
        "subtype",
        "role",
        "messages",
        "info",
        "model_stats",
        "extra",
        "actions",
        "command",
        "returncode",
        "trajectory_format",
        "mini-swe-agent-1.1",
        "object",
        "response",
        "output",
        "function_call",
        "function_call_output",
        "call_id",
        "arguments",
        "steps",
        "source",
        "agent",
        "schema_version",
        "ATIF-v1.6",
        "tool_calls",
        "tool_call_id",
        "function_name",
        "observation",
        "results",
        "source_call_id",
        "metrics",
        "final_metrics",
        "subagent_trajectories",
        "session_id",
        "cost_usd",
        "Read",
        "Bash",
        "file_path",
        "path",
        "cat",
        "image",
        "server_tool_use",
        "web_search_tool_result",
        "total_cost_usd",
        "num_turns",
        "duration_ms",
        "modified_files",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.text(max_size=20),
    st.just(10**400), st.just("\ud800"),
)  # fmt: skip
JSONS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=25,
)
BOUNDED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def used_up(outputs: Record) -> str:
    """Use every key, every text and every reader of the record; return all text of it."""
    values = dict(outputs)
    shown = {name: str(value) for name, value in Texts(outputs).variables().items()}
    reads = [read.normalized for read in files_read(outputs)]
    return json.dumps([values, shown, reads, outputs.notes], ensure_ascii=False)


@BOUNDED
@given(lines=st.lists(JSONS, max_size=6), broken=st.binary(max_size=30))
def test_arbitrary_lines_never_raise(tmp_path: Path, lines: list[Any], broken: bytes) -> None:
    content = b"\n".join([*(json.dumps(line).encode() for line in lines), broken])
    (tmp_path / "events.jsonl").write_bytes(content)
    used_up(Record.of(Tree.scan(tmp_path))).encode("utf-8")  # no half of a character is left


@BOUNDED
@given(document=JSONS, kind=st.sampled_from(["messages", "steps", "none"]))
def test_arbitrary_documents_never_raise(tmp_path: Path, document: Any, kind: str) -> None:
    if kind == "messages":
        document = {"messages": document, "info": {"model_stats": document}}
    if kind == "steps":
        document = {"steps": document, "schema_version": "ATIF-v1.6", "final_metrics": document}
    for name in ("events.json", "run_result.json", "input.json", "annotations.yaml"):
        (tmp_path / name).write_text(json.dumps(document))
    used_up(Record.of(Tree.scan(tmp_path))).encode("utf-8")


@BOUNDED
@given(data=st.binary(max_size=200))
def test_arbitrary_bytes_never_raise(tmp_path: Path, data: bytes) -> None:
    names = (
        "events.json",
        "run_result.json",
        "input.yaml",
        "annotations.json",
        "stdout.log",
        "a.md",
    )
    for name in names:
        (tmp_path / name).write_bytes(data)
    used_up(Record.of(Tree.scan(tmp_path))).encode("utf-8")


@BOUNDED
@given(command=st.text(alphabet="cat hedsgrp-n'\"\\$;&|()<>#\n=EOF./*", max_size=60))
def test_arbitrary_commands_never_raise(command: str) -> None:
    for read in shell_reads(command):
        assert read.path
        assert "$" not in read.path


def test_lines_beyond_what_is_kept_in_memory_are_left_out_and_counted(tmp_path: Path) -> None:
    wide = json.dumps([0] * 99)  # 100 values
    lines = parse_lines("\n".join([wide] * 5).encode(), Allowance(nodes=4 * 100))
    assert (len(lines.values), lines.broken, lines.left_out) == (4, 0, 1)
    huge = "[" + "0," * RECORD_MAX_JSON_NODES + "0]"
    outputs = record(
        tmp_path, {"events.jsonl": "\n".join([json.dumps(says("a")), huge, '{"b": 1}'])}
    )
    assert outputs["events"] == [says("a"), {"b": 1}]
    assert outputs.notes == ("events: events.jsonl: 1 line left out, too many values",)


def test_a_document_of_too_many_values_is_no_trajectory(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.json": "[" + "{}," * RECORD_MAX_JSON_NODES + "{}]"})
    assert outputs["events"] == []
    assert outputs.notes == ("events: events.json cannot be used: it holds too many values",)


def test_a_broken_document_leaves_the_allowance_to_its_lines() -> None:
    allowance = Allowance(nodes=10)
    assert parse_lines(b'{"a": [1, 2,\n{"a": 1}', allowance).broken == 1
    assert allowance.nodes == 10 - 2


def test_so_many_broken_lines_are_skipped_and_then_the_rest_is_left_out() -> None:
    broken, good = b"{\n" * RECORD_MAX_BROKEN_LINES, b"1\n2\n"
    lines = parse_lines(broken[2:] + good, Allowance())
    assert (lines.values, lines.left_out) == ([1, 2], 0)
    lines = parse_lines(broken + good, Allowance())
    assert (lines.values, lines.broken, lines.left_out) == ([], RECORD_MAX_BROKEN_LINES, 2)


def test_a_trajectory_at_its_limit_is_read_and_a_larger_one_not(tmp_path: Path) -> None:
    line = json.dumps(says("x"))
    outputs = record(
        tmp_path / "a", {"events.jsonl": line.ljust(RECORD_MAX_TRAJECTORY_BYTES, "\n")}
    )
    assert outputs["conversation"] == "x"
    larger = line.ljust(RECORD_MAX_TRAJECTORY_BYTES + 1, "\n")
    outputs = record(tmp_path / "b", {"events.jsonl": larger})
    assert outputs["events"] == []
    assert outputs.notes == ("events: events.jsonl is larger than 67,108,864 bytes",)


def test_a_trajectory_has_so_many_files_and_no_more(tmp_path: Path) -> None:
    paths = RecordPaths(events="s/*.jsonl")
    files: dict[str, Any] = {
        f"s/{number:03}.jsonl": [says(str(number))] for number in range(RECORD_MAX_TRAJECTORY_FILES)
    }
    outputs = record(tmp_path, files, paths)
    assert (len(outputs["events"]), outputs.notes) == (RECORD_MAX_TRAJECTORY_FILES, ())
    outputs = record(tmp_path, {"s/999.jsonl": [says("more")]}, paths)
    assert len(outputs["events"]) == RECORD_MAX_TRAJECTORY_FILES
    assert outputs.notes == ("events: 1 file of the trajectory left out",)


def test_halves_of_characters_are_replaced_however_deep(tmp_path: Path) -> None:
    deep = "[" * 190 + '"\\ud83d x"' + "]" * 190
    call = f'{{"type":"tool_use","id":"t","name":"A","input":{{"a":{deep}}}}}'
    (tmp_path / "events.json").write_text(
        f'[{{"type":"assistant","message":{{"content":[{call}]}}}}]'
    )
    outputs = Record.of(Tree.scan(tmp_path))
    value = outputs["tool_calls"][0]["input"]["a"]
    for _ in range(190):
        (value,) = value
    assert value == "\ufffd x"


def test_notes_are_bounded_and_the_rest_is_counted() -> None:
    notes = Notes()
    for number in range(RECORD_MAX_NOTES + 2):
        notes.add(f"note {number}")
        notes.add("note 0")
    notes.add("x" * 501)
    assert len(notes.lines) == RECORD_MAX_NOTES + 1
    assert notes.lines[-1] == "and 3 more notes"


def test_a_note_is_one_printable_line() -> None:
    notes = Notes()
    notes.add("a\nb" + "c" * 600)
    assert notes.lines[0].startswith("a\\nbc")
    assert len(notes.lines[0]) == 500


def large_bundle(folder: Path) -> None:
    """Write 50 MB: a trajectory of 25 MB and as much in files, text and binary."""
    with (folder / "events.jsonl").open("w") as events:
        number = 0
        while events.tell() < 25 * MIB:
            call = calls("Bash", {"command": f"cat src/file{number}.py | head -n 20"}, f"t{number}")
            result = answers(
                f"t{number}", "output \u20ac of a command\n" * 200, is_error=number % 7 == 0
            )
            for event in (says(f"Step {number}."), call, result):
                events.write(json.dumps(event) + "\n")
            number += 1
    for number in range(200):
        (folder / f"file{number}.txt").write_text("some line of text\n" * 4_000)
        (folder / f"image{number}.png").write_bytes(b"\x89PNG\0" + os.urandom(64 * 1024))


def test_a_bundle_of_50_mb_makes_a_bounded_prompt_in_bounded_memory(tmp_path: Path) -> None:
    large_bundle(tmp_path)
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({1_536 * MIB}, {1_536 * MIB}))\n"
        "from judge_bundles.record import Record, Texts\n"
        "from judge_prechecks.tree import Tree\n"
        "record = Record.of(Tree.scan(sys.argv[1]))\n"
        "shown = {name: str(value) for name, value in Texts(record).variables().items()}\n"
        "assert len(dict(record)['files']) == 400\n"
        "print(*(f'{name}={len(text)}' for name, text in shown.items()))\n"
    )
    started = time.monotonic()
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=True, timeout=300, capture_output=True, text=True)
    assert time.monotonic() - started < 120
    budgets = TextBudgets()
    lengths = dict(part.split("=") for part in done.stdout.split())
    for name, length in lengths.items():
        assert int(length) <= getattr(budgets, name)
    assert int(lengths["outputs"]) > budgets.outputs // 2
    assert int(lengths["conversation"]) > 10_000


def test_the_largest_hostile_trajectory_stays_within_the_memory_of_a_worker(tmp_path: Path) -> None:
    most = RECORD_MAX_JSON_NODES - 1_000
    wide = '{"type":"user","message":{"content":"\U0001f4a9' + "x" * (16 * MIB) + '"}}'
    keys = ",".join(f'"k{number}":"v{number}"' for number in range(most))
    many = '{"type":"user","message":{"content":[{' + keys + "}]}}"
    (tmp_path / "events.jsonl").write_text(f"{wide}\n{many}\n")
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({1_536 * MIB}, {1_536 * MIB}))\n"
        "from judge_bundles.record import Record, Texts\n"
        "from judge_prechecks.tree import Tree\n"
        "record = Record.of(Tree.scan(sys.argv[1]))\n"
        "assert len(record['events']) == 2\n"
        "print(Texts(record).evidence, Texts(record).outputs)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
