import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import judge_prechecks.checks
from judge_bundles import resources
from judge_bundles.rules.file_model import RuleFile, object_schema
from judge_bundles.rules.judge_file import JudgeFile, judge_schema
from judge_bundles.rules.schema import rule_schema

SHIPPED = resources.folder("rubrics") / "rule.schema.json"


PLUGIN = """
from typing import Literal

from judge_prechecks import Held, Parameters, View, precheck


class IsOdd(Parameters):
    type: Literal["is_odd"]


@precheck(IsOdd)
def is_odd(parameters: IsOdd, bundle: View) -> Held:
    return Held("odd")
"""


@pytest.fixture
def folder_with_a_plugin(tmp_path: Path) -> Path:
    """A folder that, on the import path, is an installed precheck."""
    (tmp_path / "odd_plugin.py").write_text(PLUGIN, "utf-8")
    metadata = tmp_path / "odd_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd-plugin\nVersion: 1.0\n")
    entry = "[judge_bundles.prechecks]\nis_odd = odd_plugin\n"
    (metadata / "entry_points.txt").write_text(entry)
    return tmp_path


def printed_schema(extra: Mapping[str, str]) -> Any:
    command = [sys.executable, "-m", "judge_bundles.rules.schema"]
    printed = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **extra}
    )
    assert printed.stderr == ""
    return json.loads(printed.stdout)


def precheck_types(schema: Any) -> set[str]:
    return {item["properties"]["type"]["const"] for item in _items(schema)}


def with_builtin_prechecks_only(schema: Any) -> Any:
    """Drop the prechecks that come from elsewhere, as `schema` depends on what is installed."""
    builtin = {module.name for module in pkgutil.iter_modules(judge_prechecks.checks.__path__)}
    items = _items(schema)
    items[:] = [item for item in items if item["properties"]["type"]["const"] in builtin]
    return schema


def test_the_shipped_schema_is_what_the_module_prints_for_the_builtin_prechecks() -> None:
    builtin = with_builtin_prechecks_only(printed_schema({}))
    # As text: the order of keys and the layout of the file are those of the output.
    assert SHIPPED.read_text("utf-8") == json.dumps(builtin, indent=2, ensure_ascii=False) + "\n"


def test_the_shipped_schema_is_the_one_of_the_models() -> None:
    assert json.loads(SHIPPED.read_text("utf-8")) == with_builtin_prechecks_only(rule_schema())


def test_an_installed_precheck_is_in_the_schema_beside_the_builtin_ones(
    folder_with_a_plugin: Path,
) -> None:
    schema = printed_schema({"PYTHONPATH": str(folder_with_a_plugin)})
    shipped = json.loads(SHIPPED.read_text("utf-8"))
    assert precheck_types(schema) >= {"is_odd"} | precheck_types(shipped)
    assert "is_odd" not in precheck_types(shipped)
    assert with_builtin_prechecks_only(schema) == shipped


def test_the_schema_knows_each_key_and_no_other() -> None:
    keys = rule_schema()["$defs"]["Rule"]
    assert set(keys["properties"]) == {
        field.alias or name for name, field in RuleFile.model_fields.items()
    }
    assert keys["then"]["propertyNames"]["enum"] == sorted(keys["properties"])
    assert keys["if"] == {"not": {"required": ["judges"]}}


def test_the_schema_knows_each_key_of_a_judge_and_no_other() -> None:
    keys = rule_schema()["$defs"]["Judge"]
    assert set(keys["properties"]) == {
        field.alias or name for name, field in JudgeFile.model_fields.items()
    }
    assert keys["additionalProperties"] is False


def test_no_key_of_a_rule_may_be_null() -> None:
    assert not re.search('"null"|: null', json.dumps([object_schema(), judge_schema()]))


def test_every_reference_in_the_schema_leads_somewhere() -> None:
    schema = rule_schema()
    references = list(_references(schema))
    assert "#/$defs/Prechecks" in references
    for reference in references:
        here = schema
        for part in reference.removeprefix("#/").split("/"):
            here = here[part]


def _items(schema: Any) -> list[Any]:
    items: list[Any] = schema["$defs"]["Prechecks"]["items"]["oneOf"]
    return items


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (v for k, v in part.items() if k == "$ref" and isinstance(v, str))
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)
