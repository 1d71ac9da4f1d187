import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.documents.document import (
    DocumentLimits,
    KeyPath,
    UnreadableDocumentError,
    line_of,
    plain,
)
from judge_bundles.documents.json_document import read_json
from judge_bundles.limits import MAX_NUMBER_DIGITS, MIB

LIMITS = DocumentLimits(max_bytes=1 * MIB, max_depth=64)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(deadline=None)  # the machine may be busy
@given(JSON_VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_whatever_the_standard_library_writes_is_read_back(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert plain(read_json(text, LIMITS)) == value


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet='{}[]",:\\u0019e+-.truefalsn \n\x00d8', max_size=40))
def test_what_the_strict_reader_takes_the_standard_library_takes_alike(text: str) -> None:
    try:
        value = plain(read_json(text, LIMITS))
    except UnreadableDocumentError:
        return
    assert value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "the file is empty", None),
        (" \n ", "the file is empty", None),
        ('{"a": 1,}', "not valid JSON: expected a key in double quotes (column 9)", 1),
        ('{"a" 1}', "not valid JSON: expected `:` after a key (column 6)", 1),
        ('[1,\n 2 3]', "not valid JSON: expected `,` or `]` (column 4)", 2),
        ("[1]\n]", "not valid JSON: something follows the end of the value (column 1)", 2),
        ("[", "not valid JSON: expected a value (column 2)", 1),
        ("// note\n[]", "not valid JSON: expected a value (column 1)", 1),
        ("[NaN]", "not valid JSON: `NaN` is not a value of JSON (column 2)", 1),
        ("[-Infinity]", "not valid JSON: `-Infinity` is not a value of JSON (column 2)", 1),
        ("[True]", "not valid JSON: `True` is not a value of JSON (column 2)", 1),
        ("[01]", "not valid JSON: expected `,` or `]` (column 3)", 1),
        ('["a\nb"]', "not valid JSON: a text does not end, or holds a control character (column 2)", 1),
        ('["\\x41"]', "not valid JSON: a text holds an escape that JSON does not have (column 2)", 1),
        ('["\\ud800"]', "a text holds a lone surrogate, which is not a character", 1),
        ('{"\\udfff": 1}', "a text holds a lone surrogate, which is not a character", 1),
        ("[1e999]", "the number 1e999 is too large", 1),
        ('{"a": 1,\n "b": 2,\n "a": 3}', "key `a` is given twice (first on line 1)", 3),
    ],
)  # fmt: skip
def test_text_that_is_no_json_is_refused_with_reason_and_line(
    text: str, message: str, line: Any
) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_json(text, LIMITS)
    assert (caught.value.message, caught.value.line) == (message, line)


@pytest.mark.parametrize("depth", [3, 64])
def test_nesting_is_taken_up_to_its_limit_and_not_past_it(depth: int) -> None:
    limits = DocumentLimits(max_bytes=1 * MIB, max_depth=depth)
    read_json("[" * depth + "]" * depth, limits)
    with pytest.raises(UnreadableDocumentError, match=f"nested more than {depth} levels deep"):
        read_json("[" * (depth + 1) + "]" * (depth + 1), limits)


def test_a_number_is_taken_up_to_its_length_and_not_past_it() -> None:
    assert plain(read_json("9" * MAX_NUMBER_DIGITS, LIMITS)) == int("9" * MAX_NUMBER_DIGITS)
    with pytest.raises(UnreadableDocumentError, match="more than 400 digits"):
        read_json("9" * (MAX_NUMBER_DIGITS + 1), LIMITS)


def test_each_value_knows_its_line_and_a_missing_one_its_parents() -> None:
    root = read_json('{\n"a":\n [1,\n  {"b": 2}],\n"c": {}\n}', LIMITS)
    assert [
        line_of(root, path)
        for path in [(), ("a",), ("a", 0), ("a", 1), ("a", 1, "b"), ("c", "x"), ("a", 7), ("z", 0)]
    ] == [1, 2, 3, 4, 4, 5, 2, 1]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[,]", (0,)),
        ('{"a": 1, "a": 2}', ()),
        ('{"a": {"b": [0, {"c": 1, "c": 2}]}}', ("a", "b", 1)),
        ('{"a": {"b": [0, {"c": 1e999}]}}', ("a", "b", 1, "c")),
        ('{"a": 1} x', ()),
    ],
)
def test_a_refusal_knows_under_which_key(text: str, path: KeyPath) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_json(text, LIMITS)
    assert caught.value.path == path


def test_half_a_character_is_taken_where_the_limits_say_so() -> None:
    text = '{"\\udc00": ["\\ud83d", "\\ud83d\\ude00"]}'
    careless = DocumentLimits(max_bytes=100, max_depth=2, lone_surrogates=True)
    assert plain(read_json(text, careless)) == {"\udc00": ["\ud83d", "\U0001f600"]}
