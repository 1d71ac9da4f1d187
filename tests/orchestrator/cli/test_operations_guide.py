"""docs/operations.md: its commands are accepted, its script works, its units and workflow are sound."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from judge_bundles import errors
from judge_bundles.cli import app, judge, verbs
from judge_bundles.limits import STOP_GRACE_S
from tests.support.judging import write_bundle

GUIDE = (Path(__file__).parents[3] / "docs" / "operations.md").read_text("utf-8")
BLOCKS = [(kind, text) for kind, text in re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.DOTALL)]
PROGRAM = "judge-bundles"
SCRIPT = "judge-nightly"


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCKS if found == kind]


def the_script() -> str:
    (script,) = [text for text in blocks("sh") if text.startswith("#!")]
    return script


def command_lines() -> list[str]:
    """Return every line of the page that calls the program, the script's own lines apart."""
    lines = [
        line
        for text in blocks("sh")
        if not text.startswith("#!")
        for line in text.splitlines()
        if line.startswith(PROGRAM)
    ]
    steps = yaml.safe_load(blocks("yaml")[0])["jobs"]["judge"]["steps"]
    return lines + [step["run"] for step in steps if step.get("run", "").startswith(PROGRAM)]


def script_calls() -> list[list[str]]:
    """Return the words of each call of the nightly script: in the crontab and in the unit."""
    text = "\n".join(blocks("cron") + blocks("ini"))
    return [shlex.split(call)[1:] for call in re.findall(rf"{SCRIPT} /[^\n]*?(?= 2>>|\n|$)", text)]


def require_accepted(arguments: Sequence[str]) -> None:
    """Read a command line as the program does, without doing what it says."""
    explicit = app.with_explicit_resume(list(arguments))
    judges = "--rule" in explicit
    command = typer.main.get_command(judge.app if judges else verbs.app)
    words = explicit
    if not judges:
        group, (name, *words) = command, explicit
        assert isinstance(group, typer.core.TyperGroup)
        with group.make_context(PROGRAM, [], resilient_parsing=True) as context:
            found = group.get_command(context, name)
        assert found is not None, name
        command = found
    command.make_context(PROGRAM, words).close()


@pytest.mark.parametrize("line", command_lines())
def test_a_command_of_the_guide_is_accepted(line: str) -> None:
    program, *arguments = shlex.split(line)
    assert program == PROGRAM
    require_accepted(arguments)


def test_a_command_that_is_not_accepted_would_be_found() -> None:
    with pytest.raises(typer.exceptions.TyperException):
        require_accepted(["prune", "--keep-weeks", "3"])
    with pytest.raises(typer.exceptions.TyperException):
        require_accepted(["r", "--rule", "x", "--maximum", "3"])


def test_the_script_is_called_with_options_that_judging_takes() -> None:
    calls = script_calls()
    assert len(calls) == 2
    for runs, rule, *options in calls:
        require_accepted([runs, "--rule", rule, *options])


def test_every_exit_code_is_explained() -> None:
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    explained = {int(code) for code in re.findall(r"^\| (\d+)\b", GUIDE, re.MULTILINE)}
    assert codes | {137} == explained


def test_the_numbers_of_the_guide_are_the_limits() -> None:
    assert f"gives those in flight {STOP_GRACE_S:.0f} seconds" in GUIDE
    (unit, _) = _units()
    assert int(unit["Service"]["TimeoutStopSec"]) > STOP_GRACE_S


@pytest.fixture
def nightly(tmp_path: Path) -> Path:
    """A folder with the script, a rule, and bundles that pass."""
    script = tmp_path / SCRIPT
    script.write_text(the_script())
    script.chmod(0o755)
    (tmp_path / "gate.json").write_text('[{"type": "file_present", "path": "report.md"}]')
    for name in ("a", "b"):
        write_bundle(tmp_path / "r" / name, {"report.md": name})
    return tmp_path


def run_nightly(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    programs = Path(sys.executable).parent
    assert (programs / PROGRAM).exists()
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PAUSES": "0 0",
        "JUDGE_BUNDLES_STORE": f"sqlite:///{folder}/store.db",
    }
    return subprocess.run(
        [str(folder / SCRIPT), "r", "gate.json", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_script_judges_reports_and_prunes(nightly: Path) -> None:
    for expected in ("kept 0", "kept 0"):
        done = run_nightly(nightly)
        assert done.returncode == 0, done.stderr
        assert expected in done.stderr
    lines = (nightly / "verdicts.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["pass", "pass"]
    assert done.stderr.count("run_started") == 1


def test_the_script_resumes_what_is_not_judged_and_says_so_in_the_end(nightly: Path) -> None:
    (nightly / "r" / "c.zip").write_bytes(b"PK\3\4 not a whole archive")
    done = run_nightly(nightly)
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("run_started") == 3
    assert done.stdout == ""
    lines = (nightly / "verdicts.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["pass", "pass", "error"]


def test_the_script_keeps_the_last_report_when_nothing_could_run(nightly: Path) -> None:
    assert run_nightly(nightly).returncode == 0
    before = (nightly / "verdicts.jsonl").read_bytes()
    assert run_nightly(nightly, "--no-such-option").returncode == 2
    assert (nightly / "verdicts.jsonl").read_bytes() == before


def _units() -> list[configparser.RawConfigParser]:
    units = []
    for text in blocks("ini"):
        unit = configparser.RawConfigParser(strict=False)  # `Environment` may be given twice
        unit.read_string(text)
        units.append(unit)
    return units


def test_the_units_are_sound(nightly: Path) -> None:
    service, timer = blocks("ini")
    parsed_service, parsed_timer = _units()
    assert parsed_service["Service"]["Type"] == "oneshot"
    assert parsed_timer["Install"]["WantedBy"] == "timers.target"
    verifier = shutil.which("systemd-analyze")
    if verifier is None:
        return
    installed = str(nightly / SCRIPT)  # the program has to be there for the check
    (nightly / f"{SCRIPT}.service").write_text(
        service.replace(f"/usr/local/bin/{SCRIPT}", installed)
    )
    (nightly / f"{SCRIPT}.timer").write_text(timer)
    done = subprocess.run(
        [verifier, "verify", *(str(nightly / f"{SCRIPT}.{kind}") for kind in ("service", "timer"))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_workflow_gives_the_key_to_the_one_step_that_needs_it() -> None:
    (text,) = blocks("yaml")
    workflow: dict[str, Any] = yaml.safe_load(text)
    steps = workflow["jobs"]["judge"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert [step["name"] for step in steps if "ANTHROPIC_API_KEY" in step.get("env", {})] == [
        "judge"
    ]
    assert workflow["jobs"]["judge"]["permissions"] == {"contents": "read"}
