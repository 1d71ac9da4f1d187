"""Find a judge's function in the text of a Python file, and what it can be called with.

The file is parsed, never imported: what a decorator or an assignment makes of a name is not known.
"""

import ast
import io
import tokenize
from dataclasses import dataclass
from typing import Final

from judge_bundles.rules.arguments import Argument, Declared, argument
from judge_bundles.rules.python_text import top_level

OUTPUTS: Final = "outputs"
"""The parameter that takes the record."""
_NOT_CALLABLE: Final = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Compare, ast.BinOp,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Bound:
    """What a module's name is bound to: a definition, or something only running it tells."""

    definition: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    value: ast.expr | None = None


def find_function(tree: ast.Module, name: str, text: str, *, by_name: bool = False) -> Declared:
    """Return what the function `name` of a module takes beside the record.

    The record is its first parameter, or with `by_name` the one called `outputs`. ValueError says
    why the function cannot be a judge.
    """
    match _binding(tree, name):
        case None:
            raise ValueError(f"defines no function `{name}`")
        case _Bound(definition=ast.AsyncFunctionDef()):
            raise ValueError(f"`{name}` is an `async def`: write a plain `def`")
        case _Bound(value=value) if isinstance(value, _NOT_CALLABLE):
            raise ValueError(f"`{name}` is a value and no function")
        case _Bound(definition=ast.FunctionDef(decorator_list=[]) as definition):
            return _declared(definition, text, by_name=by_name)
    return Declared()


def _binding(tree: ast.Module, name: str) -> _Bound | None:
    """Return what is bound to `name` last, as far as reading can tell."""
    found: _Bound | None = None
    anything = False
    for statement in top_level(tree):
        bound = _bound_by(statement, name)
        found = bound or found
        anything = anything or _binds_anything(statement)
    return found or (_Bound() if anything else None)


def _bound_by(statement: ast.stmt, name: str) -> _Bound | None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() if statement.name == name:
            return _Bound(statement)
        case ast.ClassDef() if statement.name == name:
            return _Bound()
        case ast.Import() | ast.ImportFrom():
            names = [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
            return _Bound() if name in names else None
        case ast.Assign(targets=targets, value=value):
            return _assigned(targets, value, name)
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value):
            return _Bound(value=value) if target == name else None
        case _:
            return None


def _assigned(targets: list[ast.expr], value: ast.expr, name: str) -> _Bound | None:
    if any(isinstance(target, ast.Name) and target.id == name for target in targets):
        return _Bound(value=value)
    inside = (node for target in targets for node in ast.walk(target))
    unpacked = any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
        for node in inside
    )
    return _Bound() if unpacked else None


def _binds_anything(statement: ast.stmt) -> bool:
    """Whether a statement may bind names that do not stand in it."""
    if isinstance(statement, ast.ImportFrom):
        return any(alias.name == "*" for alias in statement.names)
    return isinstance(statement, ast.FunctionDef) and statement.name == "__getattr__"


def _declared(function: ast.FunctionDef, text: str, *, by_name: bool) -> Declared:
    given = function.args
    named = [*given.posonlyargs, *given.args]
    defaults = dict(zip(reversed(named), reversed(given.defaults), strict=False))
    by_word = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    defaults |= {parameter: value for parameter, value in by_word if value}
    others = _without_record(given, by_name=by_name)
    if others is None:
        what = f"parameter `{OUTPUTS}`" if by_name else "parameter for the record"
        raise ValueError(f"`{function.name}` takes no {what}")
    notes = _notes(text)
    return Declared(
        tuple(_argument(parameter, defaults.get(parameter), notes) for parameter in others),
        open=given.kwarg is not None,
    )


def _without_record(given: ast.arguments, *, by_name: bool) -> list[ast.arg] | None:
    """Return the parameters beside the one that takes the record; None when there is none."""
    if not by_name:
        placed = [*given.posonlyargs, *given.args]
        return [*placed[1:], *given.kwonlyargs] if placed or given.vararg else None
    named = [*given.args, *given.kwonlyargs]
    others = [parameter for parameter in named if parameter.arg != OUTPUTS]
    return others if len(others) < len(named) or given.kwarg else None


def _argument(parameter: ast.arg, default: ast.expr | None, notes: dict[int, str]) -> Argument:
    last = default or parameter
    note = notes.get(last.end_lineno or 0, "")
    return argument(parameter.arg, parameter.annotation, default, note)


def _notes(text: str) -> dict[int, str]:
    """Return the comment at the end of each line that has one."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):  # its newer words may be unknown to this module
        return {}
    return {
        token.start[0]: token.string.lstrip("#").strip()
        for token in tokens
        if token.type == tokenize.COMMENT
    }
