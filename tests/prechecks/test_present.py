import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_prechecks.limits import (
    MAX_LISTED,
    MAX_SHOWN_CHARACTERS,
    MAX_SHOWN_DIGITS,
    MAX_SHOWN_ITEMS,
)
from judge_prechecks.offenders import listed, named
from judge_prechecks.present import bounded, counted, cut, describe, printable, quote, scalar


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (3.5, "3.5"),
        ("x", 'the text "x"'),
        ([], "an array of 0 items"),
        ([1], "an array of 1 item"),
        ({"a": 1, "b": 2}, "an object with 2 keys"),
    ],
)
def test_values_are_described_by_kind(value: Any, words: str) -> None:
    assert describe(value) == words


def test_a_text_is_quoted_on_one_line_without_hidden_characters() -> None:
    assert quote('a"b\n\x1b[31m\u202e') == r'"a\"b\n\u001b[31m\u202e"'
    assert printable("a\u200bb\U000e0041") == r"a\u200bb\udb40\udc41"


def test_a_long_text_is_cut_and_its_length_told() -> None:
    at_limit = "x" * MAX_SHOWN_CHARACTERS
    assert cut(at_limit) == at_limit
    assert cut(at_limit + "y") == f"{at_limit}… (201 characters)"
    assert quote(at_limit + "y") == f'"{at_limit}"… (201 characters)'


def test_a_long_number_is_cut_and_its_length_told() -> None:
    at_limit = 10**MAX_SHOWN_DIGITS - 1
    assert bounded(at_limit) == at_limit
    assert bounded(-at_limit) == -at_limit
    assert bounded(at_limit + 1) == f"1{'0' * 99}… (101 digits)"
    assert str(bounded(-(at_limit + 1))).endswith("… (101 digits)")
    assert scalar(10**3_999).endswith("… (4,000 digits)")


def test_arrays_and_objects_are_cut_and_the_rest_counted() -> None:
    assert bounded(list(range(MAX_SHOWN_ITEMS))) == list(range(MAX_SHOWN_ITEMS))
    assert bounded(list(range(1_000_000))) == [*range(MAX_SHOWN_ITEMS), "… and 999,990 more"]
    shown = bounded({str(number): number for number in range(11)})
    assert isinstance(shown, dict)
    assert shown.pop("…") == "and 1 more"
    assert len(shown) == MAX_SHOWN_ITEMS


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=300), inner),
    max_leaves=60,
)


@given(values)
def test_whatever_is_bounded_is_small_json(value: Any) -> None:
    assert len(json.dumps(bounded(value), ensure_ascii=False)) < 11**3 * 500


def test_a_value_nested_without_end_is_bounded_without_recursion() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert bounded(value) == [[["an array of 1 item"]]]


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (10_000, "10,000 files")]
)
def test_numbers_of_things_read_well(number: int, words: str) -> None:
    assert counted(number, "file") == words


def test_every_offender_is_listed_up_to_the_limit_and_the_rest_counted() -> None:
    numbers = list(range(MAX_LISTED))
    assert listed(numbers, str) == tuple(map(str, numbers))
    assert listed([*numbers, 100, 101], str)[-1] == "and 2 more"
    assert len(listed([*numbers, 100, 101], str)) == MAX_LISTED + 1


def test_a_sentence_names_three_offenders_and_counts_the_rest() -> None:
    assert named([1, 2, 3], str) == "1; 2; 3"
    assert named([1, 2, 3, 4, 5], str) == "1; 2; 3; and 2 more"
