"""The scripts name the same images as the product, and are sound shell."""

import re
import subprocess
from pathlib import Path

import pytest

from judge_bundles.sandbox.image import BASE_VARIABLE, LOCAL_BASE, PUBLIC_BASE

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted(
    path for path in (*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run") if path.is_file()
)


def test_the_build_script_and_the_product_mean_the_same_images() -> None:
    text = (ROOT / "scripts" / "build-image").read_text()
    named = dict(re.findall(r"^readonly (\w+_BASE)=(\S+)$", text, re.MULTILINE))

    assert named == {"PUBLIC_BASE": PUBLIC_BASE, "LOCAL_BASE": LOCAL_BASE}
    assert f"${{{BASE_VARIABLE}:-}}" in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_parses_stops_at_errors_and_can_be_run(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert "\nset -euo pipefail\n" in script.read_text()
    assert script.stat().st_mode & 0o111


def test_an_engine_that_cannot_be_reached_is_not_installed_over() -> None:
    done = subprocess.run(
        [str(ROOT / "scripts" / "ensure-engine")],
        env={"PATH": "/usr/bin:/bin", "DOCKER_HOST": "unix:///nobody/listens.sock"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "nothing answers at DOCKER_HOST=unix:///nobody/listens.sock" in done.stderr


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(ROOT / "scripts" / "ensure-venv"), "no-such-python", str(tmp_path / "venv")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "there is no no-such-python" in done.stderr
    assert not (tmp_path / "venv").exists()
