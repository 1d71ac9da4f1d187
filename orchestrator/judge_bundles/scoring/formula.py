"""Read a reward formula: arithmetic over judges, in Python's notation, and nothing else of Python.

The text is parsed, never compiled or run. Every node of the tree is one of those named here, so that
what the evaluation meets later is known: no attributes, subscripts, other calls, or text.
"""

import ast
import warnings
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from judge_bundles.errors import JudgeBundlesError
from judge_bundles.limits import (
    MAX_FORMULA_CHARACTERS,
    MAX_FORMULA_DEPTH,
    MAX_FORMULA_EXPONENT,
    MAX_ROUND_DIGITS,
)
from judge_bundles.scoring.spec_problems import nearest, quoted
from judge_bundles.scoring.values import is_number

JUDGE: Final = "judge"
"""`judge("any name")` stands for a judge whose name is no Python name."""
OF_SEVERAL: Final = frozenset({"min", "max", "sum", "mean", "len"})
"""Functions of at least one value: `mean(a, b)` or `mean([a, b])`."""
FUNCTIONS: Final = OF_SEVERAL | {"abs", "round"}

_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_UNARY: Final = (ast.UAdd, ast.USub, ast.Not)
_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ALLOWED: Final = (
    "numbers, judges, + - * / // % **, comparisons, and, or, not, `a if b else c`, `is None` and "
    f"the functions {', '.join(sorted(FUNCTIONS))}"
)


class FormulaSyntaxError(JudgeBundlesError):
    """The text is no formula over the judges of the rule; the message says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read; `judges` are those it names. Equal texts are equal formulas."""

    text: str
    judges: frozenset[str]
    tree: ast.expr = field(repr=False, compare=False)


def parse_formula(text: str, judges: Collection[str]) -> Formula:
    """Return the formula in `text`, which may name `judges`; line breaks in it are blanks.

    Raises `FormulaSyntaxError`.
    """
    if len(text) > MAX_FORMULA_CHARACTERS:
        raise FormulaSyntaxError(f"has more than {MAX_FORMULA_CHARACTERS} characters")
    tree = _parsed(" ".join(text.splitlines()).strip())
    reading = _Reading(judges)
    reading.visit(tree)
    if not reading.named:
        raise FormulaSyntaxError("names no judge, so it would be the same for every bundle")
    return Formula(text, frozenset(reading.named), tree)


def judge_name(node: ast.AST) -> str | None:
    """Return the judge that `node` of a formula stands for, or None when it is something else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(
            func=ast.Name(id=function), args=[ast.Constant(value=str() as name)], keywords=[]
        ) if function == JUDGE:
            return name
        case _:
            return None


def is_none_test(node: ast.Compare) -> bool:
    """Whether `node` asks if a judge was skipped: `a is None`, `a is not None`."""
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return judge_name(node.left) is not None
        case _:
            return False


def listed_arguments(node: ast.Call) -> list[ast.expr]:
    """Return what a function of several is called with, given one by one or as one list."""
    match node.args:
        case [ast.List(elts=items) | ast.Tuple(elts=items)]:
            return items
        case arguments:
            return arguments


def _parsed(text: str) -> ast.expr:
    if not text:
        raise FormulaSyntaxError("is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the parser, on odd but harmless spellings
            return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        where = f" near character {error.offset}" if error.offset else ""
        raise FormulaSyntaxError(f"cannot be read{where}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormulaSyntaxError(f"cannot be read: {type(error).__name__}") from None


class _Reading(ast.NodeVisitor):
    """Walks the tree once: collects the judges, raises at the first node that is not allowed."""

    def __init__(self, judges: Collection[str]) -> None:
        self.named: set[str] = set()
        self._judges = judges
        self._depth = 0

    def visit(self, node: ast.AST) -> None:
        self._depth += 1
        if self._depth > MAX_FORMULA_DEPTH:
            raise FormulaSyntaxError(f"is nested more than {MAX_FORMULA_DEPTH} levels deep")
        if name := judge_name(node):
            self._name(name)
        else:
            super().visit(node)
        self._depth -= 1

    def generic_visit(self, node: ast.AST) -> None:
        shown = type(node).__name__
        raise FormulaSyntaxError(f"holds something else ({shown}) than {_ALLOWED}")

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            return
        if isinstance(node.value, int | float | complex):
            if not is_number(node.value):
                raise FormulaSyntaxError("holds a number that is complex, or too large")
        elif node.value is None:
            raise FormulaSyntaxError("may use None only in `judge is None` or `judge is not None`")
        else:
            raise FormulaSyntaxError(f'may hold text only as the name in `{JUDGE}("name")`')

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.op, _UNARY):
            self.generic_visit(node.op)
        self.visit(node.operand)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.visit(node.left)
        if isinstance(node.op, ast.Pow):
            self._exponent(node.right)
        elif not isinstance(node.op, _ARITHMETIC):
            self.generic_visit(node.op)
        self.visit(node.right)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for value in node.values:
            self.visit(value)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        for part in (node.test, node.body, node.orelse):
            self.visit(part)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.visit(node.left)
        if is_none_test(node):
            return
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.visit(right)
            if not isinstance(operator, _ORDER):
                self.generic_visit(operator)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        if function == JUDGE:
            raise FormulaSyntaxError(f'`{JUDGE}` takes one name in quotes: `{JUDGE}("name")`')
        if function not in FUNCTIONS or node.keywords:
            raise FormulaSyntaxError(f"may call nothing but {', '.join(sorted(FUNCTIONS))}")
        arguments = listed_arguments(node) if function in OF_SEVERAL else self._few(function, node)
        if not arguments:
            raise FormulaSyntaxError(f"`{function}` needs at least one value")
        for argument in arguments:
            self.visit(argument)

    def _few(self, function: str, node: ast.Call) -> list[ast.expr]:
        match function, node.args:
            case (("abs" | "round"), [_]):
                return node.args
            case "round", [number, ast.Constant(value=int() as digits)]:
                if 0 <= digits <= MAX_ROUND_DIGITS:
                    return [number]
        raise FormulaSyntaxError(
            f"`abs` takes one value, `round` one and, if wanted, digits from 0 to {MAX_ROUND_DIGITS}"
        )

    def _exponent(self, node: ast.expr) -> None:
        size = node.operand if isinstance(node, ast.UnaryOp) else node
        match size:
            case ast.Constant(value=int() | float() as value) if value <= MAX_FORMULA_EXPONENT:
                return
        raise FormulaSyntaxError(
            f"may only raise to a plain number from -{MAX_FORMULA_EXPONENT} to {MAX_FORMULA_EXPONENT}"
        )

    def _name(self, name: str) -> None:
        if name not in self._judges:
            hint = "it is a function" if name in FUNCTIONS else nearest(name, self._judges)
            raise FormulaSyntaxError(f"names {quoted(name)}, which is no judge: {hint}")
        self.named.add(name)
