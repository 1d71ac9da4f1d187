import csv
import io
import json
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles import escape
from judge_bundles.limits import MAX_STACKED_MARKS

ANYTHING = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[31mPASS", "\\u001b[2J\\u001b[31mPASS"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("rtl\u202etxt.exe", "rtl\\u202etxt.exe"),
        ("\x9b31m", "\\u009b31m"),
        ("bad\udcff", "bad\\xff"),
        ("a\\b", "a\\b"),
        ("日本語 émoji 🎉", "日本語 émoji 🎉"),
        ("::error::x", "· ::error::x"),
        (" ::error::x", " · ::error::x"),
        ("    ::error::x", "  · ::error::x"),
        ("\u3000::error::x", "\u3000· ::error::x"),
        ("\ufe0f:\ufe0f:error::x", "\ufe0f· :\ufe0f:error::x"),
        ("  ##vso[task.x]", "  ##vso·[task.x]"),
        ("##[group]x", "##·[group]x"),
        ("a ##[add-path]x", "a ##·[add-path]x"),
        ("a ##VSO[task.x] ##teamcity[x]", "a ##VSO·[task.x] ##teamcity·[x]"),
        ("###[x] #\ufe0f#[x]", "###·[x] #\ufe0f#·[x]"),
        ("a ::b", "a ::b"),
        ("## heading [1]", "## heading [1]"),
        ("\u2028x", "\\u2028x"),
        ("zero\u200bwidth\u2060\ufeff", "zero\\u200bwidth\\u2060\\ufeff"),
        ("a\u034fb\u3164c\U000e0101", "a\\u034fb\\u3164c\\U000e0101"),
        ("tag\U000e0041", "tag\\U000e0041"),
        (
            "❤\ufe0f 1\ufe0f\u20e3 e\u0301 ห\u0e47\u0e49",
            "❤\ufe0f 1\ufe0f\u20e3 e\u0301 ห\u0e47\u0e49",
        ),
        (
            "\x1b]8;;http://x\x07link\x1b]8;;\x07",
            "\\u001b]8;;http://x\\u0007link\\u001b]8;;\\u0007",
        ),
        ("section_start:1:a\r\x1b[0Khead", "section_start:1:a\\r\\u001b[0Khead"),
        ("::add-mask::x", "· ::add-mask::x"),
        ("::group::x", "· ::group::x"),
        ("##vso[task.setvariable variable=a]b", "##vso·[task.setvariable variable=a]b"),
        ("a\x85::error::b", "a\\u0085::error::b"),
    ],
)
def test_a_line_for_the_terminal_is_harmless_and_readable(hostile: str, shown: str) -> None:
    assert escape.line(hostile) == shown
    assert escape.line(shown) == shown


def test_marks_are_kept_up_to_the_most_a_character_needs_and_written_out_past_it() -> None:
    piled = "a" + "\u0301" * MAX_STACKED_MARKS
    assert escape.line(piled) == piled
    assert escape.line(piled + "\u0301b\u0301") == piled + "\\u0301b\u0301"
    assert escape.block(f"x\n{piled}\u0489") == f"x\n{piled}\\u0489"


def test_a_limit_cuts_with_an_ellipsis_and_only_past_it() -> None:
    assert escape.line("abcde", limit=5) == "abcde"
    assert escape.line("abcdef", limit=5) == "abcd…"


def test_a_block_keeps_its_lines_and_defuses_each() -> None:
    assert escape.block("a\r\n::set-output x\n\tb\x07") == "a\n· ::set-output x\n    b\\u0007"


@given(ANYTHING)
def test_no_text_gets_a_control_character_through(text: str) -> None:
    for shown in (escape.line(text), escape.block(text)):
        hidden = {c for c in shown if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029"}
        assert hidden <= {"\n"}
        shown.encode("utf-8")
    assert "\n" not in escape.line(text)


@given(ANYTHING)
def test_any_text_survives_json_and_xml(text: str) -> None:
    value = escape.json_value({text: [text, {"k": text}]})
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    element = ET.Element("a", {"b": escape.xml(text)})
    element.text = escape.xml(text)
    parsed = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    assert (parsed.text or "").replace("\r\n", "\n").replace("\r", "\n") == escape.xml(
        text
    ).replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("::error::x", "::error::x"),
        ("a\n  ::error::x ##vso[y]", "a\n· ::error::x ##vso·[y]"),
        ("\x00\x0b\x1b[31m\r", "\\u0000\\u000b\\u001b[31m\\u000d"),
        ("\x7f\x85\x9b", "\\u007f\\u0085\\u009b"),
        ("\u202egpj\u2066\u200b\u061c\ufeff", "\\u202egpj\\u2066\\u200b\\u061c\\ufeff"),
        ("\ud800\udfff\ufffe\uffff", "\\ud800\\udfff\\ufffe\\uffff"),
        ("\U000e0041", "\\U000e0041"),
        ("a\tb\nc \xa0é 日本 🎉 ❤\ufe0f", "a\tb\nc \xa0é 日本 🎉 ❤\ufe0f"),
    ],
)
def test_text_for_xml_acts_on_nobody_who_shows_it(text: str, written: str) -> None:
    assert escape.xml(text) == written
    assert escape.xml(written) == written


