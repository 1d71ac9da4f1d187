"""The whole program once, as a smoke run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.sections import SECTIONS

ROOT = Path(__file__).parents[2]


def test_a_quick_run_measures_every_section_that_needs_no_engine(tmp_path: Path) -> None:
    output = tmp_path / "result.json"

    done = subprocess.run(
        [sys.executable, "-m", "bench", "--quick", "--output", str(output)],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    data = json.loads(output.read_bytes())
    assert [(one["name"], one["state"]) for one in data["sections"]] == [
        (section.name, "measured") for section in SECTIONS if not section.engine
    ]
    figures = [figure for section in data["sections"] for figure in section["figures"]]
    assert all(min(figure["product"]) > 0 for figure in figures if figure["floor"])
    assert all(figure["key"] in done.stdout for figure in figures)
    assert {"cores", "kernel", "python", "load_start", "load_end"} <= set(data["machine"])


def test_a_section_that_is_not_there_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--sections", "gate,nothing"])

    assert ended.value.code == 2
    assert "no section nothing: there are startup," in capsys.readouterr().err
