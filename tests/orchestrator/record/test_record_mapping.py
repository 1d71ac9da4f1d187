import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.limits import RECORD_MAX_DOCUMENT_BYTES, RECORD_MAX_LOG_BYTES
from judge_bundles.record import Record, RecordPaths
from judge_bundles.record.paths import KEYS
from judge_prechecks.tree import File, Tree
from tests.orchestrator.record.bundles import STREAM, record, write

EMPTY: dict[str, Any] = {
    "files": {},
    "modified_files": {},
    "conversation": "",
    "events": [],
    "tool_calls": [],
    "annotations": {},
    "inputs": {},
    "stdout": "",
    "stderr": "",
}


def test_a_bundle_without_anything_has_empty_parts_and_no_facts(tmp_path: Path) -> None:
    outputs = Record.of(Tree.scan(tmp_path))
    assert dict(outputs) == EMPTY
    assert len(outputs) == len(EMPTY)
    for key in set(KEYS) - set(EMPTY):
        assert key not in outputs
        assert outputs.get(key) is None
        with pytest.raises(KeyError, match=key):
            outputs[key]


def test_every_key_of_a_full_bundle(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "report.md": "# R\n",
        "data/findings.json": "[]",
        "events.jsonl": STREAM,
        "annotations.yaml": "category: navigation\nexpected_files: [docs/setup.md]\n",
        "input.yaml": "prompt: Write a report\n",
        "run_result.json": {"exit_code": 0, "cost_usd": 0.5, "num_turns": 3},
        "stdout.log": "printed\n",
        "stderr.log": "warned\n",
    }
    outputs = record(tmp_path, files, RecordPaths(outputs={"findings": "data/findings.json"}))
    assert list(outputs) == [*KEYS, "findings_content"]
    assert outputs["files"] == {"report.md": "# R\n", "data/findings.json": "[]"}
    assert outputs["modified_files"] == {"report.md": "# R\n"}
    assert outputs["conversation"] == "I look at the docs first.\n\nThe report is written."
    assert outputs["events"] == STREAM
    assert [call["name"] for call in outputs["tool_calls"]] == [
        "Read", "Task", "Grep", "Bash", "Write",
    ]  # fmt: skip
    assert outputs["annotations"] == {"category": "navigation", "expected_files": ["docs/setup.md"]}
    assert outputs["inputs"] == {"prompt": "Write a report"}
    assert (outputs["exit_code"], outputs["cost_usd"], outputs["num_turns"]) == (0, 0.5, 3)
    assert outputs["duration_s"] == 16.5  # what the run's result leaves unsaid is the trajectory's
    assert outputs["token_usage"]["output_tokens"] == 20
    assert outputs["total_tokens"] == 4_330
    assert (outputs["stdout"], outputs["stderr"]) == ("printed\n", "warned\n")
    assert outputs["main_content"] == "# R\n"
    assert outputs["findings_content"] == "[]"
    assert outputs.notes == ()


def test_a_judge_that_needs_the_cost_opens_one_file(tmp_path: Path) -> None:
    tree = write(
        tmp_path, {"run_result.json": {"cost_usd": 0.5}, "events.json": STREAM, "a.md": "x"}
    )
    opened: list[str] = []

    class Watched(Tree):
        __slots__ = ()

        def _descriptor(self, file: File) -> int:
            opened.append(file.path)
            return super()._descriptor(file)

    outputs = Record.of(Watched(tree.root, tree.files, tree.skipped))
    assert opened == []
    assert outputs.get("cost_usd") == 0.5
    assert opened == ["run_result.json"]
    assert outputs["cost_usd"] == 0.5
    assert "exit_code" not in outputs
    assert opened == ["run_result.json"]
    assert outputs["main_content"] == "x"
    assert opened == ["run_result.json", "a.md"]


def test_the_audit_hook_of_the_interpreter_sees_one_file_opened_too(tmp_path: Path) -> None:
    write(tmp_path, {"run_result.json": {"cost_usd": 0.5}, "events.json": STREAM, "a.md": "x"})
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from judge_bundles.record import Record\n"
        "from judge_prechecks.tree import Tree\n"
        "record = Record.of(Tree.scan(sys.argv[1]))\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(args) if event == 'open' else None)\n"
        "assert record['cost_usd'] == 0.5\n"
        "inside = [args[0] for args in seen if str(args[0]).startswith(sys.argv[1])]\n"
        "assert [Path(one).name for one in inside] == ['run_result.json'], inside\n"
        "assert 'yaml' not in sys.modules and 'shlex' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)


def test_what_was_read_once_is_kept(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.json": STREAM, "a.md": "x"})
    first = outputs["events"], outputs["files"]
    (tmp_path / "events.json").unlink()
    (tmp_path / "a.md").unlink()
    assert (outputs["events"], outputs["files"]) == first
    assert outputs["tool_calls"]


def test_it_is_a_mapping_and_nothing_can_be_put_into_it(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"a.md": "x"})
    assert isinstance(outputs, Mapping)
    assert not hasattr(outputs, "__setitem__")
    assert "main_content" in outputs
    assert "other" not in outputs
    assert outputs.get("other", "default") == "default"
    assert "files" in repr(list(outputs))


