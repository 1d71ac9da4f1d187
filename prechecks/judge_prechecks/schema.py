"""The JSON Schema of an array of prechecks, generated from the parameter models."""

from typing import Any

from judge_prechecks.registry import Primitive, find, known_types


def schema() -> dict[str, Any]:
    """Return the schema, without references, so that it can stand inside another one.

    Raises whatever an installed plugin raises when it is imported.
    """
    primitives = [primitive for name in known_types() if (primitive := find(name))]
    return {
        "type": "array",
        "description": "Deterministic prechecks; every one must hold.",
        "items": {"oneOf": [_item(primitive) for primitive in primitives]},
    }


def _item(primitive: Primitive) -> dict[str, Any]:
    described = primitive.parameters.model_json_schema(by_alias=True)
    item: dict[str, Any] = _inline(described, described.pop("$defs", {}))
    item["required"] = ["type", *(key for key in item.get("required", ()) if key != "type")]
    return item


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    """Put definitions in place of references; titles made from names say nothing new."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return {
        key: _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }
