"""The tool server's copy of the printable form is the host's, character for character."""

import os

from hypothesis import given
from hypothesis import strategies as st

import judge_prechecks.names as host_names
from sandbox_image import names
from sandbox_image.limits import MAX_NAME_CHARACTERS

NAMES = st.one_of(st.binary(max_size=40).map(os.fsdecode), st.text(max_size=40))


@given(NAMES)
def test_both_sides_show_the_same(name: str) -> None:
    assert names.show(name) == host_names.show(name)


@given(st.one_of(NAMES, st.text(alphabet="\\xnrtuU0123456789abcdef", max_size=30)))
def test_both_sides_parse_the_same(shown: str) -> None:
    assert names.parse(shown) == host_names.parse(shown)


@given(st.binary(max_size=40).map(os.fsdecode))
def test_a_name_is_got_back_from_its_printable_form(name: str) -> None:
    assert names.parse(names.show(name)) == name


def test_a_long_name_is_cut_in_sentences_only() -> None:
    assert names.brief("x" * MAX_NAME_CHARACTERS) == "x" * MAX_NAME_CHARACTERS
    cut = names.brief("x" * (MAX_NAME_CHARACTERS + 1))
    assert len(cut) == MAX_NAME_CHARACTERS
    assert cut.endswith("…")
