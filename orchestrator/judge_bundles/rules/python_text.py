"""Read Python that a rule's author wrote, without running any of it: is it Python, does it fit.

`ValueError` says in words, with the line of the snippet, what is wrong.
"""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterable, Iterator
from typing import Final

from judge_bundles.escape import line as shown

CHECK_NAMES: Final = frozenset({"outputs", "arguments"})
"""What a `check` can name beside Python's own builtins."""
CONDITION_NAMES: Final = frozenset({"annotations", "outputs"})
"""The same of an `if`."""

_BUILTINS: Final = frozenset(dir(builtins))
_MODULE_NAMES: Final = frozenset({"__name__", "__doc__", "__file__", "__builtins__"})
_FUNCTION: Final = "snippet"
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parsed(text: str) -> ast.Module:
    """Return `text` as statements. A `return` outside of a function is left to the caller."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python finds odd is the author's business
            return ast.parse(text)
    except SyntaxError as error:
        raise ValueError(_syntax(error)) from error
    except (ValueError, RecursionError, MemoryError) as error:  # a NUL; nested beyond measure
        raise ValueError("is no Python: it holds a NUL, or is nested too deeply") from error


def check_body(text: str) -> None:
    """Check that `text` can be the body of a function that returns something."""
    body = parsed(text).body
    if not body:
        raise ValueError("holds no statement: end it with `return value, rationale`")
    _compile(_function_of(body))
    statements = list(_own_nodes(body))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in statements):
        raise ValueError("yields, where it has to return: end it with `return value, rationale`")
    if not any(isinstance(node, ast.Return) and node.value for node in statements):
        raise ValueError("never returns a value: end it with `return value, rationale`")


def check_condition(text: str) -> None:
    """Check that `text` is one expression over names that an `if` has."""
    expression = text.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(expression, _FUNCTION, "eval", dont_inherit=True)
            table = symtable.symtable(expression, _FUNCTION, "eval")
    except SyntaxError as error:
        raise ValueError(f"is no Python expression: {_reason(error)}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError("is no Python expression: it holds a NUL, or is too deep") from error
    unknown = sorted(_taken_from_outside(table) - CONDITION_NAMES - _BUILTINS)
    if unknown:
        known = ", ".join(f"`{name}`" for name in sorted(CONDITION_NAMES))
        raise ValueError(
            f"the name `{shown(unknown[0], limit=80)}` is not defined: known are {known}"
        )


def undefined_names(text: str) -> list[str]:
    """Return the names a checked body takes from nowhere, in order; reaching one is an error."""
    lines = "\n".join(f" {line}" for line in ("pass", *text.split("\n")))
    try:
        table = symtable.symtable(f"def {_FUNCTION}(outputs, arguments):\n{lines}", "", "exec")
    except SyntaxError:  # line ends of another kind, which cannot be set in like this
        return []
    (function,) = table.get_children()
    return sorted(_taken_from_outside(function) - CHECK_NAMES - _BUILTINS - _MODULE_NAMES)


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, those in branches included."""
    yield from _statements(tree.body)


def _function_of(body: list[ast.stmt]) -> ast.Module:
    function = ast.parse(f"def {_FUNCTION}(outputs, arguments): pass")
    definition = function.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = body
    return function


def _compile(tree: ast.Module) -> None:
    """Find what only the compiler does, such as a `break` outside of a loop."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, _FUNCTION, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ValueError(_syntax(error)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError("is nested too deeply") from error


def _syntax(error: SyntaxError) -> str:
    return f"line {error.lineno or 1}: {_reason(error)}"


def _reason(error: SyntaxError) -> str:
    return shown(error.msg or "it cannot be parsed", limit=200)


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield every node of a function's body that belongs to the function itself."""
    pending = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            pending.extend(ast.iter_child_nodes(node))


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    pending = list(body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (*_SCOPES, ast.expr)):
            pending = [*ast.iter_child_nodes(node), *pending]


def _taken_from_outside(table: symtable.SymbolTable) -> set[str]:
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_global() and symbol.is_referenced() and not symbol.is_assigned()
    }
    for child in table.get_children():
        names |= _taken_from_outside(child)
    return names
