"""Where a result goes, what may stand in its way, and what a line of it may not be."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest
from junitparser import Error, JUnitXml

from judge_bundles.cli.app import run
from judge_bundles.cli.reporting import require_writable, write_junit
from judge_bundles.errors import UserError
from judge_bundles.reports.scores import Scores
from judge_bundles.store.records import EntryRef, Judged, RuleRef
from judge_bundles.store.store import Store
from tests.orchestrator.bundles.ordinary_user import as_ordinary_user
from tests.support.command_line import Start, command
from tests.support.judging import write_bundle
from tests.support.reports import ci_commands, verdict

KEY = "sk-ant-api03-CANARYcanary0123456789"


@pytest.mark.parametrize("junit", [".", "folder", "no/such/folder.xml", "gate.json/x", "x" * 300])
@pytest.mark.parametrize("output", ["table", "json"])
def test_a_report_that_has_nowhere_to_go_is_found_before_anything_runs(
    place: Path, capsys: pytest.CaptureFixture[str], junit: str, output: str
) -> None:
    (place / "folder").mkdir()
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    assert run(["r", "--rule", "gate.json", "--junit", junit, "--format", output]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"judge-bundles: --junit {junit}: ")
    assert not (place / ".judge-bundles").exists()


def test_a_report_that_may_not_be_written_is_found_beforehand() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        (folder / "kept.xml").touch(0o444)
        (folder / "closed").mkdir(0o000)
        refused = as_ordinary_user(
            lambda: [_refusal(folder / path) for path in ("kept.xml", "new.xml", "closed/x.xml")]
        )
    assert refused[0].endswith("kept.xml: this file may not be written")
    assert "new.xml: no file may be made in " in refused[1]
    assert refused[2].endswith("this cannot be written: Permission denied")


def _refusal(junit: Path) -> str:
    try:
        require_writable({"--junit": junit})
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("output", "shown"), [("table", "1 passed"), ("json", '"pass"')])
def test_a_report_that_fails_at_the_end_costs_the_exit_code_and_not_the_result(
    place: Path, capsys: pytest.CaptureFixture[str], output: str, shown: str
) -> None:
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    arguments = ["r", "--rule", "gate.json", "-q", "--junit", "/dev/full", "--format", output]
    assert run(arguments) == 3
    captured = capsys.readouterr()
    assert shown in captured.out
    (line,) = captured.err.splitlines()
    assert line.startswith("judge-bundles: --junit /dev/full: ")
    assert "No space left on device" in line
    assert "judge-bundles show" in line


def test_an_existing_report_is_replaced(place: Path) -> None:
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    (place / "out.xml").write_text("old " * 10_000)
    assert run(["r", "--rule", "gate.json", "-q", "--junit", "out.xml"]) == 0
    assert JUnitXml.fromfile("out.xml").tests == 1


def test_the_report_names_what_was_left_unjudged(place: Path) -> None:
    with Store.open(f"sqlite:///{place}/store.db") as store:
        run_id = store.begin_run(
            sources=["r"],
            rules=[RuleRef("one", "d1", {}), RuleRef("two", "d2", {})],
            entries=[EntryRef("a", "r/a", "folder"), EntryRef("b", "r/b", "folder")],
            options={},
        )
        store.save(Judged(verdict("a", run_id=run_id, rule="one", rule_digest="d1")))
        write_junit(place / "out.xml", store, store.verdicts(run_id), Scores(run_id, {}))
    whole = JUnitXml.fromfile(str(place / "out.xml"))
    assert (whole.tests, whole.failures, whole.errors) == (4, 0, 3)
    unjudged = {
        (case.classname, case.name)
        for suite in whole
        for case in suite
        if [type(result) for result in case.result] == [Error]
    }
    assert unjudged == {("two", "a"), ("one", "b"), ("two", "b")}


@pytest.mark.parametrize("encoding", ["latin-1", "ascii:strict", "utf-8"])
@pytest.mark.parametrize("output", ["table", "json", "jsonl"])
def test_any_text_can_be_printed_in_any_encoding(
    place: Path, start: Start, monkeypatch: pytest.MonkeyPatch, encoding: str, output: str
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    write_bundle(place / "r" / "日本", {"report.md": "cut…"})
    process = start("r", "--rule", "gate.json", "--format", output)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    shown = "日本" if encoding == "utf-8" else "\\u65e5\\u672c"
    assert ("\\u65e5\\u672c" if output != "table" else shown).encode() in out
    assert shown.encode() in err
    assert b"Error" not in err


def test_a_result_that_cannot_be_written_is_exit_code_3_and_one_line(place: Path) -> None:
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    assert run(["r", "--rule", "gate.json", "-q"]) == 0
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            command("show", "latest"),
            cwd=place,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert process.returncode == 3
    (line,) = process.stderr.decode().splitlines()
    assert "No space left on device" in line


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_result_that_nobody_reads_is_exit_code_3_and_no_complaint(
    place: Path, start: Start, output: str
) -> None:
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    process = start("r", "--rule", "gate.json", "-q", "--format", output, "--junit", "out.xml")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (3, b"")
    assert JUnitXml.fromfile("out.xml").tests == 1


def test_a_line_without_anything_gets_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Usage: judge-bundles ")


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_stream_that_is_closed_from_the_start_is_no_accident(place: Path, closed: str) -> None:
    write_bundle(place / "r" / "a", {"report.md": "cut"})
    line = f'exec "$@" {closed}>&-'
    shell = ["sh", "-c", line, "sh", *command("r", "--rule", "gate.json")]
    process = subprocess.run(shell, cwd=place, capture_output=True, timeout=60, check=False)
    assert process.returncode == 1
    assert b"Error" not in process.stderr
    assert (b"1 failed" in process.stdout) is (closed == "2")


@pytest.mark.parametrize("length", range(10, 171, 10))
def test_no_line_of_any_output_is_a_ci_command(
    place: Path, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    name = f"{'x' * length} ::stop-commands::tok"
    write_bundle(place / "r" / name, {"report.md": f"{'y' * length} ::error::x ##[add-path]y"})
    write_bundle(place / "r" / "##vso[task.x]", {"report.md": "x END"})
    (place / "r" / "::error::loose").touch()
    run(["r", "--rule", "gate.json"])
    run(["r", "--rule", "gate.json", "--dry-run"])
    run(["r", "--rule", "gate.json", "--format", "json"])
    run(["r", "--rule", "gate.json", "--format", "jsonl", "--log-format", "json"])
    for entry in (name, "##vso[task.x]", f"{name} missing"):
        run(["show", "latest", entry])
        run(["show", "latest", entry, "--format", "json"])
    run(["runs"])
    run([f"{name} missing", "--rule", "gate.json"])
    run(["r", "--rule", f"\n::error::{name}"])
    run(["r", "--rule", "gate.json", f"--{name}"])
    captured = capsys.readouterr()
    assert "stop-commands" in captured.out
    assert "stop-commands" in captured.err
    assert not ci_commands(captured.out)
    assert not ci_commands(captured.err)


def test_a_traceback_is_redacted_and_escaped_as_well(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = f"\n::error::{KEY}\x1b[31m.json"
    assert run(["r", "--rule", rule, "--debug"]) == 2
    text = capsys.readouterr().err
    assert "Traceback" in text
    assert "sk-ant" not in text
    assert "\x1b" not in text
    assert not ci_commands(text)
    assert run(["r", "--rule", rule]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_runs_that_are_kept_name_their_sources(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", "--store", f"sqlite:///{place}/none.db"]) == 2
    write_bundle(place / "r" / "a", {"report.md": "x END"})
    run(["r", "--rule", "gate.json", "-q"])
    capsys.readouterr()
    assert run(["runs"]) == 0
    heading, _, row, *_ = capsys.readouterr().out.splitlines()
    assert heading.split()[-2:] == ["rules", "sources"]
    assert row.split()[-2:] == ["gate", str(place / "r")]
    assert run(["runs", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one["sources"] == [str(place / "r")]
