"""The five prechecks of the product's origin, byte for byte, and what its page says of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from judge_prechecks import Gate, Outcome, load

RULE: Final = """[
  {"type": "file_present",  "path": "report.md"},
  {"type": "json_valid",    "path": "**/*.json"},
  {"type": "map_values_in", "file": "state.json", "path": "phases", "allowed": ["completed", "skipped"]},
  {"type": "count_equals",
    "left":  {"file": "state.json",     "field": "summary.findings_count"},
    "right": {"file": "findings.json",  "len":   "findings"}},
  {"type": "field_any_non_empty", "file": "findings.json", "array": "findings", "fields": ["affected_file", "code_snippet"]}
]
"""
GOOD: Final[dict[str, Any]] = {
    "report.md": "# Report\n",
    "state.json": {
        "phases": {"recon": "completed", "fuzz": "skipped"},
        "summary": {"findings_count": 2},
    },
    "findings.json": {
        "findings": [
            {"affected_file": "app.py", "code_snippet": ""},
            {"affected_file": None, "code_snippet": "x = 1"},
        ]
    },
}
Bundle = Callable[..., Path]


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    file = tmp_path / "rule.json"
    file.write_text(RULE, encoding="utf-8")
    return load(file)


def failed(outcomes: tuple[Outcome, ...]) -> list[str]:
    return [outcome.type for outcome in outcomes if not outcome.held]


def test_the_rule_loads_unchanged(gate: Gate) -> None:
    assert [spec.type for spec in gate.specs] == [
        "file_present", "json_valid", "map_values_in", "count_equals", "field_any_non_empty",
    ]  # fmt: skip


def test_a_good_bundle_holds(gate: Gate, bundle: Bundle) -> None:
    assert failed(gate.run(bundle(GOOD))) == []


def test_names_match_in_any_folder_too(gate: Gate, bundle: Bundle) -> None:
    assert failed(gate.run(bundle({f"out/{name}": value for name, value in GOOD.items()}))) == []


@pytest.mark.parametrize(
    ("file", "content", "types"),
    [
        ("notes/extra.json", "{", ["json_valid"]),
        ("state.json", {**GOOD["state.json"], "phases": {"recon": "running"}}, ["map_values_in"]),
        ("state.json", {**GOOD["state.json"], "summary": {"findings_count": 3}}, ["count_equals"]),
        (
            "findings.json",
            {"findings": [{"affected_file": "app.py"}, {"affected_file": ""}]},
            ["field_any_non_empty"],
        ),
        (
            "state.json",
            "not json",
            ["json_valid", "map_values_in", "count_equals"],
        ),
        (
            "findings.json",
            {"findings": []},
            ["count_equals"],
        ),
    ],
)
def test_each_fault_is_caught_by_its_checks_and_no_others(
    gate: Gate, bundle: Bundle, file: str, content: Any, types: list[str]
) -> None:
    assert failed(gate.run(bundle({**GOOD, file: content}))) == types


def test_a_bundle_without_anything_fails_all_but_the_check_of_every_json(
    gate: Gate, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert failed(gate.run(tmp_path / "empty")) == [
        "file_present", "map_values_in", "count_equals", "field_any_non_empty",
    ]  # fmt: skip
