import json
import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_prechecks.limits import (
    MAX_INTEGER_DIGITS,
    MAX_JSON_DEPTH,
    MAX_JSON_DEPTH_EVER,
    MAX_JSON_NODES,
    MIB,
    SMALL_JSON_BYTES,
)
from judge_prechecks.strict_json import InvalidJsonError, JsonOptions, decode

PADDING = b" " * (SMALL_JSON_BYTES + 1)
"""Makes a document take the way of large ones without changing its meaning."""
LAST = JsonOptions(duplicate_keys="last")


def refusal(data: bytes, options: JsonOptions | None = None) -> InvalidJsonError:
    with pytest.raises(InvalidJsonError) as caught:
        decode(data, options or JsonOptions())
    return caught.value


VALID = [
    b"{}",
    b"[]",
    b"0",
    b"-0.5e-3",
    b'"x"',
    b"null",
    b" \t\r\n[1, 2.5, true, false, null]\n",
    b'{"a": {"b": [{"c": "d"}]}, "e": "\\u00e9\\ud83d\\ude00"}',
    b'\xef\xbb\xbf{"bom": 1}',
    '{"日本": "é"}'.encode(),
    b'{"a": "brackets in text: }]{[ : , \\" \\\\"}',
    b'{"a\\\\": 1, "a\\"": 2, "\\\\ud800": 3}',
    b'["\\\\\\\\ud800", "\\\\\\"]["]',
    b"[" * MAX_JSON_DEPTH + b"]" * MAX_JSON_DEPTH,
    b"1" * MAX_INTEGER_DIGITS,
    b"-" + b"1" * MAX_INTEGER_DIGITS,
    b"1e308",
    b"0." + b"1" * (MAX_INTEGER_DIGITS + 100),
    b'["' + b"7" * (MAX_INTEGER_DIGITS + 100) + b'", 1]',
]


@pytest.mark.parametrize("padding", [b"", PADDING], ids=["small", "large"])
@pytest.mark.parametrize("data", VALID)
def test_valid_documents_are_read_as_the_standard_library_reads_them(
    data: bytes, padding: bytes
) -> None:
    assert decode(data + padding, JsonOptions()) == json.loads(data.removeprefix(b"\xef\xbb\xbf"))


INVALID = [
    (b"", 1, 1, "empty"),
    (b" \n\t", 1, 1, "empty"),
    (b"{", 1, 2, "a key in double quotes"),
    (b'{"a" 1}', 1, 6, "':'"),
    (b'{"a": 1,}', 1, 9, "comma stands before"),
    (b"[1,]", 1, 4, "comma stands before"),
    (b"[1 2]", 1, 4, "',' or the end"),
    (b"[1}", 1, 3, "',' or the end"),
    (b'{"a": 1]', 1, 8, "',' or the end"),
    (b"{'a': 1}", 1, 2, "a key in double quotes"),
    (b"{a: 1}", 1, 2, "a key in double quotes"),
    (b"[1]]", 1, 4, "after the end"),
    (b"{}\0\0", 1, 3, "after the end"),
    (b"{} {}", 1, 4, "after the end"),
    (b"01", 1, 2, "after the end"),
    (b"[01]", 1, 3, "','"),
    (b"[1.]", 1, 3, "','"),
    (b"[.5]", 1, 2, "a value"),
    (b"[+1]", 1, 2, "a value"),
    (b"[-]", 1, 2, "a value"),
    (b"[tru]", 1, 2, "a value"),
    (b"[True]", 1, 2, "a value"),
    (b"[truex]", 1, 6, "',' or the end"),
    (b'\n\n  ["abc', 3, 4, "no closing quote"),
    (b'["a\nb"]', 1, 4, r"control character '\n'"),
    (b'["a\tb"]', 1, 4, r"control character '\t'"),
    (b'["\\x41"]', 1, 3, "escape"),
    (b'["\\u12G4"]', 1, 3, "escape"),
    (b'["[{NaN 9e999- [[[[\\q"]', 1, 20, "escape"),
    (b'["' + b"[" * 300 + b"\n", 1, 303, "control character"),
    (b'["' + b"[" * 300, 1, 2, "no closing quote"),
    (b'["}]}]}]', 1, 2, "no closing quote"),
    (b"[NaN]", 1, 2, "NaN is not JSON"),
    (b"[Infinity]", 1, 2, "Infinity is not JSON"),
    (b"[1,\n -Infinity]", 2, 2, "-Infinity is not JSON"),
    (b"[1e999]", 1, 2, "range of a double"),
    (b"[-1e999]", 1, 2, "range of a double"),
    (b"[1" + b"0" * 400 + b".0]", 1, 2, "range of a double"),
    (b'{"a": 1, "b": 2, "a": 3}', 1, 18, 'the key "a" stands twice'),
    (b'{"a": 1, "\\u0061": 3}', 1, 10, 'the key "a" stands twice'),
    (b'[{"a": {}}, {"x": {"a": 1, "a": {}}}]', 1, 28, 'the key "a" stands twice'),
    (b'["\\ud800"]', 1, 3, "half of a character"),
    (b'["\\udc00\\ud800"]', 1, 3, "half of a character"),
    (b'["\\ud83d\\ude00\\ude00"]', 1, 15, "half of a character"),
    (b'["\\ud800\\\\\\udc00"]', 1, 3, "half of a character"),
    (b'{"\\uDBFF": 1}', 1, 3, "half of a character"),
    (b"9" * (MAX_INTEGER_DIGITS + 1), 1, 1, "4,001 digits"),
    (b"[1, -" + b"9" * 5_000 + b"]", 1, 5, "5,000 digits"),
    (b"[" * (MAX_JSON_DEPTH + 1) + b"]" * (MAX_JSON_DEPTH + 1), 1, 201, "deeper than 200"),
    (b"[" * 100_000 + b"]" * 100_000, 1, 201, "deeper than 200"),
    (b'{"a":' * 100_000, 1, 1001, "deeper than 200"),
    ('["é", "日本", oops]'.encode(), 1, 13, "a value"),
    (b'["x", "\xe9"]', 1, 8, "0xe9 is not UTF-8"),
    ('["日本",\n"'.encode() + b'\xff"]', 2, 2, "0xff is not UTF-8"),
    (b'["\xed\xa0\x80"]', 1, 3, "0xed is not UTF-8"),
    (b'["\xc0\xaf"]', 1, 3, "0xc0 is not UTF-8"),
    ('{"a": 1}'.encode("utf-16"), 1, 1, "UTF-16"),
    ('{"a": 1}'.encode("utf-16-le"), 1, 1, "UTF-16"),
    ('{"a": 1}'.encode("utf-32"), 1, 1, "UTF-16 or UTF-32"),
    (b"\xef\xbb\xbf\xef\xbb\xbf{}", 1, 1, "a value"),
    (b"\xef\xbb\xbf{]", 1, 2, "a key in double quotes"),
]


