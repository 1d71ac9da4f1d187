from pathlib import Path
from typing import Any

import pytest

from judge_prechecks import Gate, PrecheckSpecError, load

GOOD: dict[str, dict[str, Any]] = {
    "file_present": {"path": "x"},
    "file_complete": {"path": "x", "must_end_with": "end"},
    "json_valid": {"path": "x", "min_matches": 1},
    "map_values_in": {"file": "x", "path": "a", "allowed": ["x"], "min_items": 1},
    "count_equals": {"left": {"file": "x", "len": "a"}, "right": {"files": "*"}},
    "field_any_non_empty": {"file": "x", "array": "a", "fields": ["f"], "min_items": 1},
    "refs_exist": {"file": "x", "array": "a", "field": "f", "in": "bundle", "min_items": 1},
}


def problems(items: Any) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(PrecheckSpecError) as caught:
        Gate.parse(items)
    return [(item.index, item.key_path, item.message) for item in caught.value.problems]


@pytest.mark.parametrize("name", GOOD)
def test_each_type_loads_and_dumps_what_it_was_given(name: str) -> None:
    spec = {"type": name, **GOOD[name]}
    assert Gate.parse([spec]).dump() == [spec]


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, keys in GOOD.items() for key in keys]
)
@pytest.mark.parametrize("value", [None, 3.5, [[]], {"x": 1}, True])
def test_a_value_of_a_wrong_type_is_a_mistake_named_by_its_key(
    name: str, key: str, value: Any
) -> None:
    found = problems([{"type": name, **GOOD[name], key: value}])
    assert all(index == 0 and path is not None and path.startswith(key) for index, path, _ in found)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (name, key)
        for name, keys in GOOD.items()
        for key in keys
        if key not in {"must_end_with", "min_matches", "min_items"}
    ],
)
def test_a_missing_key_is_a_mistake(name: str, key: str) -> None:
    spec = {"type": name, **GOOD[name]}
    del spec[key]
    assert problems([spec]) == [(0, key, "is missing")]


@pytest.mark.parametrize("name", GOOD)
def test_an_unknown_key_is_a_mistake(name: str) -> None:
    ((index, key, message),) = problems([{"type": name, **GOOD[name], "colour": "red"}])
    assert (index, key) == (0, "colour")
    assert message.startswith("unknown key; the keys are ")


