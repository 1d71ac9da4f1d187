"""Python of a rule's author is read and never run."""

import re
import sys
from pathlib import Path

import pytest

from judge_bundles.limits import MAX_MODULE_BYTES
from judge_bundles.rules.arguments import Argument, Declared
from judge_bundles.rules.python_function import find_function
from judge_bundles.rules.python_module import find_module
from judge_bundles.rules.python_text import (
    check_body,
    check_condition,
    parsed,
    undefined_names,
)
from tests.support.judge_rules import load_judges, problems
from tests.support.rule_files import write

NEVER = "never returns a value: end it with `return value, rationale`"
YIELDS = "yields, where it has to return: end it with `return value, rationale`"


@pytest.mark.parametrize(
    "text",
    [
        "return 1",
        "for a in []:\n    return a, 'x'",
        "if 1:\n    pass\nelse:\n    return True",
        "x = '\\d'\nreturn x",
        "def helper():\n    yield 1\nreturn list(helper())",
        "return [x for x in outputs]",
        "import re\nreturn bool(re)",
        "return lambda: (yield)",
        "with x as y:\n\treturn y",
    ],
)
def test_a_body_that_returns_is_one(text: str) -> None:
    check_body(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", NEVER),
        ("return", NEVER),
        ("def f():\n    return 1", NEVER),
        ("class A:\n    x = 1", NEVER),
        ("f = lambda: 1", NEVER),
        ("# only a comment", "holds no statement: end it with `return value, rationale`"),
        ("yield 1\nreturn 2", YIELDS),
        ("return (yield from [])", YIELDS),
        ("return 1\n  x", "line 2: "),
        (" return 1", "line 1: "),
        ("x\nreturn 1 2", "line 2: "),
        ("continue\nreturn 1", "line 1: "),
        ("await x\nreturn 1", "line 1: "),
        ("from os import *\nreturn 1", "line 1: "),
        ("global outputs\nreturn 1", "line 1: "),
        ("return " + "-" * 100_000 + "1", "is no Python: it holds a NUL, or is nested too deeply"),
        ("return " + "(" * 300 + "1" + ")" * 300, "line 1: "),
    ],
)
def test_a_body_that_cannot_be_one_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        check_body(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("return outputs, arguments, len, print", []),
        ("return output", ["output"]),
        ("x = 1\nfor y in []: pass\nreturn x, y", []),
        ("def f(a):\n    return a, foo\nreturn f", ["foo"]),
        ("class A:\n    b = bar\nreturn A", ["bar"]),
        ("return [a for a in outputs], (lambda c: c + d)", ["d"]),
        ("import os.path as p\nfrom sys import argv\nreturn p, argv", []),
        ("try:\n    pass\nexcept OSError as error:\n    return error\nreturn err", ["err"]),
        ("global g\ng = 1\nreturn g", []),
        ('x = """a\nb"""\nreturn x, y', ["y"]),
        ("match outputs:\n    case {'a': b}:\n        return b, __name__", []),
    ],
)
def test_names_that_nothing_defines_are_found(text: str, names: list[str]) -> None:
    check_body(text)
    assert undefined_names(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "annotations.get('category') == 'navigation'",
        "  outputs['exit_code'] == 0\n",
        "any('x' in name for name in outputs['files'])",
        "(n := len(outputs)) and n > 1",
        "sorted(outputs, key=lambda one: one)",
        "True",
    ],
)
def test_a_condition_is_one_expression(text: str) -> None:
    check_condition(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "is no Python expression: "),
        ("return True", "is no Python expression: "),
        ("annotations\noutputs", "is no Python expression: "),
        ("(yield)", "is no Python expression: "),
        ("category == 'x'", "the name `category` is not defined: known are `annotations`, `outputs`"),
        ("arguments", "the name `arguments` is not defined: known are `annotations`, `outputs`"),
        ("(lambda a: a + b)(1)", "the name `b` is not defined: known are `annotations`, `outputs`"),
        ("-" * 100_000 + "1", "is no Python expression: it holds a NUL, or is too deep"),
    ],
)  # fmt: skip
def test_a_condition_that_cannot_be_one_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        check_condition(text)


