import json
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles import escape


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
        ("  ##vso[task.x]", "  · ##vso[task.x]"),
        ("##[group]x", "· ##[group]x"),
        ("a ::b", "a ::b"),
        ("\u2028x", "\\u2028x"),
    ],
)
def test_a_line_for_the_terminal_is_harmless_and_readable(hostile: str, shown: str) -> None:
    assert escape.line(hostile) == shown


def test_a_limit_cuts_with_an_ellipsis_and_only_past_it() -> None:
    assert escape.line("abcde", limit=5) == "abcde"
    assert escape.line("abcdef", limit=5) == "abcd…"


def test_a_block_keeps_its_lines_and_defuses_each() -> None:
    assert escape.block("a\r\n::set-output x\n\tb\x07") == "a\n· ::set-output x\n    b\\u0007"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_gets_a_control_character_through(text: str) -> None:
    for shown in (escape.line(text), escape.block(text)):
        hidden = {c for c in shown if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029"}
        assert hidden <= {"\n"}
        shown.encode("utf-8")
    assert "\n" not in escape.line(text)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_survives_json_and_xml(text: str) -> None:
    value = escape.json_value({text: [text, {"k": text}]})
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    element = ET.Element("a", {"b": escape.xml(text)})
    element.text = escape.xml(text)
    parsed = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    assert (parsed.text or "").replace("\r\n", "\n").replace("\r", "\n") == escape.xml(
        text
    ).replace("\r\n", "\n").replace("\r", "\n")