@pytest.mark.parametrize("padding", [b"", PADDING], ids=["small", "large"])
@pytest.mark.parametrize(("data", "line", "column", "reason"), INVALID)
def test_invalid_documents_are_refused_with_their_place(
    data: bytes, line: int, column: int, reason: str, padding: bytes
) -> None:
    # Space goes before the document, since at its end it could change what an unfinished one lacks.
    movable = data.startswith((b"[", b"{", b"9")) and b"\0" not in data[:2]
    lines = len(padding) if movable else 0
    fault = refusal(b"\n" * lines + data)
    assert reason in fault.message
    assert (fault.line, fault.column) == (line + lines, column)


def test_a_fault_reads_as_one_line() -> None:
    assert str(refusal(b"\n[1,\n  oops]")) == ("line 3 column 3: a value is expected, not 'o'")


def test_duplicate_keys_can_be_allowed_and_the_last_one_wins() -> None:
    data = b'{"a": 1, "a": 2}'
    assert decode(data, LAST) == {"a": 2}
    assert decode(data + PADDING, LAST) == {"a": 2}


def test_allowing_duplicate_keys_allows_nothing_else() -> None:
    assert "NaN" in refusal(b'{"a": 1, "a": NaN}', LAST).message
    assert "NaN" in refusal(PADDING + b'{"a": 1, "a": NaN}', LAST).message


@pytest.mark.parametrize("padding", [b"", PADDING], ids=["small", "large"])
def test_depth_is_limited_exactly_and_does_not_count_text(padding: bytes) -> None:
    options = JsonOptions(max_depth=3)
    assert decode(padding + b'[[["[[[["]]]', options) == [[["[[[["]]]
    assert "deeper than 3" in refusal(padding + b"[[[[]]]]", options).message
    assert decode(padding + b"[[],[],[],[],[]]", options) == [[]] * 5


def test_depth_does_not_depend_on_how_deep_the_caller_is() -> None:
    data = b"[" * MAX_JSON_DEPTH + b"]" * MAX_JSON_DEPTH

    def at_depth(frames: int) -> Any:
        return at_depth(frames - 1) if frames else decode(data, JsonOptions())

    # A thread of its own has used nothing of the recursion limit yet.
    with ThreadPoolExecutor(1) as fresh:
        frames = sys.getrecursionlimit() - 150
        assert fresh.submit(at_depth, frames).result() == json.loads(data)