@pytest.mark.parametrize(
    ("spec", "key", "message"),
    [
        ({"type": "file_presnt"}, "type", "unknown precheck type file_presnt (did you mean file_p"),
        ({"type": "nonsense"}, "type", "unknown precheck type nonsense; the types are count_equal"),
        ({"type": 3}, "type", "must be text, not 3; the types are "),
        ({"type": None}, "type", "must be text, not null; the types are "),
        ({"path": "x"}, "type", "is missing; the types are count_equals, "),
        ("file_present", None, 'must be an object, not the text "file_present"'),
        (None, None, "must be an object, not null"),
        (
            {"type": "file_complete", "path": "x", "must_end_wth": "y"},
            "must_end_wth",
            "unknown key (did you mean must_end_with?); the keys are must_end_with, path, type",
        ),
        ({"type": "file_present", "path": ""}, "path", "must not be empty"),
        ({"type": "file_present", "path": "/x"}, "path", "must be relative to the bundle"),
        ({"type": "file_present", "path": "a/../b"}, "path", "must not contain '..'"),
        ({"type": "file_complete", "path": "x", "must_end_with": ""}, "must_end_with", "must have"),
        (
            {"type": "file_complete", "path": "x", "must_end_with": "\u200b\n"},
            "must_end_with",
            "must have some visible character",
        ),
        (
            {"type": "file_complete", "path": "x", "must_end_with": "x" * 4_097},
            "must_end_with",
            "is longer than 4,096 characters",
        ),
        ({"type": "json_valid", "path": "x", "min_matches": -1}, "min_matches", "must be at least"),
        (
            {"type": "map_values_in", "file": "x", "path": "a", "allowed": []},
            "allowed",
            "must not be empty",
        ),
        (
            {"type": "map_values_in", "file": "x", "path": "a", "allowed": [1, []]},
            "allowed[1]",
            "must be text, a number, true, false or null",
        ),
        (
            {"type": "map_values_in", "file": "x", "path": "a", "allowed": [float("inf")]},
            "allowed[0]",
            "must be a finite number",
        ),
        (
            {"type": "map_values_in", "file": "x", "path": "a b", "allowed": [1]},
            "path",
            "is not a JSONPath: ",
        ),
        (
            {"type": "field_any_non_empty", "file": "x", "array": "a", "fields": []},
            "fields",
            "must not be empty",
        ),
        (
            {"type": "field_any_non_empty", "file": "x", "array": "a", "fields": ["f", "a["]},
            "fields[1]",
            "is not a JSONPath: ",
        ),
        (
            {"type": "count_equals", "left": {"file": "x", "fiel": "y"}, "right": {"files": "x"}},
            "left.fiel",
            "unknown key (did you mean field?)",
        ),
        (
            {"type": "count_equals", "left": {"file": "../x", "len": "y"}, "right": {"files": "x"}},
            "left.file",
            "must not contain '..'",
        ),
        (
            {"type": "count_equals", "left": {"files": "x"}, "right": {"file": "x", "len": None}},
            "right.len",
            "must not be null",
        ),
        (
            {"type": "refs_exist", "file": "x", "array": "a", "field": "f", "in": "bundel"},
            "in",
            'must be "bundle" or an object {file, path}',
        ),
        (
            {"type": "refs_exist", "file": "x", "array": "a", "field": "f", "in": {"file": "x"}},
            "in.path",
            "is missing",
        ),
        (
            {
                "type": "refs_exist", "file": "x", "array": "a", "field": "f",
                "in": {"file": "x", "path": "y", "pth": "z"},
            },
            "in.pth",
            "unknown key (did you mean path?)",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_index_key_and_reason(
    spec: Any, key: str | None, message: str
) -> None:
    ((index, found_key, found),) = problems([{"type": "file_present", "path": "x"}, spec])
    assert (index, found_key) == (1, key)
    assert found.startswith(message)


@pytest.mark.parametrize(
    "side",
    [
        {},
        {"file": "x"},
        {"field": "x"},
        {"len": "x"},
        {"file": "x", "field": "a", "len": "a"},
        {"file": "x", "files": "x"},
        {"file": "x", "field": "a", "files": "x"},
    ],
)
def test_a_side_has_exactly_one_form(side: Any) -> None:
    ((index, key, message),) = problems(
        [{"type": "count_equals", "left": {"files": "x"}, "right": side}]
    )
    assert (index, key) == (0, "right")
    assert message.startswith("must be one of {file, field}, {file, len} and {files}, not {")


def test_all_mistakes_are_found_at_once() -> None:
    found = problems(
        [
            {"type": "file_present"},
            {"type": "map_values_in", "file": 3, "path": [], "allowed": "completed"},
            {"type": "file_present", "path": "good"},
            3,
        ]
    )
    assert [(index, key) for index, key, _ in found] == [
        (0, "path"), (1, "file"), (1, "path"), (1, "allowed"), (3, None),
    ]  # fmt: skip


def test_the_error_leads_with_its_first_problem_and_prints_all() -> None:
    with pytest.raises(PrecheckSpecError) as caught:
        Gate.parse([{"type": "file_present", "path": "/x"}, 3])
    error = caught.value
    assert (error.index, error.key) == (0, "path")
    assert error.message == "must be relative to the bundle, not absolute"
    assert str(error) == (
        "[0].path: must be relative to the bundle, not absolute\n[1]: must be an object, not 3"
    )


@pytest.mark.parametrize("items", [None, {}, "x", {"prechecks": []}])
def test_what_is_no_array_is_one_mistake(items: Any) -> None:
    ((index, key, message),) = problems(items)
    assert (index, key) == (None, None)
    assert message.startswith("prechecks must be an array, not ")


def test_an_empty_array_is_an_empty_gate(tmp_path: Path) -> None:
    assert Gate.parse([]).run(tmp_path) == ()


def test_equal_gates_have_equal_dumps() -> None:
    short = Gate.parse([{"path": "*", "type": "json_valid"}])
    long = Gate.parse([{"type": "json_valid", "path": "*", "min_matches": 0}])
    assert short.dump() == long.dump()
    assert list(short.dump()[0]) == list(long.dump()[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[{]", "line 1 column 3: a key in double quotes is expected, not ']'"),
        (b"", "line 1 column 1: the document is empty"),
        (b'[{"type": "file_present", "path": "a", "path": "b"}]', 'the key "path" stands twice'),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"[" * 100_000, "nested deeper than"),
        (b'"' + b"x" * 1_048_576 + b'"', "larger than 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_no_json_is_a_mistake(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "gate.json"
    file.write_bytes(content)
    with pytest.raises(PrecheckSpecError) as caught:
        load(file)
    assert caught.value.index is None
    assert caught.value.message.startswith(f"{file}: ")
    assert message in caught.value.message


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PrecheckSpecError, match="No such file"):
        load(tmp_path / "gate.json")
