"""The command line in one process, gate only: no engine and no model is needed here."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml

from judge_bundles.cli.app import run, with_explicit_resume
from tests.support.judging import write_bundle

GATE = [{"type": "file_complete", "path": "report.md", "must_end_with": "END"}]


def bundles(folder: Path, **reports: str) -> Path:
    for name, report in reports.items():
        write_bundle(folder / name, {"report.md": report})
    return folder


def test_all_passed_is_exit_code_0(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(place / "r", a="x END", b="y END")
    assert run(["r", "--rule", "gate.json"]) == 0
    assert "2 passed, 0 failed, 0 errors" in capsys.readouterr().out


def test_a_fail_is_exit_code_1_with_its_reason(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END", b="cut")
    assert run(["r", "--rule", "gate.json"]) == 1
    assert "file_complete" in capsys.readouterr().out


def test_an_error_outweighs_a_fail(place: Path) -> None:
    bundles(place / "r", b="cut")
    (place / "r" / "broken.zip").write_bytes(b"PK\x03\x04")
    assert run(["r", "--rule", "gate.json", "--quiet"]) == 3


@pytest.mark.parametrize("folder", ["runs", "report", "show", "doctor", "check-rule", "judge"])
def test_a_line_with_a_rule_judges_whatever_the_folder_is_called(place: Path, folder: str) -> None:
    bundles(place / folder, a="x END")
    assert run([folder, "--rule", "gate.json", "-q"]) == 0
    assert run([folder, "--rule=gate.json", "-q"]) == 0


def test_no_bundle_is_exit_code_4(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "empty").mkdir()
    assert run(["empty", "--rule", "gate.json"]) == 4
    (place / "loose").mkdir()
    (place / "loose" / "report.md").write_text("x END")
    assert run(["loose", "--rule", "gate.json"]) == 4
    assert "--single" in capsys.readouterr().err
    assert run(["loose", "--rule", "gate.json", "--single"]) == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["r"], "--rule"),
        (["r", "--rule", "missing.json"], "missing.json"),
        (["missing", "--rule", "gate.json"], "missing"),
        (["r", "--rule", "gate.json", "--no-such-option"], "--no-such-option"),
        (["r", "--rule", "gate.json", "-c", "0"], "--concurrency"),
        (["r", "--rule", "gate.json", "--format", "xml"], "xml"),
        (["r", "--rule", "gate.json", "--max-cost", "0"], "--max-cost"),
        (["r", "--rule", "gate.json", "--max-cost", "nan"], "--max-cost"),
        (["r", "--rule", "gate.json", "--max-cost", "a lot"], "--max-cost"),
        (["r", "--rule", "gate.json", "--resume"], "--resume"),
        (["r", "--rule", "gate.json", "--resume", "20200101-000000-none"], "20200101-000000-none"),
        (["r", "--rule", "typo.json"], "rubrik"),
        (["r", "--rule", "rubric.json"], "EVAL_JUDGE_MODEL"),
        (["r", "--rule", "gate.json", "--rule", "gate.json"], "gate"),
        (["r", "--rule", "gate.json", "--junit", "no/such/folder.xml"], "--junit"),
        (["show"], "RUN"),
        (["shwo", "latest"], "no command and no folder shwo"),
        (["r", "--rule", "gate.json", "--resume", "nosuch"], "There is no run nosuch"),
        (["r", "--rule", "gate.json", "--store", "sqlite:///x.db?mode=ro"], "mode"),
        (["r", "--rule", "gate.json", "--store", "sqlite:////dev/null"], "no regular file"),
        (["r", "--rule", "gate.json", "--store", "mysql://h/x"], "sqlite:///FILE"),
        (["show", "latest"], "no store"),
    ],
)
def test_what_a_user_gets_wrong_is_exit_code_2_in_one_or_two_lines(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    bundles(place / "r", a="x END")
    (place / "typo.json").write_text('{"rubrik": "x"}')
    (place / "rubric.json").write_text('{"rubric": "x"}')
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert named in captured.err
    assert len(captured.err.strip().splitlines()) <= 2
    assert "Traceback" not in captured.err


def test_a_rule_that_needs_a_model_runs_its_gate_without_one(place: Path) -> None:
    bundles(place / "r", a="x END")
    (place / "rule.json").write_text(json.dumps({"rubric": "x", "prechecks": GATE}))
    assert run(["r", "--rule", "rule.json", "--prechecks-only", "-q"]) == 0


def test_without_prechecks_a_gate_only_run_judges_nothing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "rule.json").write_text(json.dumps({"rubric": "x"}))
    assert run(["r", "--rule", "rule.json", "--prechecks-only"]) == 3
    assert "not_judged" in capsys.readouterr().out


def test_json_and_jsonl_are_pure_records(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(place / "r", a="x END", b="cut")
    run(["r", "--rule", "gate.json", "--format", "json"])
    records = json.loads(capsys.readouterr().out)
    run(["r", "--rule", "gate.json", "--format", "jsonl"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for found in (records, lines):
        assert [(one["entry_id"], one["status"], one["passed"]) for one in found] == [
            ("a", "pass", True),
            ("b", "fail", False),
        ]
    assert records[1]["prechecks"][0]["held"] is False
    assert records[1]["inspected"] == []
    assert records[1]["cost_usd"] == 0


def test_the_same_rule_and_bundle_are_reused_unless_fresh_is_asked_for(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    for arguments, reused in (([], False), ([], True), (["--fresh"], False)):
        run(["r", "--rule", "gate.json", "--format", "json", *arguments])
        (record,) = json.loads(capsys.readouterr().out)
        assert (record["reused_from"] is not None) is reused


def test_a_gate_only_verdict_of_a_full_rule_is_not_reused_by_a_full_run(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "rule.json").write_text(json.dumps({"rubric": "x", "prechecks": GATE}))
    for _ in range(2):
        run(["r", "--rule", "rule.json", "--prechecks-only", "--format", "json"])
        (record,) = json.loads(capsys.readouterr().out)
        assert record["reused_from"] is None


def test_two_rules_give_two_verdicts_for_each_bundle(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "other.json").write_text(json.dumps([{"type": "file_present", "path": "none.md"}]))
    assert run(["r", "--rule", "gate.json", "--rule", "other.json", "--format", "json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert [(one["rule"], one["status"]) for one in records] == [
        ("gate", "pass"),
        ("other", "fail"),
    ]


def test_limit_judges_the_first_bundles_only(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END", b="cut", c="cut")
    assert run(["r", "--rule", "gate.json", "--limit", "1", "--format", "json"]) == 0
    assert [one["entry_id"] for one in json.loads(capsys.readouterr().out)] == ["a"]


def test_an_intake_limit_can_be_raised(place: Path) -> None:
    bundles(place / "r", a="x" * 100 + "END")
    assert run(["r", "--rule", "gate.json", "--max-file-bytes", "102", "-q"]) == 3
    assert run(["r", "--rule", "gate.json", "--max-file-bytes", "103", "-q"]) == 0


def test_junit_keeps_failures_and_errors_apart_and_survives_hostile_text(place: Path) -> None:
    hostile = "bad\x01\x1b[31m\ufffe</failure>]]>"
    bundles(place / "r", ok="x END")
    write_bundle(place / "r" / hostile, {"report.md": f"{hostile}"})
    (place / "r" / "broken.zip").write_bytes(b"PK\x03\x04")
    run(["r", "--rule", "gate.json", "--junit", "out.xml", "-q"])
    suite = next(iter(JUnitXml.fromfile("out.xml")))
    assert (suite.tests, suite.failures, suite.errors) == (3, 1, 1)
    results = {case.name: [type(result) for result in case.result] for case in suite}
    assert results["ok"] == []
    assert results["broken"] == [Error]
    assert [Failure] in results.values()


def test_hostile_names_are_shown_escaped_everywhere(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [
        b"sp ace",
        b"co:lon",
        b"-rf",
        b"new\nline PASS",
        "日本語".encode(),
        b"bad\xff\xfe",
        b"::error::x",
        b"\x1b[31mred",
    ]
    for name in names:
        write_bundle(place / "r" / os.fsdecode(name), {"report.md": "x END"})
    assert run(["r", "--rule", "gate.json"]) == 0
    captured = capsys.readouterr()
    for text in (captured.out, captured.err):
        assert "\x1b[31m" not in text
        assert not [line for line in text.splitlines() if line.startswith("::")]
    assert run(["r", "--rule", "gate.json", "--format", "json"]) == 0
    ids = {record["entry_id"] for record in json.loads(capsys.readouterr().out)}
    assert {"sp ace", "co:lon", "-rf", "new\\nline PASS", "日本語", "bad\\xff\\xfe"} <= ids
    for entry in ids:
        assert run(["show", "latest", "--", entry]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_show_and_runs_print_what_is_kept(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(place / "r", a="x END", b="cut")
    run(["r", "--rule", "gate.json", "-q", "--name", "nightly"])
    capsys.readouterr()
    assert run(["show", "latest"]) == 0
    assert "1 passed, 1 failed" in capsys.readouterr().out
    assert run(["show", "latest", "b"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("FAIL  b")
    assert "failed  [0] file_complete" in shown.replace("[0] file", "[0] file")
    assert run(["show", "latest", "b", "--format", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["trace"] == []
    assert run(["runs"]) == 0
    assert "completed" in capsys.readouterr().out
    assert run(["runs", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["status"], one["name"], one["counts"]["passed"]) == ("completed", "nightly", 1)


def test_an_unknown_entry_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(place / "r", a="x END")
    run(["r", "--rule", "gate.json", "-q"])
    assert run(["show", "latest", "zzz"]) == 2
    assert "zzz" in capsys.readouterr().err
    assert run(["show", "no-such-run"]) == 2
    assert "no-such-run" in capsys.readouterr().err


def test_a_dry_run_runs_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(place / "r", a="x END")
    assert run(["r", "--rule", "gate.json", "--dry-run"]) == 0
    assert "1 bundle, 1 rule" in capsys.readouterr().out
    assert not (place / ".judge-bundles").exists()


def test_check_rule_says_what_a_rule_does(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-rule", "gate.json"]) == 0
    assert "file_complete" in capsys.readouterr().out


def test_events_are_pure_json_lines_when_asked_for(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "r" / "loose.txt").write_text("x")
    run(["r", "--rule", "gate.json", "--log-format", "json"])
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    names = [event["event"] for event in events]
    assert names == ["noticed", "run_started", "bundle_judged"]
    assert events[-1]["entry_id"] == "a"
    assert events[-1]["status"] == "pass"


def test_a_store_can_be_named(place: Path) -> None:
    bundles(place / "r", a="x END")
    url = f"sqlite:///{place}/other.db"
    assert run(["r", "--rule", "gate.json", "-q", "--store", url]) == 0
    assert (place / "other.db").exists()
    assert run(["show", "latest", "--store", url]) == 0
    assert run(["r", "--rule", "gate.json", "-q", "--store", "nonsense://x:secretpw@h/d"]) in {2, 3}


def test_a_result_that_nobody_reads_to_the_end_is_no_traceback(place: Path) -> None:
    bundles(place / "r", **{f"b{index}": "x END" for index in range(50)})
    command = [
        sys.executable,
        "-m",
        "judge_bundles",
        "r",
        "--rule",
        "gate.json",
        "--format",
        "jsonl",
        "-q",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()


def test_resume_takes_a_run_id_and_never_a_folder(place: Path) -> None:
    (place / "runs").mkdir()
    assert with_explicit_resume(["--resume", "runs"]) == ["--resume=newest", "runs"]
    assert with_explicit_resume(["--resume", "--rule"]) == ["--resume=newest", "--rule"]
    assert with_explicit_resume(["--resume", "2026"]) == ["--resume", "2026"]
    assert with_explicit_resume(["--resume", "20261130-220301-x7k2", "r"]) == [
        "--resume",
        "20261130-220301-x7k2",
        "r",
    ]
    assert with_explicit_resume(["r", "--resume"]) == ["r", "--resume=newest"]
    (place / "20261130-220301-x7k2").mkdir()
    assert with_explicit_resume(["--resume", "20261130-220301-x7k2"])[0] == "--resume=newest"


def test_a_store_inside_a_bundle_is_refused_and_not_made(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bundle(place, {"report.md": "x END"})
    assert run([".", "--single", "--rule", "gate.json"]) == 2
    assert "--store" in capsys.readouterr().err
    assert not (place / ".judge-bundles").exists()


def test_a_run_is_resumed_only_as_the_job_it_began_as(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "r" / "broken.zip").write_bytes(b"PK")
    write_bundle(place / "r2" / "a", {"report.md": "x END"})
    run(["r", "--rule", "gate.json", "-q"])
    run_id = json.loads(_printed(capsys, ["runs", "--format", "json"]))[0]["run_id"]
    for arguments, named in (
        (["r", "--prechecks-only", "--resume", run_id], "--prechecks-only"),
        (["r2", "--resume", run_id], "Give the same RUNS"),
        (["r", "--prechecks-only", "--resume"], "no unfinished run"),
    ):
        assert run([*arguments, "--rule", "gate.json"]) == 2
        assert named in capsys.readouterr().err
    run(["r", "--rule", "gate.json", "-q", "--prechecks-only"])
    newest = json.loads(_printed(capsys, ["runs", "--format", "json"]))[0]["run_id"]
    assert newest != run_id
    assert run(["r", "--rule", "gate.json", "--resume", newest]) == 2
    assert "with --prechecks-only" in capsys.readouterr().err


def _printed(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    capsys.readouterr()
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_a_resumed_run_takes_in_bundles_that_came_later_and_names_those_that_are_gone(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "r" / "broken.zip").write_bytes(b"PK")
    run(["r", "--rule", "gate.json", "-q"])
    bundles(place / "r", late="cut")
    capsys.readouterr()
    assert run(["r", "--rule", "gate.json", "--resume", "--format", "json"]) == 3
    records = json.loads(capsys.readouterr().out)
    assert [(one["entry_id"], one["status"]) for one in records] == [
        ("a", "pass"),
        ("broken", "error"),
        ("late", "fail"),
    ]


def test_a_dry_run_for_machines_is_pure_json_and_of_a_resumed_run_names_what_is_missing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    (place / "r" / "broken.zip").write_bytes(b"PK")
    run(["r", "--rule", "gate.json", "-q"])
    bundles(place / "r", late="cut")
    capsys.readouterr()
    for form in ("json", "jsonl"):
        assert run(["r", "--rule", "gate.json", "--dry-run", "--format", form]) == 0
        document = json.loads(capsys.readouterr().out)
        assert [one["entry_id"] for one in document["entries"]] == ["a", "broken", "late"]
        assert document["max_cost_usd"] == 0
    assert run(["r", "--rule", "gate.json", "--dry-run", "--format", "json", "--resume"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["entry_id"] for one in document["entries"]] == ["late"]


def test_equal_bundles_of_one_run_each_get_a_verdict_of_their_own(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END", b="x END")
    for reused in (False, True):
        run(["r", "--rule", "gate.json", "--format", "json", "-c", "1"])
        records = json.loads(capsys.readouterr().out)
        assert [one["reused_from"] is not None for one in records] == [reused, reused]
        assert all(one["reused_from"] != one["run_id"] for one in records)


def test_a_limit_that_is_none_is_refused_before_anything_is_looked_for(place: Path) -> None:
    (place / "empty").mkdir()
    assert run(["empty", "--rule", "gate.json", "--max-cost", "nan"]) == 2


def test_the_hint_under_the_table_finds_the_run_again(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles(place / "r", a="x END")
    run(["r", "--rule", "gate.json", "--store", "sqlite:///my store.db", "--name", "nightly"])
    hint = capsys.readouterr().out.rstrip().rpartition("judge-bundles ")[2]
    arguments = shlex.split(hint.replace("BUNDLE", "a"))
    assert run(arguments) == 0
    assert capsys.readouterr().out.startswith("PASS  a")
    assert run(["runs", "--store", "sqlite:///my store.db"]) == 0
    assert "nightly" in capsys.readouterr().out
    assert run(["show", "latest", "--transcript", "--store", "sqlite:///my store.db"]) == 2


def test_doctor_makes_no_store(place: Path) -> None:
    run(["doctor"])
    assert not (place / ".judge-bundles").exists()