def found(text: str, *, by_name: bool = False) -> Declared:
    return find_function(parsed(text), "judge", text, by_name=by_name)


@pytest.mark.parametrize(
    "text",
    [
        "from x import judge",
        "from x import check as judge",
        "from x import *",
        "import judge",
        "judge = make()",
        "judge: object = make()",
        "a, judge = make()",
        "class judge: ...",
        "judge = lambda outputs: True",
        "@decorated\ndef judge(): ...",
        "def __getattr__(name): ...",
        "def judge(outputs, **other): ...",
        "def judge(*given, **other): ...",
        "if True:\n    def judge(outputs, **other): ...",
        "try:\n    from x import judge\nexcept ImportError:\n    judge = None or make()",
    ],
)
def test_a_function_that_only_running_tells_more_of_takes_anything(text: str) -> None:
    assert found(text) == found(text, by_name=True) == Declared((), open=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "defines no function `judge`"),
        ("def f():\n    def judge(outputs): ...", "defines no function `judge`"),
        ("class A:\n    def judge(self, outputs): ...", "defines no function `judge`"),
        ("async def judge(outputs): ...", "`judge` is an `async def`: write a plain `def`"),
        ("judge = 'x'", "`judge` is a value and no function"),
        ("judge = [1]", "`judge` is a value and no function"),
        ("def judge(): ...", "`judge` takes no parameter for the record"),
        ("def judge(*, a=1): ...", "`judge` takes no parameter for the record"),
        ("def judge(outputs, a: int = 'x'): ...", 'the default of `a` must be a whole number, not the text "x"'),
    ],
)  # fmt: skip
def test_a_function_that_cannot_be_a_judge_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        found(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def judge(outputs, a, *, b=1): ...", ["a", "b"]),
        ("def judge(a, *, outputs): ...", ["a"]),
        ("def judge(outputs): ...", []),
    ],
)
def test_called_by_name_a_function_takes_its_other_parameters(text: str, names: list[str]) -> None:
    declared = found(text, by_name=True)
    assert [argument.name for argument in declared.arguments] == names
    assert not declared.open


@pytest.mark.parametrize("text", ["def judge(record): ...", "def judge(outputs, /): ..."])
def test_a_function_that_cannot_be_called_by_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="`judge` takes no parameter `outputs`"):
        found(text, by_name=True)


def test_the_last_definition_counts() -> None:
    text = "def judge(outputs, a=1): ...\ndef judge(outputs, b=1): ..."
    assert [argument.name for argument in found(text).arguments] == ["b"]


def test_parameters_declare_arguments_with_type_default_and_comment() -> None:
    text = """
def judge(
    record,
    first: int,  # needed
    second: "list[str]" = (),
    *,
    third: Literal["a", "b"] = "a",  # one of two
    fourth=LATER,
    fifth: float | None = None,
): ...
"""
    assert found(text).arguments == (
        Argument("first", "int", required=True, help="needed"),
        Argument("second", "'list[str]'", has_default=True, default=[]),
        Argument("third", "Literal['a', 'b']", has_default=True, default="a", help="one of two"),
        Argument("fourth"),
        Argument("fifth", "float | None", has_default=True),
    )


@pytest.mark.parametrize(
    ("annotation", "fits", "past", "words"),
    [
        ("float", [1, 1.5, -2], ["1", True, None], "a number"),
        ("int", [0, 7], [1.5, True, "1"], "a whole number"),
        ("str", ["", "a"], [1, None, ["a"]], "text"),
        ("bool", [True, False], [0, 1, "true"], "true or false"),
        ("list", [[], [1, "a"]], ["a", {}], "a list"),
        ("dict", [{}, {"a": 1}], [[], "a"], "a mapping"),
        ("dict[str, int]", [{}], [[]], "a mapping"),
        ("list[str]", [[], ["a"]], [["a", 1], "a"], "a list, each item text"),
        ("list[list[int]]", [[[1]]], [[1]], "a list, each item a list, each item a whole number"),
        ("Literal['a', 1]", ["a", 1], ["b", True, 1.0], "one of `a`, `1`"),
        ("typing.Literal['a']", ["a"], ["b"], "one of `a`"),
        ("int | None", [1, None], ["a"], "a whole number or null"),
        ("'int | str'", [1, "a"], [None], "a whole number or text"),
    ],
)  # fmt: skip
def test_a_value_fits_its_type_or_is_refused_in_words(
    annotation: str, fits: list[object], past: list[object], words: str
) -> None:
    (argument,) = found(f"def judge(outputs, a: {annotation}): ...").arguments
    assert [argument.problem(value) for value in fits] == [None] * len(fits)
    for value in past:
        message = argument.problem(value)
        assert message is not None
        assert message.startswith(f"must be {words}, not ")


