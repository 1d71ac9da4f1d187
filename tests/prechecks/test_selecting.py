from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpath_ng.ext.parser import parse

from judge_prechecks.limits import MAX_PATH_CHARACTERS
from judge_prechecks.selecting import Selector

DOCUMENT: dict[str, Any] = {
    "summary": {"findings_count": 2, "phase-1": "done", "@id": "x"},
    "findings": [
        {"id": 1, "file": "a.py", "tags": ["x", "y"], "severity": "HIGH"},
        {"id": 2, "file": None, "tags": [], "severity": "LOW"},
    ],
    "a.b": "literal",
    "a": {"b": "walked", "c": [10, 20, 30]},
    "0": "zero",
    "日本": {"語": 1},
    "with space": 5,
}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("summary.findings_count", [2]),
        ("$.summary.findings_count", [2]),
        ("summary.phase-1", ["done"]),
        ("summary.@id", ["x"]),
        ("findings[0].file", ["a.py"]),
        ("findings[-1].id", [2]),
        ("findings[2]", []),
        ("findings[-3]", []),
        ("findings[1].file", [None]),
        ("findings[*].id", [1, 2]),
        ("$.findings[*].tags[*]", ["x", "y"]),
        ("findings.*.id", [1, 2]),
        ("summary.*", [2, "done", "x"]),
        ("summary[*]", [2, "done", "x"]),
        ("findings.id", []),
        ("findings.0", []),
        ("0", ["zero"]),
        ("日本.語", [1]),
        ("missing", []),
        ("summary.findings_count.real", []),
        ("summary.__class__", []),
        ("summary.keys", []),
        ("a.c[1]", [20]),
        # through jsonpath-ng
        ("['with space']", [5]),
        ("$['a']['b']", ["walked"]),
        ("findings[?(@.severity == 'HIGH')].id", [1]),
        ("findings[?(@.severity =~ '^L')].id", [2]),
        ("$..id", [1, 2]),
        ("a.c[1:]", [20, 30]),
        ("findings.`len`", [2]),
        ("(summary.findings_count) | (a.b)", [2, "walked"]),
    ],
)
def test_a_text_selects_these_values(text: str, selected: list[Any]) -> None:
    assert list(Selector.compile(text).find(DOCUMENT)) == selected


@pytest.mark.parametrize("text", ["$", ""])
@pytest.mark.parametrize("document", [DOCUMENT, [1, 2], None, "x", 0])
def test_the_document_itself_can_be_selected(text: str, document: Any) -> None:
    assert list(Selector.compile(text).find(document)) == [document]


def test_a_literal_key_with_the_dots_wins_over_the_walk() -> None:
    assert list(Selector.compile("a.b").find(DOCUMENT)) == ["literal"]
    assert list(Selector.compile("a.b").find({"a": {"b": "walked"}})) == ["walked"]
    assert list(Selector.compile("$.a.b").find(DOCUMENT)) == ["walked"]
    assert list(Selector.compile("a.b").find({"a.b": None, "a": {"b": 1}})) == [None]


@pytest.mark.parametrize(
    ("text", "multiple"),
    [
        ("a.b", False),
        ("a[0]", False),
        ("", False),
        ("['x y']", False),
        ("a.`len`", False),
        ("a[*]", True),
        ("a.*", True),
        ("a[1:2]", True),
        ("a[0,1]", True),
        ("a[?(@.x)]", True),
        ("a[?(@.x)].y", True),
        ("$..x", True),
        ("a | b", True),
    ],
)
def test_it_is_known_which_texts_can_select_several_values(text: str, *, multiple: bool) -> None:
    assert Selector.compile(text).multiple is multiple


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("findings[*].id", "findings", [DOCUMENT["findings"]]),
        ("[*]", "$", [DOCUMENT]),
        ("nothing[*]", "nothing", []),
        ("findings[?(@.id == 9)].file", "findings", [DOCUMENT["findings"]]),
        ("nothing[?(@.id == 9)].file", "nothing", []),
        ("a.c[5:]", "a.c", [[10, 20, 30]]),
        ("findings..nothing", "findings", [DOCUMENT["findings"]]),
    ],
)
def test_it_is_known_what_a_multiple_text_chooses_from(
    text: str, path: str, values: list[Any]
) -> None:
    containers = Selector.compile(text).containers(DOCUMENT)
    assert containers is not None
    assert (containers[0], list(containers[1])) == (path, values)