def test_more_depth_than_the_interpreter_can_always_parse_cannot_be_asked_for() -> None:
    data = b"[" * MAX_JSON_DEPTH_EVER + b"]" * MAX_JSON_DEPTH_EVER
    assert decode(data, JsonOptions(max_depth=MAX_JSON_DEPTH_EVER)) == json.loads(data)
    with pytest.raises(ValueError, match="at most 500"):
        JsonOptions(max_depth=MAX_JSON_DEPTH_EVER + 1)


def test_values_are_limited_before_memory_is_spent_on_them() -> None:
    options = JsonOptions(max_nodes=5)
    assert decode(b"[1,2,3,4,5]", options) == [1, 2, 3, 4, 5]
    assert "more than 5 values" in refusal(b"[1,2,3,4,5,6]", options).message
    assert decode(b'["a,b,c,d,e,f,g"]', options) == ["a,b,c,d,e,f,g"]


def test_28_megabytes_of_empty_objects_are_refused() -> None:
    data = b"[" + b"{}," * (28 * 1024 * 1024 // 3) + b"{}]"
    assert f"more than {MAX_JSON_NODES:,} values" in refusal(data).message


def test_bytes_are_limited() -> None:
    options = JsonOptions(max_bytes=10)
    assert decode(b'"12345678"', options) == "12345678"
    assert "larger than 10 bytes" in refusal(b'"123456789"', options).message


@pytest.mark.parametrize("limit", [17, 18, 640])
def test_whole_numbers_are_limited_wherever_their_digits_fall(limit: int) -> None:
    options = JsonOptions(max_integer_digits=limit)
    for shift in range(8):
        good = b" " * shift + b"[" + b"8" * limit + b"]"
        assert decode(good, options) == [int(b"8" * limit)]
        assert "digits" in refusal(good.replace(b"]", b"8]"), options).message


def test_one_huge_text_of_escapes_is_scanned_without_filling_memory() -> None:
    fault = refusal(b'["' + b"\\n" * 2_000_000 + b'", NaN]')
    assert (fault.line, fault.column) == (1, 4_000_006)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (rb'"\ud83d\ude00"', None),
        (rb'"\uD83D\uDE00 \u00e9 \n \\ud800 \\\\udc00"', None),
        (rb'"\ud83d"', 2),
        (rb'"\ude00"', 2),
        (rb'"\ude00\ud83d"', 2),
        (rb'"\ud83d\ud83d\ude00"', 2),
        (rb'"\ud83d\ude00\ude00"', 14),
        (rb'"\ud83d \ude00"', 2),
        (rb'"\ud83d\\ude00"', 2),
        (rb'"\\\ud83d"', 4),
        (rb'{"\udfff": 1}', 3),
    ],
)
def test_escapes_are_whole_characters_or_half_of_one(text: bytes, column: int | None) -> None:
    if column is None:
        assert decode(text, JsonOptions()) == json.loads(text)
    else:
        fault = refusal(text)
        assert "half of a character" in fault.message
        assert (fault.line, fault.column) == (1, column)


def test_brackets_without_end_are_refused_by_their_number_before_their_depth_is_looked_for() -> (
    None
):
    started = time.process_time()
    fault = refusal(b"[" * (32 * MIB))
    assert "more than 2,000,000 values" in fault.message
    assert time.process_time() - started < 3  # a tenth of what finding the depth would take


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner)
    ),
    max_leaves=20,
)


@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_whatever_json_can_say_is_read_back_by_both_ways(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert decode(data, JsonOptions()) == value
    assert decode(PADDING + data, JsonOptions()) == value


def strictly(data: bytes) -> Any:
    """Read with every rule checked by a hook in the standard library: slow and obvious."""

    def number(text: str) -> float:
        if math.isinf(float(text)):
            raise ValueError(text)
        return float(text)

    def refuse(text: str) -> Any:
        raise ValueError(text)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError(pairs)
        return dict(pairs)

    value = json.loads(
        data.decode(), parse_float=number, parse_constant=refuse, object_pairs_hook=unique
    )
    json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be encoded
    return value


fragments = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"', "\\", "\\u", "d800", "\\udc00", "1",
         "-", "e", "9e999", ".5", "NaN", "null", " ", "\n", '\\"', "\\\\", '"\\ud83d\\ude00"', "é"]
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=1000)
@given(fragments)
def test_garbage_is_refused_exactly_when_the_obvious_reader_refuses_it(parts: list[str]) -> None:
    data = "".join(parts).encode()
    try:
        expected = strictly(data)
    except ValueError:
        for document in (data, PADDING + data):
            fault = refusal(document)
            assert fault.line is not None, fault
            assert fault.column is not None
    else:
        assert decode(data, JsonOptions()) == expected
        assert decode(PADDING + data, JsonOptions()) == expected


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_fault(data: bytes) -> None:
    with suppress(InvalidJsonError):
        decode(data, JsonOptions())
