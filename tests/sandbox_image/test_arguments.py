"""Host and server check arguments by the same rules and in the same words."""

import json
import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.agent.arguments import refusal
from judge_bundles.agent.tools import TOOLS
from sandbox_image import registry
from sandbox_image.answers import ToolError
from sandbox_image.arguments import Arguments, Flag, Number, Parameter, Text
from sandbox_image.bundle import Bundle
from sandbox_image.limits import MAX_COUNT
from sandbox_image.server import reply
from tests.support.tool_arguments import CALLS, FILES, Call

registry.load()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("arguments")
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def refused_inside(tool: str, arguments: object) -> str | None:
    try:
        Arguments(arguments, registry.TOOLS[tool].arguments)
    except ToolError as error:
        return error.text if error.kind == "bad_input" else error.kind
    return None


def named(call: Call) -> str:
    return f"{call.tool} {ascii(call.arguments)[:60]}"


@pytest.mark.parametrize("call", CALLS, ids=named)
def test_the_host_refuses_in_these_words(call: Call) -> None:
    assert refusal(TOOLS[call.tool].spec, call.arguments) == call.refused


@pytest.mark.parametrize("call", CALLS, ids=named)
def test_the_server_refuses_in_the_same_words(call: Call, bundle: Path) -> None:
    line = json.dumps({"id": 1, "tool": call.tool, "input": call.arguments}).encode()

    with closing(Bundle(os.fspath(bundle))) as opened:
        answer = reply(opened, line)

    if call.refused is None:
        assert answer["error_kind"] != "bad_input", answer["text"]
    else:
        assert (answer["error_kind"], answer["text"]) == ("bad_input", call.refused)


NAMES = sorted({name for tool in registry.TOOLS.values() for name in tool.arguments})
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "\0", "x" * 1000, "x" * 1001, "x" * 2001, "x" * 4096, "x" * 4097])
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=1)
    | st.dictionaries(st.text(max_size=2), st.integers(), max_size=1)
)


@given(
    tool=st.sampled_from(sorted(TOOLS)),
    arguments=st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), VALUES, max_size=5),
)
def test_host_and_server_agree_on_any_arguments(tool: str, arguments: dict[str, Any]) -> None:
    assert refusal(TOOLS[tool].spec, arguments) == refused_inside(tool, arguments)


def as_parameter(rule: Mapping[str, Any], *, required: bool) -> Parameter:
    if rule["type"] == "string":
        return Text(required, rule["maxLength"])
    return Number(rule["minimum"]) if rule["type"] == "integer" else Flag()


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_the_model_is_told_exactly_what_the_server_takes(tool: str) -> None:
    schema = TOOLS[tool].spec.input_schema
    told = {
        name: as_parameter(rule, required=name in schema["required"])
        for name, rule in schema["properties"].items()
    }

    assert told == dict(registry.TOOLS[tool].arguments)
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("given_input", [None, [], "text", 7])
def test_what_is_no_object_is_refused(given_input: object) -> None:
    assert refused_inside("list_files", given_input) == "the input of a tool is an object"


@pytest.mark.parametrize(
    ("count", "taken"),
    [(MAX_COUNT - 1, MAX_COUNT - 1), (MAX_COUNT, MAX_COUNT), (10**300, MAX_COUNT)],
)
def test_a_number_beyond_any_file_counts_as_huge(count: int, taken: int) -> None:
    assert Arguments({"n": count}, {"n": Number(0)}).number("n", 0) == taken


def test_what_is_left_out_has_the_default() -> None:
    arguments = Arguments({"a": None, "b": ""}, {"a": Number(1), "b": Text(), "c": Flag()})

    assert not any(arguments.has(name) for name in "abc")
    assert (arguments.number("a", 5), arguments.text("b", "d"), arguments.flag("c")) == (
        5,
        "d",
        False,
    )
