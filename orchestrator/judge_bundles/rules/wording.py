"""Say in words what does not fit the file model, from the model's own JSON Schema.

What a key expects is read from the schema, so that the words cannot disagree with the check.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from judge_bundles.documents.document import KeyPath, Node, line_of
from judge_bundles.documents.problems import Problem
from judge_bundles.rules.file_parts import NOT_BLANK

Schema = Mapping[str, Any]


def model_problems(
    error: ValidationError, schema: Schema, node: Node, above: KeyPath = ()
) -> Iterator[Problem]:
    """Yield one problem for each error of the model; empty keys are left to `empty_keys`.

    `node` is what the model was made for, and stands at `above` in the file.
    """
    for detail in error.errors(include_url=False):
        if detail["input"] is not None or detail["type"] == "extra_forbidden":
            problem = _problem(detail, schema, node)
            yield Problem((*above, *problem.path), problem.message, problem.line)


def empty_keys(node: Node, schema: Schema, above: KeyPath = ()) -> Iterator[Problem]:
    """Yield a problem for each known key without a value.

    `prechecks:` with nothing behind it must not quietly mean that there is no gate.
    """
    yield from _empty(node, schema, schema, above)


def describe_value(value: Any) -> str:
    """Return a JSON value other than null in words, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 40 else value[:39] + "…"}"'
    if isinstance(value, int | float):
        return str(value)[:40]
    kind = "list" if isinstance(value, list) else "mapping"
    return f"a {kind} of {len(value)}" if value else f"an empty {kind}"


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Say that `key` is unknown, with the nearest known key or with all of them."""
    names = sorted(known)
    nearest = difflib.get_close_matches(key[:80], names, n=1)
    hint = f"did you mean `{nearest[0]}`?" if nearest else f"known are {_listed(names)}"
    return f"unknown key `{key[:80]}`: {hint}"


def _problem(detail: ErrorDetails, schema: Schema, root: Node) -> Problem:
    path: KeyPath = detail["loc"]
    line = line_of(root, path)
    if detail["type"] == "missing":
        return Problem(path[:-1], f"the key `{path[-1]}` is missing", line)
    if detail["type"] == "extra_forbidden":
        known = schema_at(schema, path[:-1])["properties"]
        return Problem(path[:-1], unknown_key(str(path[-1]), known), line)
    if detail["type"] == "value_error":
        return Problem(path, str(detail["ctx"]["error"]), line)
    expected = _expected(schema_at(schema, path))
    return Problem(path, f"must be {expected}, not {describe_value(detail['input'])}", line)


def schema_at(schema: Schema, path: KeyPath) -> Schema:
    """Return the part of `schema` for the value at `path`, which the model knows."""
    here = schema
    for part in path:
        here = _target(_below(here, part), schema)
    return here


def _below(here: Schema, part: str | int) -> Schema:
    below: Schema = (
        here["items"]
        if isinstance(part, int)
        else here.get("properties", {}).get(part) or here["additionalProperties"]
    )
    return below


def _target(part: Schema, schema: Schema) -> Schema:
    reference: str | None = part.get("$ref")
    if reference is None:
        return part
    target: Schema = schema["$defs"][reference.removeprefix("#/$defs/")]
    return target


def _expected(part: Schema) -> str:
    if "enum" in part:
        return f"one of {_listed(part['enum'])}"
    words = {
        "integer": f"a whole number{_bounds(part)}",
        "number": f"a number{_bounds(part)}",
        "string": _expected_text(part),
        "array": f"a list{_length(part)}",
        "object": _expected_mapping(part),
    }
    return words.get(str(part.get("type")), "a value of another kind")


def _expected_mapping(part: Schema) -> str:
    keys = _listed(part.get("properties", {}))
    return f"a mapping with keys among {keys}" if keys else "a mapping"


def _expected_text(part: Schema) -> str:
    pattern, longest = part.get("pattern"), part.get("maxLength")
    most = f" of at most {longest} characters" if longest else ""
    if pattern in {None, NOT_BLANK}:
        return ("text" if pattern is None else "text that is not blank") + most
    return f"text of the form {pattern.strip('^$')}"


def _bounds(part: Schema) -> str:
    words = {"minimum": "of at least", "exclusiveMinimum": "above", "maximum": "at most"}
    bounds = [f"{word} {_number(part[key])}" for key, word in words.items() if key in part]
    return f" {' and '.join(bounds)}" if bounds else ""


def _length(part: Schema) -> str:
    words = {"minItems": "at least", "maxItems": "at most"}
    bounds = [f"{word} {part[key]}" for key, word in words.items() if key in part]
    return f" of {' and '.join(bounds)} items" if bounds else ""


def _number(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else str(bound)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _empty(node: Node, part: Schema, schema: Schema, path: KeyPath) -> Iterator[Problem]:
    if node.content is None:
        yield Problem(path, "has no value: write one, or leave the key out", node.line)
    elif isinstance(node.content, dict):
        known, others = part.get("properties", {}), part.get("additionalProperties")
        for key, member in node.content.items():
            below = known.get(key, others)
            if isinstance(below, Mapping):
                yield from _empty(member, _target(below, schema), schema, (*path, key))
    elif isinstance(node.content, list) and part.get("items"):
        for index, item in enumerate(node.content):
            yield from _empty(item, _target(part["items"], schema), schema, (*path, index))
