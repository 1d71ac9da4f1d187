"""The JSON Schema of the rule file, for editors and other programs.

`python -m judge_bundles.rules.schema` prints it; `rubrics/rule.schema.json` is that output, and a
test compares the two. The loader does not use it: it gives better messages.
"""

import json
import sys
from typing import Any, Final

import judge_prechecks
from judge_bundles import limits
from judge_bundles.rules.file_model import object_schema
from judge_bundles.rules.judge_file import judge_schema
from judge_bundles.scoring import THRESHOLD_KEYS

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_CHECKS_SOMETHING: Final = ("prechecks", "rubric", "rubric_file", "criteria", "judges")
_THRESHOLDS: Final = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "properties": {key: {"type": "number"} for key in THRESHOLD_KEYS},
        "additionalProperties": False,
        "minProperties": 1,
    },
}
_REWARD: Final = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "judge": {"type": "string"},
                "weights": {"type": "object", "additionalProperties": {"type": "number"}},
                "formula": {"type": "string", "maxLength": limits.MAX_FORMULA_CHARACTERS},
                "gate": {"type": "boolean"},
            },
            "additionalProperties": False,
        },
    ],
}


def rule_schema() -> dict[str, Any]:
    """Return the schema: a mapping of keys, or only the array of prechecks."""
    keys = object_schema()
    judge = judge_schema()
    definitions = keys.pop("$defs") | judge.pop("$defs")
    definitions["Prechecks"] = {**judge_prechecks.schema(), "maxItems": limits.MAX_PRECHECKS}
    definitions["Judge"] = judge
    properties = keys["properties"]
    properties["prechecks"] = {"$ref": "#/$defs/Prechecks"}
    properties["judges"]["items"] = {"$ref": "#/$defs/Judge"}
    properties["thresholds"] |= _THRESHOLDS
    properties["reward"] |= _REWARD
    keys["anyOf"] = [{"required": [key]} for key in _CHECKS_SOMETHING]
    keys["not"] = {"required": ["rubric", "rubric_file"]}
    _let_other_tools_in(keys)
    definitions["Rule"] = keys
    return {
        "$schema": _DIALECT,
        "title": "A rule of judge-bundles",
        "anyOf": [{"$ref": "#/$defs/Rule"}, {"$ref": "#/$defs/Prechecks"}],
        "$defs": dict(sorted(definitions.items())),
    }


def _let_other_tools_in(keys: dict[str, Any]) -> None:
    """Refuse unknown keys only where there are no judges, as the loader does."""
    del keys["additionalProperties"]
    keys["if"] = {"not": {"required": ["judges"]}}
    keys["then"] = {"propertyNames": {"enum": sorted(keys["properties"])}}


def rendered() -> str:
    """Return the schema as the text of the shipped file."""
    return json.dumps(rule_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(rendered())
