import pytest

from judge_bundles.agent.tools import MAX_TARGET_CHARACTERS, TOOLS, target
from sandbox_image import registry


def test_the_model_is_told_exactly_the_tools_and_arguments_that_the_server_has() -> None:
    registry.load()
    served = {name: set(tool.arguments) for name, tool in registry.TOOLS.items()}
    told = {name: set(tool.spec.input_schema["properties"]) for name, tool in TOOLS.items()}
    assert told == served


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_files", {}, "."),
        ("list_files", {"path": "src"}, "src"),
        ("read_file", {"path": "a/b.md", "start_line": 3}, "a/b.md"),
        ("search_files", {"pattern": "x|y", "glob": "*.py"}, "x|y in *.py"),
        ("search_files", {"pattern": "x"}, "x in **/*"),
        ("json_query", {"path": "f.json", "query": "a[*].b"}, "a[*].b in f.json"),
        ("json_query", {"path": "f.json"}, "$ in f.json"),
        ("file_info", {"path": "f"}, "f"),
        ("view_media", {"path": "p.png"}, "p.png"),
        ("read_file", {}, "?"),
        ("read_file", {"path": 7}, "?"),
        ("read_file", "text", "?"),
        ("unknown", {"path": "x"}, "?"),
    ],
)
def test_the_target_of_a_look_is_what_it_looks_at(
    tool: str, arguments: object, expected: str
) -> None:
    assert target(tool, arguments) == expected


@pytest.mark.parametrize(
    ("length", "cut"), [(MAX_TARGET_CHARACTERS, False), (MAX_TARGET_CHARACTERS + 1, True)]
)
def test_a_target_is_bounded(length: int, cut: bool) -> None:
    shown = target("read_file", {"path": "x" * length})
    assert len(shown) <= MAX_TARGET_CHARACTERS
    assert shown.endswith("…") is cut
