import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from judge_bundles import resources
from judge_bundles.rules.file_model import RuleFile, object_schema
from judge_bundles.rules.schema import rendered, rule_schema

SHIPPED = resources.folder("rubrics") / "rule.schema.json"


def test_the_shipped_schema_is_the_one_of_the_models() -> None:
    assert SHIPPED.read_text("utf-8") == rendered()


def test_the_module_prints_the_schema() -> None:
    command = [sys.executable, "-m", "judge_bundles.rules.schema"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (printed.stdout, printed.stderr) == (rendered(), "")


def test_the_schema_knows_each_key_and_no_other() -> None:
    keys = rule_schema()["$defs"]["Rule"]
    assert set(keys["properties"]) == {
        field.alias or name for name, field in RuleFile.model_fields.items()
    }
    assert keys["additionalProperties"] is False


def test_no_key_of_a_rule_may_be_null() -> None:
    assert not re.search('"null"|: null', json.dumps(object_schema()))


def test_every_reference_in_the_schema_leads_somewhere() -> None:
    schema = rule_schema()
    references = list(_references(schema))
    assert "#/$defs/Prechecks" in references
    for reference in references:
        here = schema
        for part in reference.removeprefix("#/").split("/"):
            here = here[part]


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (v for k, v in part.items() if k == "$ref" and isinstance(v, str))
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)
