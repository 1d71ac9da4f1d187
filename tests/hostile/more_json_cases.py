"""JSON that a parser, a counter or a reader of messages may choke on."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from judge_bundles.limits import MIB
from tests.hostile.more_cases import END, GOOD, Ground, Outcome, add

# One file `x.json` beside the good ones.
DOCUMENTS: Final[dict[str, tuple[bytes, Outcome, str]]] = {
    "100_000_arrays": (b"[" * 100_000 + b"]" * 100_000, "fails", "nested deeper than 200"),
    "100_000_objects": (b'{"a":' * 100_000, "fails", "x.json: line 1"),
    "200_levels": (b"[" * 200 + b"]" * 200, "taken", "x.json"),
    "201_levels": (b"[" * 201 + b"]" * 201, "fails", "nested deeper than 200"),
    "4_000_digits": (b"9" * 4_000, "taken", "x.json"),
    "4_001_digits": (b"-" + b"9" * 4_001, "fails", "whole number of 4,001 digits"),
    "lone_high_surrogate": (b'"\\ud800"', "fails", "\\ud800"),
    "lone_low_surrogate": (b'"a\\uDC00"', "fails", "\\uDC00"),
    "surrogates_in_wrong_order": (b'"\\udc00\\ud800"', "fails", "half of a character"),
    "surrogate_behind_backslash": (b'"\\\\ud800"', "taken", "x.json"),
    "surrogate_in_a_key": (b'{"\\ud800": 1}', "fails", "half of a character"),
    "surrogate_encoded": (b'"\xed\xa0\x80"', "fails", "is not UTF-8"),
    "1e999": (b"[1e999]", "fails", "beyond the range of a double"),
    "minus_1e999": (b"-1E+999", "fails", "beyond the range of a double"),
    "1e_minus_999": (b"1e-999", "taken", "x.json"),
    "minus_zero": (b"[-0, -0.0]", "taken", "x.json"),
    "nan": (b"[NaN]", "fails", "NaN is not JSON"),
    "minus_infinity": (b"-Infinity", "fails", "-Infinity is not JSON"),
    "plus_sign": (b"+1", "fails", "x.json: line 1 column 1"),
    "leading_zero": (b"01", "fails", "x.json: line 1 column 2"),
    "keys_twice": (b'{"a": {"b": 1, "b": 2}}', "fails", 'the key "b" stands twice'),
    "keys_twice_by_an_escape": (b'{"a": 1, "\\u0061": 2}', "fails", 'the key "a" stands twice'),
    "keys_of_many_kinds": (
        b'{"": 1, "a.b": 1, "a[0]": 1, "$": 1, "..": 1, "__class__": 1, "\\u0000": 1, "\\u202e": 1}',
        "taken",
        "x.json",
    ),
    "byte_order_mark": (b"\xef\xbb\xbf{}", "taken", "x.json"),
    "byte_order_mark_twice": (b"\xef\xbb\xbf" * 2 + b"{}", "fails", "x.json: line 1 column 1"),
    "utf_16": ('{"a": 1}'.encode("utf-16"), "fails", "UTF-16"),
    "utf_16_without_mark": ('{"a": 1}'.encode("utf-16-le"), "fails", "UTF-16"),
    "utf_32": ('{"a": 1}'.encode("utf-32-be"), "fails", "UTF-32"),
    "latin_1": ('{"a": "é"}'.encode("latin-1"), "fails", "byte 0xe9 is not UTF-8"),
    "nul_behind": (b"{}\0", "fails", "x.json: line 1 column 3"),
    "nul_in_text": (b'"a\0b"', "fails", "x.json: line 1"),
    "escape_in_text": (b'"a\x1b[2Jb"', "fails", "x.json: line 1"),
    "empty": (b"", "fails", "the document is empty"),
    "blank": (b" \n\t ", "fails", "the document is empty"),
    "two_documents": (b"{}{}", "fails", "after the end of the document"),
    "comment": (b"{} // done", "fails", "after the end of the document"),
    "single_quotes": (b"{'a': 1}", "fails", "double quotes"),
    "comma_behind": (b"[1,]", "fails", "comma stands before"),
    "markup": (b"</script><!--", "fails", "a value is expected"),
}
# Large ones are made when they are written.
LARGE: Final[dict[str, tuple[Callable[[], bytes], Outcome, str]]] = {
    "a_million_digits": (lambda: b"[1, " + b"9" * 1_000_000 + b"]", "fails", "1,000,000 digits"),
    "a_fraction_of_a_million_digits": (lambda: b"0." + b"9" * 1_000_000, "taken", "x.json"),
    "exponent_of_a_million_digits": (lambda: b"1e" + b"9" * 1_000_000, "fails", "beyond the range"),
    "28_megabytes_of_objects": (
        lambda: b"[" + b"{}," * (28 * MIB // 3) + b"{}]",
        "fails",
        "more than 2,000,000 values",
    ),
    "a_million_empty_arrays": (lambda: b"[" + b"[]," * 990_000 + b"[]]", "taken", "x.json"),
    "a_text_of_ten_megabytes": (lambda: b'"' + b"a" * (10 * MIB) + b'"', "taken", "x.json"),
    "a_key_of_ten_megabytes_twice": (
        lambda: b'{"' + b"k" * (10 * MIB) + b'":1,"' + b"k" * (10 * MIB) + b'":2}',
        "fails",
        "stands twice",
    ),
    "megabytes_of_quotes": (lambda: b'"' * (8 * MIB), "fails", "after the end of the document"),
    "megabytes_of_escapes": (
        lambda: b'"' + b"\\u0041" * MIB + b'\\ud800"',
        "fails",
        "half of a character",
    ),
    "megabytes_of_lines": (lambda: b"\n" * (8 * MIB) + b"x", "fails", "line 8,388,609 column 1"),
    "megabytes_of_backslashes": (lambda: b'"' + b"\\" * (8 * MIB), "fails", "x.json: line 1"),
    "megabytes_of_minus": (lambda: b"-" * (8 * MIB), "fails", "a value is expected"),
}


def document(make: Callable[[], bytes], ground: Ground, name: str) -> Path:
    return ground.folder(name, {"x.json": make()})


for _name, (_data, _outcome, _says) in DOCUMENTS.items():
    add(f"json_{_name}", _outcome, _says, partial(document, partial(bytes, _data)))
for _name, (_make, _outcome, _says) in LARGE.items():
    add(f"json_{_name}", _outcome, _says, partial(document, _make))


def findings(*items: object) -> bytes:
    """Return a document of findings."""
    return json.dumps({"findings": items}).encode()


def state(phases: object, count: object) -> bytes:
    """Return a document of the state of a run."""
    return json.dumps({"phases": phases, "summary": {"findings_count": count}}).encode()


DONE: Final = {"scan": "completed"}
# Files instead of the good ones.
INSTEAD: Final[dict[str, tuple[dict[str, bytes], Outcome, str]]] = {
    "count_is_true": ({"state.json": state(DONE, True)}, "fails", "true"),
    "count_is_text": ({"state.json": state(DONE, "1")}, "fails", "text never equals a number"),
    "count_is_a_fraction": ({"state.json": state(DONE, 1.0)}, "taken", "state.json"),
    "count_is_almost_one": ({"state.json": state(DONE, 1 + 1e-15)}, "fails", "left is 1.0000"),
    "count_is_null": ({"state.json": state(DONE, None)}, "fails", "is null"),
    "count_is_huge": ({"state.json": state(DONE, 10**3_999)}, "fails", "(4,000 digits)"),
    "count_is_an_array": ({"state.json": state(DONE, [1])}, "fails", "len counts it"),
    "count_is_missing": ({"state.json": b'{"phases": {}}'}, "fails", "findings_count is missing"),
    "phases_are_an_array": ({"state.json": state(["completed"], 1)}, "fails", "not an object"),
    "phase_is_true": ({"state.json": state({"a": True}, 1)}, "fails", "1 of 1 value is not"),
    "phase_in_other_letters": (
        {"state.json": state({"a": "Completed"}, 1)},
        "fails",
        "not allowed",
    ),
    "phase_with_a_space": ({"state.json": state({"a": "completed "}, 1)}, "fails", "not allowed"),
    "phase_named_by_commands": (
        {"state.json": state({"\x1b[2J\n::error::\u202e": "x"}, 1)},
        "fails",
        "not allowed",
    ),
    "finding_of_blanks": (
        {"findings.json": findings({"affected_file": "\u200b\u3164\u00a0"})},
        "fails",
        "item 0 has nothing",
    ),
    "finding_is_zero": (
        {"findings.json": findings({"affected_file": 0})},
        "taken",
        "findings.json",
    ),
    "finding_is_null": ({"findings.json": findings(None)}, "fails", "item 0 is null"),
    "report_of_nothing_but_the_end": ({"report.md": END.encode()}, "fails", "no visible character"),
    "report_with_text_behind": (
        {"report.md": GOOD["report.md"] + b"."},
        "fails",
        "does not end with",
    ),
    "state_twice": ({"other/state.json": GOOD["state.json"]}, "taken", "other/state.json"),
}
LARGE_INSTEAD: Final[dict[str, tuple[Callable[[], dict[str, bytes]], Outcome, str]]] = {
    "100_000_phases": (
        lambda: {"state.json": state({f"p{n}": n for n in range(100_000)}, 1)},
        "fails",
        "100,000 of 100,000 values are not allowed",
    ),
    "100_000_empty_findings": (
        lambda: {
            "findings.json": findings(*[{}] * 100_000),
            "state.json": state(DONE, 100_000),
        },
        "fails",
        "100,000 of 100,000 items",
    ),
    "report_of_invisible_text": (
        lambda: {"report.md": "\u2800\u00a0\u200b".encode() * 200_000 + END.encode()},
        "fails",
        "no visible character",
    ),
    "report_with_megabytes_behind": (
        lambda: {"report.md": GOOD["report.md"] + b"\n" * (20 * MIB)},
        "fails",
        "nothing before that was read",
    ),
    "2_000_broken_files": (
        lambda: {f"b/{number}.json": b"{" for number in range(2_000)},
        "fails",
        "2,000 of 2,002 files are not valid JSON",
    ),
}


def instead(make: Callable[[], dict[str, bytes]], ground: Ground, name: str) -> Path:
    return ground.folder(name, make())


for _name, (_files, _outcome, _says) in INSTEAD.items():
    add(f"gate_{_name}", _outcome, _says, partial(instead, partial(dict, _files)))
for _name, (_make_files, _outcome, _says) in LARGE_INSTEAD.items():
    add(f"gate_{_name}", _outcome, _says, partial(instead, _make_files))