@pytest.mark.parametrize("annotation", ["Path", "Any", "object", "'not a type('", "1 + 1"])
def test_a_type_that_is_not_understood_takes_anything(annotation: str) -> None:
    (argument,) = found(f"def judge(outputs, a: {annotation}): ...").arguments
    values: tuple[object, ...] = (None, 1, "a", [], {})
    assert [argument.problem(value) for value in values] == [None] * 5


def test_a_module_is_found_and_read_and_neither_it_nor_its_packages_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    run = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
    write(tmp_path, "outer/__init__.py", run)
    write(tmp_path, "outer/inner/deep.py", f"{run}def check(outputs): ...")
    entry = {"name": "a", "module": "outer.inner.deep", "function": "check"}
    assert len(load_judges(tmp_path, entry).judges) == 1
    assert not mark.exists()
    assert not [name for name in sys.modules if name.startswith("outer")]
    assert str(tmp_path) not in sys.path


def test_a_module_of_the_project_root_hides_others_of_its_name(tmp_path: Path) -> None:
    assert find_module("json.decoder", tmp_path).file == Path(
        sys.modules["json.decoder"].__file__ or ""
    )
    write(tmp_path, "json/__init__.py", "")
    write(tmp_path, "json/decoder.py", "mine = 1")
    assert find_module("json.decoder", tmp_path).text == "mine = 1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "there is no module `none` in the project root {root} or on the import path. Use --project-root to say where it is"),
        ("a.none", "there is no module `a.none` in the project root {root} or on the import path. Use --project-root to say where it is"),
        ("b.c", "there is no module `b.c` in the project root {root} or on the import path. `b` is no package there. Use --project-root to say where it is"),
        ("sys", "there is no module `sys` in the project root {root} or on the import path. Use --project-root to say where it is"),
        ("a", "`a` is a folder without `__init__.py`, which holds no function"),
        ("latin", "{root}/latin.py: not UTF-8 (byte 0xe9): save it as UTF-8"),
        ("large", f"{{root}}/large.py: larger than {MAX_MODULE_BYTES} bytes: make it shorter"),
        ("compiled", "{root}/compiled.pyc is no Python source: a judge has to be readable"),
    ],
)  # fmt: skip
def test_a_module_that_cannot_be_had_is_refused(tmp_path: Path, name: str, message: str) -> None:
    write(tmp_path, "a/x.py", "")
    write(tmp_path, "b.py", "")
    write(tmp_path, "latin.py", b"# \xe9")
    write(tmp_path, "large.py", b"#" * (MAX_MODULE_BYTES + 1))
    write(tmp_path, "compiled.pyc", b"")
    with pytest.raises(ValueError, match=f"^{re.escape(message.format(root=tmp_path))}"):
        find_module(name, tmp_path)


def test_a_module_is_read_up_to_its_size(tmp_path: Path) -> None:
    write(tmp_path, "large.py", b"#" * MAX_MODULE_BYTES)
    assert len(find_module("large", tmp_path).text) == MAX_MODULE_BYTES


def test_a_module_that_is_no_python_is_refused_with_file_and_line(tmp_path: Path) -> None:
    write(tmp_path, "own.py", "x = 1\ndef check(:\n")
    (line,) = problems(tmp_path, {"name": "a", "module": "own", "function": "check"})
    assert line.startswith("judges[0].function: own.py: line 2: ")
