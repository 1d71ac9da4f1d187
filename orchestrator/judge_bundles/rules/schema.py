"""The JSON Schema of the rule file, for editors and other programs.

`python -m judge_bundles.rules.schema` prints it; `rubrics/rule.schema.json` is that output, and a
test compares the two. The loader does not use it: it gives better messages.
"""

import json
import sys
from typing import Any, Final

import judge_prechecks
from judge_bundles.limits import MAX_PRECHECKS
from judge_bundles.rules.file_model import object_schema

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_CHECKS_SOMETHING: Final = ("prechecks", "rubric", "rubric_file", "criteria")


def rule_schema() -> dict[str, Any]:
    """Return the schema: a mapping of keys, or only the array of prechecks."""
    keys = object_schema()
    definitions = keys.pop("$defs")
    definitions["Prechecks"] = {**judge_prechecks.schema(), "maxItems": MAX_PRECHECKS}
    keys["properties"]["prechecks"] = {"$ref": "#/$defs/Prechecks"}
    keys["anyOf"] = [{"required": [key]} for key in _CHECKS_SOMETHING]
    keys["not"] = {"required": ["rubric", "rubric_file"]}
    definitions["Rule"] = keys
    return {
        "$schema": _DIALECT,
        "title": "A rule of judge-bundles",
        "anyOf": [{"$ref": "#/$defs/Rule"}, {"$ref": "#/$defs/Prechecks"}],
        "$defs": dict(sorted(definitions.items())),
    }


def rendered() -> str:
    """Return the schema as the text of the shipped file."""
    return json.dumps(rule_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(rendered())
