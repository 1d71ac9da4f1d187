"""Work out a reward formula for one bundle.

All numbers are floats, so that nothing can grow: what leaves them, or divides by zero, is no reward.
Branches that are not taken are not looked at.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from judge_bundles.scoring.exact import exact
from judge_bundles.scoring.formula import Formula, is_none_test, judge_name, listed_arguments
from judge_bundles.scoring.unit_values import NoRewardError


@dataclass(frozen=True, slots=True)
class _Skipped:
    """In the place of the value of a judge that was skipped."""

    judge: str


_BINARY: Final[dict[type[ast.operator], Callable[[float, float], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_ORDER: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _mean(numbers: list[float]) -> float:
    return float(sum(map(exact, numbers), Fraction()) / len(numbers))


def _sum(numbers: list[float]) -> float:
    return float(sum(map(exact, numbers), Fraction()))


_OF_SEVERAL: Final[dict[str, Callable[[list[float]], float]]] = {
    "min": min,
    "max": max,
    "sum": _sum,
    "mean": _mean,
    "len": len,
}


def formula_value(formula: Formula, values: Mapping[str, Fraction | None]) -> float:
    """Return the finite value of `formula`; `values` has each of its judges, None if skipped.

    Raises `NoRewardError`.
    """
    try:
        return _Evaluation(values).number(formula.tree)
    except ZeroDivisionError:
        raise NoRewardError("the formula divides by zero") from None
    except OverflowError:
        raise NoRewardError("a number in the formula becomes too large") from None


class _Evaluation(ast.NodeVisitor):
    """Visits only what `formula.parse_formula` let through; each visit returns a value."""

    def __init__(self, values: Mapping[str, Fraction | None]) -> None:
        self._values = values

    def number(self, node: ast.expr) -> float:
        """Return the value of `node`, which must be there and finite."""
        value = self.visit(node)
        if isinstance(value, _Skipped):
            raise NoRewardError(f"{value.judge} was skipped and the formula needs it")
        if isinstance(value, complex) or not math.isfinite(value):
            raise NoRewardError("the formula has no finite value")
        return float(value)

    def visit(self, node: ast.AST) -> Any:
        name = judge_name(node)
        if name is None:
            return super().visit(node)
        value = self._values[name]
        return _Skipped(name) if value is None else float(value)

    def generic_visit(self, node: ast.AST) -> Any:
        raise AssertionError(f"{type(node).__name__} is in no formula that was read")

    def visit_Constant(self, node: ast.Constant) -> float:
        assert isinstance(node.value, int | float)
        return float(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> float:
        value = self.number(node.operand)
        if isinstance(node.op, ast.Not):
            return float(not value)
        return -value if isinstance(node.op, ast.USub) else value

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return _BINARY[type(node.op)](self.number(node.left), self.number(node.right))

    def visit_BoolOp(self, node: ast.BoolOp) -> float:
        value = 0.0
        for part in node.values:
            value = self.number(part)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value

    def visit_IfExp(self, node: ast.IfExp) -> float:
        return self.number(node.body if self.number(node.test) else node.orelse)

    def visit_Compare(self, node: ast.Compare) -> float:
        if is_none_test(node):
            skipped = isinstance(self.visit(node.left), _Skipped)
            return float(skipped == isinstance(node.ops[0], ast.Is))
        left = self.number(node.left)
        for comparison, part in zip(node.ops, node.comparators, strict=True):
            right = self.number(part)
            if not _ORDER[type(comparison)](left, right):
                return 0.0
            left = right
        return 1.0

    def visit_Call(self, node: ast.Call) -> float:
        assert isinstance(node.func, ast.Name)
        function = node.func.id
        if function in _OF_SEVERAL:
            return _OF_SEVERAL[function]([self.number(item) for item in listed_arguments(node)])
        number = self.number(node.args[0])
        if function == "abs":
            return abs(number)
        match node.args:
            case [_, ast.Constant(value=int() as digits)]:
                return round(number, digits)
        return round(number, 0)
