"""A query leads to values with the place of each, or says where it led nowhere."""

from typing import Any

import pytest

from sandbox_image.answers import ToolError
from sandbox_image.json_path import walk

DOCUMENT: dict[str, Any] = {
    "findings": [{"s": "high", "files": ["a", "b"]}, {"s": "low", "files": []}],
    "a.b": 1,
    "with space": {"x-y": None},
    "": {"": 0},
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("findings[0].s", {"$.findings[0].s": "high"}),
        ("$.findings[0].s", {"$.findings[0].s": "high"}),
        ("findings[-1].s", {"$.findings[1].s": "low"}),
        ("findings[*].s", {"$.findings[0].s": "high", "$.findings[1].s": "low"}),
        ("findings.*.s", None),
        ("findings[*].files[*]", {"$.findings[0].files[0]": "a", "$.findings[0].files[1]": "b"}),
        ("a.b", {"$['a.b']": 1}),
        ("['a.b']", {"$['a.b']": 1}),
        ('["with space"]["x-y"]', {"$['with space'].x-y": None}),
        ("with space.x-y", {"$['with space'].x-y": None}),
        ("findings[0][*]", {"$.findings[0].s": "high", "$.findings[0].files": ["a", "b"]}),
        ("$", {"$": DOCUMENT}),
        ("", {"$['']": {"": 0}}),
    ],
)
def test_a_query_leads_to_values(query: str, found: dict[str, Any] | None) -> None:
    result = walk(DOCUMENT, query)

    if found is None:
        found = {"$.findings[0].s": "high", "$.findings[1].s": "low"}
    assert {place.where: place.value for place in result.found} == found
    assert result.missing == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("nothing", "$ has no key 'nothing'"),
        ("findings.s", "$.findings is an array of 2, not an object; [*] goes through its items"),
        ("findings[2]", "$.findings has 2 items, none at [2]"),
        ("findings[-3]", "none at [-3]"),
        ("findings[0].s[0]", "$.findings[0].s is a string, not an array"),
        ("findings[0].s[*]", "is a string, not an array or object"),
        ("findings[0].s.x", "is a string, not an object"),
    ],
)
def test_a_query_that_leads_nowhere_says_where_and_why(query: str, said: str) -> None:
    result = walk(DOCUMENT, query)

    assert result.found == []
    assert result.missing_total == 1
    assert said in result.missing[0]


@pytest.mark.parametrize("query", ["a[", "a]", "[x]", "a..b", ".", "a[1", "[99999999999]", "a[*"])
def test_what_is_no_query_is_refused(query: str) -> None:
    with pytest.raises(ToolError) as raised:
        walk(DOCUMENT, query)
    assert raised.value.kind == "bad_input"


def test_a_query_from_which_values_explode_is_refused() -> None:
    document = [[0] * 1001 for _ in range(1000)]

    with pytest.raises(ToolError) as raised:
        walk(document, "[*][*]")

    assert raised.value.kind == "too_large"
    assert len(walk([[0] * 1000] * 1000, "[*][*]").found) == 1_000_000