def test_a_union_chooses_from_nothing_in_particular() -> None:
    assert Selector.compile("a | b").containers(DOCUMENT) is None


@pytest.mark.parametrize(
    "text",
    [
        "a b",
        "a..",
        ".a",
        "..a",
        "a...b",
        "[",
        "a[",
        "a[x",
        "$a",
        "a[?(",
        "'",
        "a.`nonsense`",
        "é\u0301 x",
        " ",
    ],
)
def test_a_text_that_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a JSONPath"):
        Selector.compile(text)


def test_a_key_of_other_characters_is_hinted_at() -> None:
    with pytest.raises(ValueError, match=r"\['like this'\]"):
        Selector.compile("with space")


def test_the_length_of_a_text_is_limited() -> None:
    assert Selector.compile("x" * MAX_PATH_CHARACTERS).key
    with pytest.raises(ValueError, match="longer than 1,000"):
        Selector.compile("x" * (MAX_PATH_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("x.`len`", {"x": 1}),
        ("x.`sub(/a/, b)`", {"x": 1}),
        ("`parent`", {"x": 1}),
        ("$.x + $.y", {"x": 1, "y": []}),
        ("a & b", {"a": 1, "b": 1}),
        (r"x[\y]", {"x": [{"y": 1}, {"y": "z"}]}),
    ],
)
def test_a_jsonpath_that_does_not_fit_raises_one_kind_of_error(text: str, document: Any) -> None:
    selector = Selector.compile(text)
    try:
        selector.find(document)
    except ValueError as error:
        refused = str(error)
    else:
        refused = ""
    assert "\n" not in refused


names = st.sampled_from(["a", "b", "c_1", "x-y", "@id", "_", "null", "true"])
steps = st.one_of(
    names.map(lambda name: f".{name}"),
    st.integers(-3, 3).map(lambda index: f"[{index}]"),
    st.sampled_from(["[*]", ".*", "..*"]),
    names.map(lambda name: f"..{name}"),
)
documents = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", "a", "text"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=500)
@given(st.lists(steps, max_size=5), documents, st.booleans())
def test_the_fast_way_selects_what_jsonpath_ng_selects(
    parts: list[str], document: Any, rooted: bool
) -> None:
    text = "".join(parts)
    text = f"${text}" if rooted or text.startswith("..") else text.removeprefix(".")
    selector = Selector.compile(text)
    assert selector.steps is not None, "the point of the test is the fast way"
    expected = [match.value for match in parse(text or "$").find(document)]
    assert list(selector.find(document)) == expected


def nested(levels: int) -> Any:
    """Return objects in objects, each under the key `a`."""
    document: Any = 1
    for _ in range(levels):
        document = {"a": document}
    return document


def test_what_several_descents_select_in_a_deep_document_ends_at_a_limit() -> None:
    assert len(Selector.compile("$..a").find(nested(190))) == 190
    assert len(Selector.compile("$..a..a").find(nested(190))) == 190 * 189 // 2
    too_many = Selector.compile("$" + "..a" * 5)
    with pytest.raises(ValueError, match="meets more than 5,000,000 values"):
        too_many.find(nested(190))


def test_a_descent_into_many_values_looks_at_all_of_them_once() -> None:
    document = [[0] * 999 for _ in range(2_000)]  # as many values as a document may have
    assert len(Selector.compile("$..*").find(document)) == 2_000_000


@pytest.mark.parametrize(
    ("text", "path"),
    [("$.a..b[*]", "a"), ("$..a", "$"), ("a[0]..*", "a[0]")],
)
def test_a_descent_chooses_from_what_stands_before_it(text: str, path: str) -> None:
    containers = Selector.compile(text).containers({"a": [{"b": 1}]})
    assert containers is not None
    assert containers[0] == path
