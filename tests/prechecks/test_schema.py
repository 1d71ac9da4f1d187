import json
from typing import Any

import pytest

from judge_prechecks import schema
from judge_prechecks.registry import find


def items() -> dict[str, dict[str, Any]]:
    return {item["properties"]["type"]["const"]: item for item in schema()["items"]["oneOf"]}


def test_the_schema_is_plain_json_without_references() -> None:
    text = json.dumps(schema())
    assert "$ref" not in text
    assert "$defs" not in text


@pytest.mark.parametrize(
    "name",
    [
        "count_equals",
        "field_any_non_empty",
        "file_complete",
        "file_present",
        "json_valid",
        "map_values_in",
        "refs_exist",
    ],
)
def test_each_type_is_closed_and_every_key_described(name: str) -> None:
    item = items()[name]
    primitive = find(name)
    assert primitive is not None
    assert item["additionalProperties"] is False
    assert item["description"]
    required = {
        field.alias or key
        for key, field in primitive.parameters.model_fields.items()
        if field.is_required()
    }
    assert set(item["required"]) == required
    for key, value in item["properties"].items():
        described = value.get("description") or value.get("items", value).get("description")
        assert key in {"type", "allowed"} or described, key


def test_optional_keys_are_not_required_and_never_null() -> None:
    marker = items()["file_complete"]["properties"]["must_end_with"]
    assert marker["type"] == "string"
    assert "default" not in marker


def test_a_side_has_exactly_one_of_three_forms() -> None:
    side = items()["count_equals"]["properties"]["left"]
    assert sorted(side["properties"]) == ["field", "file", "files", "len"]
    assert [form["required"] for form in side["oneOf"]] == [
        ["field", "file"],
        ["file", "len"],
        ["files"],
    ]
