"""What docs/record.md states is what the code does."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Final

import pytest

from judge_bundles import limits
from judge_bundles.record import VARIABLES, RecordPaths
from judge_bundles.record import reader as registry
from judge_bundles.record.paths import DEFAULTS, KEYS

PAGE: Final = Path(__file__).parents[3] / "docs" / "record.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")


def rows(section: str) -> dict[str, str]:
    """Return the rest of each row of a section's table by each name in its first cell."""
    body = TEXT.split(f"## {section}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| (.+?) \| (.+) \|$", body, re.MULTILINE)
    return {name.strip("`"): rest for names, rest in found for name in names.split(", ")}


def test_every_key_is_on_the_page() -> None:
    assert {*KEYS, "<name>_content"} <= set(rows("Keys"))


def test_every_setting_is_on_the_page_with_its_default() -> None:
    settings = rows("Where it comes from")
    assert {field.name for field in fields(RecordPaths)} <= set(settings)
    for name, defaults in DEFAULTS.items():
        assert all(Path(one).suffix in settings[name] for one in defaults)
    for reader in registry.readers():
        assert all(f"`{name}`" in settings["events"] for name in reader.files)


def test_every_format_is_on_the_page() -> None:
    assert {one.name for one in registry.readers()} <= set(rows("Trajectories"))


def test_the_reader_on_the_page_works() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    space: dict[str, object] = {}
    try:
        exec(code, space)
        known = registry._registered["my-agent"]
        reading = known.read({"my_steps": ["a"]})
        assert reading is not None
        assert reading.events[0]["message"]["content"][0]["text"] == "a"
        assert known.read([]) is None
    finally:
        registry._registered.pop("my-agent", None)


@pytest.mark.parametrize("name", VARIABLES)
def test_the_budgets_on_the_page_are_those_of_the_code(name: str) -> None:
    budget = getattr(limits.TextBudgets(), name)
    assert rows("Texts for prompts")[name].endswith(f"| {budget:,}")


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    stated = rows("Limits")
    assert stated["all files of a trajectory"].startswith(
        f"{limits.RECORD_MAX_TRAJECTORY_BYTES // limits.MIB} MiB, "
        f"{limits.RECORD_MAX_TRAJECTORY_FILES} files, {limits.RECORD_MAX_JSON_NODES:,} values"
    )
    assert stated["broken lines"].startswith(f"{limits.RECORD_MAX_BROKEN_LINES:,} ")
    for name, limit in {
        "inputs": limits.RECORD_MAX_DOCUMENT_BYTES,
        "stdout": limits.RECORD_MAX_LOG_BYTES,
        "one file with text": limits.RECORD_MAX_FILE_BYTES,
        "all files in `files` with text": limits.RECORD_MAX_FILES_BYTES,
    }.items():
        assert stated[name].startswith(f"{limit // limits.MIB} MiB")
    assert stated["one shell command"].startswith(
        f"{limits.RECORD_MAX_COMMAND_CHARACTERS:,} and {limits.RECORD_MAX_COMMANDS_CHARACTERS:,} "
    )
