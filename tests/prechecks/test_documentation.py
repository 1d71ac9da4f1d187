"""Every example of docs/prechecks.md is run, and what the page states as numbers is compared."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from judge_prechecks import Gate, limits
from judge_prechecks.registry import known_types

PAGE: Final = Path(__file__).parents[2] / "docs" / "prechecks.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```(\w+)( plugin)?\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
ARRAYS: Final = [body for kind, plugin, body in BLOCKS if kind == "json" and not plugin]


def block(kind: str, *, plugin: bool = False) -> str:
    return str(next(body for name, mark, body in BLOCKS if (name, bool(mark)) == (kind, plugin)))


@pytest.mark.parametrize("array", ARRAYS)
def test_every_array_on_the_page_loads(array: str) -> None:
    assert Gate.parse(json.loads(array)).specs


def test_every_type_has_a_section_and_an_example() -> None:
    shown = {item["type"] for array in ARRAYS for item in json.loads(array)}
    for name in filter(lambda name: not name.startswith("test_"), known_types()):
        assert f"### `{name}`" in TEXT
        assert name in shown


def test_every_parameter_is_on_the_page() -> None:
    for section in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        (name,) = re.findall(r"\A`(\w+)`", section)
        (spec, *_) = (
            item for array in ARRAYS for item in json.loads(array) if item["type"] == name
        )
        model = type(Gate.parse([spec]).specs[0])
        for key, field in model.model_fields.items():
            assert key == "type" or f"`{field.alias or key}`" in section


def test_the_first_example_prints_what_the_page_says(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "audit-1"
    run.mkdir(parents=True)
    (tmp_path / "prechecks.json").write_text(ARRAYS[0])
    (run / "report.md").write_text("# Audit\n-- end --\n")
    (run / "state.json").write_text('{"summary": {"findings": 3}}')
    (run / "findings.json").write_text('{"findings": [{}, {}]}')
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == block("text")


def test_the_plugin_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """Installed as pip would lay it out: a module beside its metadata."""
    metadata = tmp_path / "word_count-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: word-count\nVersion: 1.0\n")
    group, line = re.findall(r'"([\w.]+)"\]\n(.+)\n', block("toml"))[0]
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{line.replace(chr(34), '')}\n")
    (tmp_path / "word_count.py").write_text(block("python", plugin=True))
    (tmp_path / "prechecks.json").write_text(block("json", plugin=True))
    (tmp_path / "report.md").write_text("one two\nthree\n")
    program = (
        "import sys; from judge_prechecks import load, schema\n"
        "gate = load('prechecks.json')\n"
        "print([(o.held, o.message) for o in gate.run('.')])\n"
        "types = [item['properties']['type']['const'] for item in schema()['items']['oneOf']]\n"
        "print('word_count' in types)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[(True, 'report.md has 3 words')]\nTrue\n"


@pytest.mark.parametrize(
    "statement",
    [
        f"cut to {limits.MAX_SHOWN_CHARACTERS} characters, {limits.MAX_SHOWN_ITEMS} items and ",
        f"{limits.MAX_SHOWN_DEPTH} levels",
        f"list {limits.MAX_LISTED} offenders",
        f"more than {limits.MAX_INTEGER_DIGITS:,} digits",
        f"deeper than {limits.MAX_JSON_DEPTH}",
        f"more than {limits.MAX_JSON_BYTES // limits.MIB} MiB",
        f"more than {limits.MAX_JSON_NODES:,} values",
        f"a window of {limits.TAIL_BYTES // limits.KIB} KiB",
        f"followed for {limits.MAX_SCAN_BYTES // limits.MIB} MiB",
    ],
)
def test_the_limits_on_the_page_are_the_limits_of_the_code(statement: str) -> None:
    assert statement in TEXT