def test_the_conversation_without_a_trajectory_is_what_was_printed(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"stdout.log": b"said \xff this\n"})
    assert outputs["conversation"] == "said \ufffd this\n"
    assert outputs.trajectory is None


def test_a_trajectory_in_which_nobody_spoke_has_no_conversation(tmp_path: Path) -> None:
    files: dict[str, Any] = {"events.json": [{"type": "system", "subtype": "init"}]}
    outputs = record(tmp_path, {**files, "stdout.log": "noise"})
    assert outputs["conversation"] == ""


def test_the_files_of_the_record_are_no_artifacts_but_only_where_they_belong(
    tmp_path: Path,
) -> None:
    planted = {"src/input.yaml": "evil: 1", "src/stdout.log": "evil", "src/annotations.json": "{}"}
    outputs = record(tmp_path, {**planted, "input.yaml": "a: 1", "report.md": "x"})
    assert sorted(outputs["files"]) == ["report.md", *sorted(planted)]
    assert outputs["inputs"] == {"a": 1}
    assert outputs["stdout"] == "evil"
    assert outputs.notes == ("annotations was taken from src/annotations.json",
                             "stdout was taken from src/stdout.log")  # fmt: skip


def test_one_folder_around_everything_changes_nothing(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "run-1/report.md": "# R\n",
        "run-1/old/report.md": "old",
        "run-1/events.json": STREAM,
        "run-1/work/events.json": "[]",
        "run-1/run_result.json": {"cost_usd": 1},
    }
    outputs = record(tmp_path, files, RecordPaths(main="report.md"))
    assert outputs["main_content"] == "# R\n"
    assert len(outputs["tool_calls"]) == 5
    assert outputs["cost_usd"] == 1
    assert sorted(outputs["files"]) == [
        "run-1/old/report.md", "run-1/report.md", "run-1/work/events.json",
    ]  # fmt: skip
    assert outputs["modified_files"] == {"run-1/report.md": "# R\n"}
    assert outputs.notes == ()


def test_several_files_of_one_name_are_none_and_it_is_said(tmp_path: Path) -> None:
    files = {"a/run_result.json": '{"cost_usd": 1}', "b/run_result.json": '{"cost_usd": 2}'}
    outputs = record(tmp_path, files)
    assert "cost_usd" not in outputs
    (note,) = [note for note in outputs.notes if "ambiguous" in note]
    assert "a/run_result.json, b/run_result.json" in note


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"report.md": "r", "x.txt": "t"}, "r"),
        ({"out.txt": "o"}, "o"),
        ({"out.txt": "o", "events.json": "[]"}, "o"),
        ({"REPORT.MD": "r", "docs/a.md": "a"}, "r"),
        ({"a.md": "a", "b.md": "b"}, None),
        ({"docs/a.md": "a", "docs/b.txt": "b", "c.txt": "c"}, None),
        ({"top/a.md": "a", "top/deep/b.md": "b"}, "a"),
        ({"report.md": b"\0\1\2"}, None),
    ],
)
def test_the_main_file(tmp_path: Path, files: dict[str, str | bytes], main: str | None) -> None:
    outputs = record(tmp_path, files)
    assert outputs.get("main_content") == main
    assert bool(outputs.notes) == (main is None)


def test_a_configured_path_is_matched_as_the_gate_matches_it(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "logs/agent.jsonl": STREAM,
        "deep/out/final.md": "f",
        "meta/gold.json": {"a": 1},
        "meta/task.json": {"b": 2},
        "logs/err.txt": "e",
    }
    paths = RecordPaths(
        events="agent.jsonl",
        annotations="gold.json",
        input="meta/task.json",
        stderr="err.txt",
        main="out/final.md",
        outputs={"final": "**/final.md", "none": "missing.md"},
    )
    outputs = record(tmp_path, files, paths)
    assert len(outputs["events"]) == len(STREAM)
    assert (outputs["annotations"], outputs["inputs"]) == ({"a": 1}, {"b": 2})
    assert outputs["stderr"] == "e"
    assert outputs["main_content"] == outputs["final_content"] == "f"
    assert "none_content" not in outputs
    assert "none_content: no file of the bundle is missing.md" in outputs.notes


