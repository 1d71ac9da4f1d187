import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_prechecks.names import is_clutter, parse, show


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("report.md", "report.md"),
        ("日本語 報告.md", "日本語 報告.md"),
        ("a\nb", r"a\nb"),
        ("a\tb\r", r"a\tb\r"),
        ("back\\slash", r"back\\slash"),
        (os.fsdecode(b"caf\xe9"), r"caf\xe9"),
        ("\x1b[31mred", r"\u001b[31mred"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("tag\U000e0041", r"tag\U000e0041"),
    ],
)
def test_a_name_is_shown_printable_and_parsed_back(name: str, shown: str) -> None:
    assert show(name) == shown
    assert parse(shown) == name


@given(st.binary(max_size=60))
def test_every_file_name_survives_showing_and_parsing(raw: bytes) -> None:
    name = os.fsdecode(raw)
    assert parse(show(name)) == name


@given(st.text(max_size=40))
def test_what_is_shown_never_holds_a_control_or_a_hidden_character(text: str) -> None:
    categories = {unicodedata.category(character) for character in show(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("component", "clutter"),
    [
        ("__MACOSX", True),
        ("._report.md", True),
        (".DS_Store", True),
        ("Thumbs.db", True),
        (".hidden", False),
        ("thumbs.db", False),
        ("_report.md", False),
    ],
)
def test_what_operating_systems_leave_behind_is_clutter(component: str, *, clutter: bool) -> None:
    assert is_clutter(component) is clutter
