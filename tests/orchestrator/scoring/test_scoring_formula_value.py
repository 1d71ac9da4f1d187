import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.limits import MAX_FORMULA_DEPTH
from judge_bundles.scoring.formula import FormulaSyntaxError, parse_formula
from judge_bundles.scoring.formula_value import formula_value
from judge_bundles.scoring.unit_values import NoRewardError

VALUES = {
    "yes": Fraction(1),
    "no": Fraction(0),
    "half": Fraction(1, 2),
    "tenth": Fraction(1, 10),
    "gone": None,
    "my-judge": Fraction(1, 4),
}


def value(text: str) -> float:
    return formula_value(parse_formula(text, VALUES.keys()), VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("half", 0.5),
        ("0.5 * half + 0.5 * yes", 0.75),
        ("half if yes else 0", 0.5),
        ("half if no else 0.2", 0.2),
        ("yes and half", 0.5),
        ("no and half", 0),
        ("no or half", 0.5),
        ("half or yes", 0.5),
        ("not half", 0),
        ("not no", 1),
        ("half >= 0.5", 1),
        ("0 < half < 0.5", 0),
        ("0 < half < yes <= 1", 1),
        ("half != 0.5", 0),
        ("min(yes, half, no)", 0),
        ("max([half, tenth])", 0.5),
        ("mean(tenth, tenth, tenth)", 0.1),
        ("sum((tenth, tenth, tenth))", 0.3),
        ("len(tenth, half)", 2),
        ("abs(no - half)", 0.5),
        ("round(half / 3, 2)", 0.17),
        ("round(yes * 0.6)", 1),
        ("half ** 2", 0.25),
        ("half ** -1", 2),
        ("half // 0.2", 2),
        ("half % 0.2", 0.5 % 0.2),
        ("+yes - -half", 1.5),
        ('judge("my-judge") * 2', 0.5),
        ("yes * True", 1),
        ("gone is None", 1),
        ("gone is not None", 0),
        ("half is None", 0),
        ("half is not None", 1),
        ("gone if gone is not None else half", 0.5),
        ("half if yes else gone", 0.5),
        ("yes or gone", 1),
        ("no and gone", 0),
        ("1 < half < gone", 0),
        ("tenth == 0.1", 1),
    ],
)
def test_a_formula_is_worked_out_as_python_would(text: str, expected: float) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gone", "gone was skipped and the formula needs it"),
        ("half + gone", "gone was skipped and the formula needs it"),
        ("mean([half, gone])", "gone was skipped and the formula needs it"),
        ("1 if gone else 0", "gone was skipped and the formula needs it"),
        ("not gone", "gone was skipped and the formula needs it"),
        ("half < gone", "gone was skipped and the formula needs it"),
        ("yes / no", "the formula divides by zero"),
        ("yes // no", "the formula divides by zero"),
        ("yes % no", "the formula divides by zero"),
        ("no ** -1", "the formula divides by zero"),
        ("(no - half) ** 0.5", "the formula has no finite value"),
        ("(yes * 1e100) ** 16", "a number in the formula becomes too large"),
        ("yes * 1e100 * 1e100 * 1e100 * 1e100", "the formula has no finite value"),
        ("1e100 // (yes * 1e-300)", "the formula has no finite value"),
        (
            "sum(yes * 1e100 * 1e100 * 1e100 * 9e7, yes * 1e100 * 1e100 * 1e100 * 1e8)",
            "a number in the formula becomes too large",
        ),
    ],
)
def test_what_has_no_value_is_a_reason_and_no_exception(text: str, reason: str) -> None:
    with pytest.raises(NoRewardError) as caught:
        value(text)
    assert str(caught.value) == reason


def test_the_deepest_formula_can_be_worked_out() -> None:
    assert value("-" * (MAX_FORMULA_DEPTH - 1) + "half") == -0.5


OPERATORS = ["+", "-", "*", "/", "//", "%", "<", ">=", "==", " and ", " or "]
LEAVES = st.sampled_from(
    ["yes", "no", "half", "tenth", "gone", 'judge("my-judge")', "2", "1e100", "(gone is None)"]
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda x: f"({x[0]}{x[1]}{x[2]})"),
        st.tuples(inner, inner, inner).map(lambda x: f"({x[0]} if {x[1]} else {x[2]})"),
        st.tuples(inner, st.integers(-3, 16)).map(lambda x: f"({x[0]} ** {x[1]})"),
        st.tuples(st.sampled_from(["-", "not ", "abs", "round"]), inner).map(
            lambda x: f"({x[0]}({x[1]}))"
        ),
        st.tuples(
            st.sampled_from(["min", "max", "sum", "mean", "len"]),
            st.lists(inner, min_size=1, max_size=3),
        ).map(lambda x: f"{x[0]}({', '.join(x[1])})"),
    ),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None)
@given(EXPRESSIONS)
def test_every_formula_has_a_finite_value_or_a_reason(text: str) -> None:
    try:
        outcome: float | str = value(text)
    except (FormulaSyntaxError, NoRewardError) as error:
        outcome = str(error)
    assert outcome if isinstance(outcome, str) else math.isfinite(outcome)
