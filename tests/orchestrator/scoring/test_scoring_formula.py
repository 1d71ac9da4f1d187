import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.limits import (
    MAX_FORMULA_CHARACTERS,
    MAX_FORMULA_DEPTH,
    MAX_FORMULA_EXPONENT,
    MAX_ROUND_DIGITS,
)
from judge_bundles.scoring.formula import Formula, FormulaSyntaxError, parse_formula

JUDGES = ("a", "b", "safe", "quality", "my-judge", "if", "min", "judge")


def refused(text: str) -> str:
    with pytest.raises(FormulaSyntaxError) as caught:
        parse_formula(text, JUDGES)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "judges"),
    [
        ("a", {"a"}),
        ("0.5 * a + 0.5 * b", {"a", "b"}),
        ("quality if safe and not a else 0", {"quality", "safe", "a"}),
        ("  \n min(a,\n b)\n", {"a", "b"}),
        ("mean([a, b, 1])", {"a", "b"}),
        ("sum((a, b)) / len(a, b)", {"a", "b"}),
        ("0.2 <= a < b != 1", {"a", "b"}),
        ('judge("my-judge") ** 2', {"my-judge"}),
        ('judge("if") or judge("judge")', {"if", "judge"}),
        ("min(min, judge)", {"min", "judge"}),
        ("quality if quality is not None else 0.5", {"quality"}),
        ('judge("my-judge") is None', {"my-judge"}),
        ("round(a, 2) - abs(-b) % 1 // 1", {"a", "b"}),
        ("a * True", {"a"}),
        ("a ** -0.5", {"a"}),
    ],
)
def test_arithmetic_over_judges_is_a_formula(text: str, judges: set[str]) -> None:
    formula = parse_formula(text, JUDGES)
    assert formula.judges == judges
    assert formula == Formula(text, frozenset(judges), ast.Constant(0))


@pytest.mark.parametrize(
    "text",
    [
        "a.real",
        "a[0]",
        "[a][0]",
        "[a]",
        "(a, b)",
        "{a}",
        "{a: b}",
        "lambda: a",
        "(b := a)",
        "[a for a in b]",
        "f'{a}'",
        "a & b",
        "a | b",
        "a << b",
        "a @ b",
        "~a",
        "a in b",
        "a not in b",
        "a is b",
        "a is True",
        "(a + b) is None",
        "await a",
        "min(*a)",
    ],
)
def test_nothing_else_of_python_is(text: str) -> None:
    message = refused(text)
    assert "holds something else" in message or "None only" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("a +", "cannot be read: invalid syntax"),
        ("a; b", "cannot be read near character"),
        ("a = b", "cannot be read near character"),
        ("import os", "cannot be read near character"),
        ("a\0", "cannot be read"),
        ("a # and \ud800", "cannot be read"),
        ("1 + 1", "names no judge"),
        ("qualty * 2", "names `qualty`, which is no judge: did you mean `quality`?"),
        ("gate * a", "names `gate`, which is no judge"),
        ("a * max", "names `max`, which is no judge: it is a function"),
        ("open(a)", "may call nothing but abs, len, max, mean, min, round, sum"),
        ("__import__('os').system('id')", "may call nothing but"),
        ("a.b()", "may call nothing but"),
        ("min(a, key=b)", "may call nothing but"),
        ("judge(a)", 'takes one name in quotes: `judge("name")`'),
        ('judge("a", "b")', "takes one name in quotes"),
        ('judge("")', "takes one name in quotes"),
        ('judge("gone")', "names `gone`, which is no judge"),
        ("a * 'x'", 'may hold text only as the name in `judge("name")`'),
        ("a * b'x'", "may hold text only"),
        ("a * ...", "may hold text only"),
        ("a + None", "may use None only in `judge is None`"),
        ("a == None", "may use None only"),
        ("a * 1j", "complex, or too large"),
        ("a * 1e999", "complex, or too large"),
        ("a * 1e101", "complex, or too large"),
        ("a * 1" + "0" * 101, "complex, or too large"),
        ("min()", "`min` needs at least one value"),
        ("mean([])", "`mean` needs at least one value"),
        ("abs()", "`abs` takes one value"),
        ("abs(a, b)", "`abs` takes one value"),
        ("round(a, b)", "digits from 0 to 15"),
        ("round(a, 1, 2)", "digits from 0 to 15"),
        ("a ** b", "may only raise to a plain number from -16 to 16"),
        ("2 ** 3 ** a", "may only raise to a plain number"),
        ("a ** (1 + 1)", "may only raise to a plain number"),
    ],
)
def test_a_mistake_is_said_in_one_sentence(text: str, words: str) -> None:
    assert words in refused(text)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("a".ljust(MAX_FORMULA_CHARACTERS), "a".ljust(MAX_FORMULA_CHARACTERS + 1)),
        (f"a ** {MAX_FORMULA_EXPONENT}", f"a ** {MAX_FORMULA_EXPONENT + 1}"),
        (f"a ** -{MAX_FORMULA_EXPONENT}", f"a ** -{MAX_FORMULA_EXPONENT}.5"),
        (f"round(a, {MAX_ROUND_DIGITS})", f"round(a, {MAX_ROUND_DIGITS + 1})"),
        ("round(a, 0)", "round(a, -1)"),
        ("-" * (MAX_FORMULA_DEPTH - 1) + "a", "-" * MAX_FORMULA_DEPTH + "a"),
        (
            "+".join("a" * MAX_FORMULA_DEPTH),
            "+".join("a" * (MAX_FORMULA_DEPTH + 1)),
        ),
    ],
    ids=["length", "exponent", "negative exponent", "digits", "no digits", "depth", "chain"],
)
def test_each_bound_has_an_edge(within: str, beyond: str) -> None:
    assert parse_formula(within, JUDGES).judges == {"a"}
    refused(beyond)


@pytest.mark.parametrize("text", ["(" * 1000, "-" * 1999 + "a", "not " * 400 + "a", "a." * 900])
def test_deep_nesting_is_refused_and_never_a_crash(text: str) -> None:
    refused(text)


def test_odd_spellings_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_formula("1if a else 0", JUDGES).judges == {"a"}
        refused("a * '\\d'")


WORDS = (
    "a b ( ) + - * / % < > = , . [ ] { } : ** if else and not min sum round judge \"if\" 'x' "
    "None is 1 1e9 lambda __class__ :="
)
PIECES = st.sampled_from([*WORDS.split(), "\n"])


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=14).map(" ".join), st.text(max_size=20)))
def test_any_text_is_a_formula_or_a_sentence(text: str) -> None:
    try:
        said = parse_formula(text, JUDGES).judges <= set(JUDGES)
    except FormulaSyntaxError as error:
        said = bool(str(error))
    assert said