@given(ANYTHING)
def test_json_for_stdout_is_ascii_says_the_same_and_holds_no_ci_command(text: str) -> None:
    value = {"text": f"##vso[{text}##[{text}"}
    written = escape.json_text(value)
    assert json.loads(written) == escape.json_value(value)
    assert written.isascii()
    assert "##" not in written


def test_numbers_that_json_does_not_have_become_their_names() -> None:
    value = {"a": [float("inf"), float("-inf"), float("nan"), 1.5, True, None]}
    assert json.loads(escape.json_text(value)) == {"a": ["inf", "-inf", "nan", 1.5, True, None]}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "\\u000dx"),
        (" \t\v+1", " \t\\u000b+1"),
        ("\nx", "'\nx"),
        ("  =1", "'  =1"),
        (" \n\t=1", "' \n\t=1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\ufeff=1", "\\ufeff=1"),
        ("\u3000@x", "'\u3000@x"),
        ("x\n::error::y", "x\n· ::error::y"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("  a", "  a"),
        ("", ""),
        ("'=1", "'=1"),
        ("5 - 3", "5 - 3"),
        ("bad\udcff\x00", "bad\\udcff\\u0000"),
    ],
)
def test_a_cell_is_never_a_formula(text: str, cell: str) -> None:
    assert escape.csv_cell(text) == cell


@given(ANYTHING)
def test_any_text_survives_csv_in_one_cell(text: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerow([escape.csv_cell(text), "next"])
    written.getvalue().encode("utf-8")
    (row,) = csv.reader(io.StringIO(written.getvalue(), newline=""))
    assert row == [escape.csv_cell(text), "next"]
    assert row[0].lstrip(" \n\t\r")[:1] not in tuple("=+-@")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def through(*writes: str, stream: io.StringIO | None = None) -> str:
    behind = stream if stream is not None else io.StringIO()
    guard = escape.guarded(lambda: behind)
    for text in writes:
        assert guard.write(text) == len(text)
    guard.flush()
    return behind.getvalue()


@pytest.mark.parametrize(
    ("writes", "passed"),
    [
        (("::error::x\n",), "· ::error::x\n"),
        (("a\n", "::error::x\n"), "a\n· ::error::x\n"),
        (("a ", "::b\n"), "a ::b\n"),
        (("a\n   ", "::b\n"), "a\n   · ::b\n"),
        (("a\r::b\n",), "a\r· ::b\n"),
        (("      ::b\n",), "    · ::b\n"),
        (("a", "\n", "::b"), "a\n· ::b"),
        (("\x1b[2K\x1b[1m ::b\n",), "\x1b[2K\x1b[1m · ::b\n"),
        (("a ##[group]b\n",), "a ##·[group]b\n"),
        (("", "::b"), "· ::b"),
        (("a  \nb  \n  ",), "a\nb\n  "),
    ],
)
def test_no_line_that_passes_the_stream_is_a_ci_command(
    writes: tuple[str, ...], passed: str
) -> None:
    assert through(*writes) == passed


def test_a_terminal_gets_its_blanks() -> None:
    assert through("a  \n", stream=Terminal()) == "a  \n"
    assert through("a  \n") == "a\n"


def test_the_stream_is_looked_up_at_each_write() -> None:
    streams = [io.StringIO(), Terminal()]
    guard = escape.guarded(lambda: streams[-1])
    assert guard.isatty()
    guard.write("a")
    last = streams.pop()
    assert not guard.isatty()
    guard.write("b")
    assert (last.getvalue(), streams[0].getvalue()) == ("a", "b")