@pytest.mark.parametrize("path", ["missing.md", "logs/*.jsonl", "a/x"])
def test_a_configured_path_that_no_file_has_is_said(tmp_path: Path, path: str) -> None:
    paths = RecordPaths(events=path, main=path, stdout=path)
    outputs = record(tmp_path, {"events.json": STREAM, "a.md": "x", "stdout.log": "o"}, paths)
    assert (outputs["events"], outputs["stdout"]) == ([], "")
    assert "main_content" not in outputs
    roles = ("events", "stdout", "main_content")
    assert outputs.notes == tuple(f"{role}: no file of the bundle is {path}" for role in roles)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ({"events": "/abs"}, "events must be relative"),
        ({"main": "../up.md"}, r"main must not contain '\.\.'"),
        ({"outputs": {"a": "b/"}}, "outputs.a names a folder"),
        ({"outputs": {"main": "b.md"}}, "the name 'main' is taken"),
        ({"outputs": {"": "b.md"}}, "the name '' is taken"),
    ],
)
def test_paths_that_cannot_be_are_refused_by_name(paths: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RecordPaths(**paths)


def test_links_and_special_files_are_never_opened_and_said(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"cost_usd": 1}')
    (tmp_path / "run_result.json").symlink_to("secret.json")
    os.mkfifo(tmp_path / "events.json")
    outputs = Record.of(Tree.scan(tmp_path))
    assert "cost_usd" not in outputs
    assert outputs["events"] == []
    assert outputs.notes == (
        "events: events.json is a fifo, never opened",
        "run_result: run_result.json is a symlink, never opened",
    )


def test_a_file_that_is_gone_or_became_a_link_is_a_note(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"run_result.json": "{}", "a.md": "x", "stdout.log": "o"})
    for name in ("run_result.json", "stdout.log", "a.md"):
        (tmp_path / name).unlink()
    (tmp_path / "a.md").symlink_to("/etc/hostname")
    assert "cost_usd" not in outputs
    assert outputs["stdout"] == ""
    assert outputs["files"]["a.md"]["_unreadable"] is True
    assert "main_content" not in outputs
    assert outputs.notes == (
        "run_result: run_result.json could not be read: No such file or directory",
        "stdout: stdout.log could not be read: No such file or directory",
        "files: 1 file without text, unreadable (a.md)",
        "main_content: a.md is unreadable",
    )


@pytest.mark.parametrize(
    ("name", "content", "value", "note"),
    [
        ("input.yaml", "a: [1, 2]\n", {"a": [1, 2]}, ""),
        ("input.yml", "", {}, ""),
        ("input.yaml", "- 1\n", {}, "inputs: input.yaml holds no object with keys"),
        ("input.yaml", "a: !!python/object:os.system x\n", {}, "cannot be used: line 1: the tag"),
        ("input.yaml", b"a: \xff\n", {}, "not UTF-8"),
        ("input.yaml", "a: &x [*x]\n", {}, "alias"),
        ("input.json", '{"a": NaN, "a": 1e999}', {"a": None}, ""),
        ("input.json", '{"a": "\\ud83d cut"}', {"a": "\ufffd cut"}, ""),
        ("input.json", "[]", {}, "holds no object"),
        ("input.json", "{", {}, "cannot be used: not valid JSON"),
        ("input.json", "[" * 300 + "]" * 300, {}, "more than 200 levels"),
        ("input.json", '{"a": ' + "9" * 5_000 + "}", {}, "more than 4,000 digits"),
        ("input.json", '{"a": "' + "x" * RECORD_MAX_DOCUMENT_BYTES + '"}', {}, "is larger than"),
    ],
)
def test_inputs_are_yaml_or_json_objects(
    tmp_path: Path, name: str, content: str | bytes, value: dict[str, Any], note: str
) -> None:
    outputs = record(tmp_path, {name: content})
    assert outputs["inputs"] == value
    assert note in "".join(outputs.notes)
    assert bool(note) == bool(outputs.notes)


def test_a_document_at_its_limit_is_read(tmp_path: Path) -> None:
    frame = '{"a": ""}'
    content = f'{{"a": "{"x" * (RECORD_MAX_DOCUMENT_BYTES - len(frame))}"}}'
    assert len(content) == RECORD_MAX_DOCUMENT_BYTES
    assert record(tmp_path, {"input.json": content})["inputs"]["a"]


def test_the_middle_of_a_long_log_is_left_out_and_it_is_said(tmp_path: Path) -> None:
    longest = "a" + "b" * (RECORD_MAX_LOG_BYTES - 2) + "c"
    outputs = record(tmp_path, {"stdout.log": longest, "stderr.log": longest + "d"})
    assert outputs["stdout"] == longest
    assert outputs["stderr"].startswith("ab")
    assert outputs["stderr"].endswith("bcd")
    assert "[… the middle of this log was left out …]" in outputs["stderr"]
    assert outputs.notes == ("stderr: the middle of stderr.log was left out",)


def test_the_values_are_plain_and_can_be_written_as_json(tmp_path: Path) -> None:
    outputs = record(tmp_path, {"events.json": STREAM, "a.png": b"\x89PNG\0", "b.md": "x"})
    assert json.loads(json.dumps(dict(outputs))) == dict(outputs)
