"""The arguments a judge declares: their types, as an annotation says them, and what fits.

An annotation is read as text, never evaluated. One that is not understood takes any value.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_bundles.rules.wording import describe_value, unknown_key

_PLAIN: Final[Mapping[str, Callable[[Any], bool]]] = {
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "dict": lambda value: isinstance(value, dict),
}
_WORDS: Final[Mapping[str, str]] = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "list": "a list",
    "dict": "a mapping",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. `type` is as written, `default` as JSON where it can be read.

    Without `required` and without `has_default`, the default is worked out by the judge itself.
    """

    name: str
    type: str = ""
    required: bool = False
    has_default: bool = False
    default: Any = None
    help: str = ""

    def problem(self, value: Any) -> str | None:
        """Say in words why `value` does not fit; None when it does."""
        annotation = _annotation(self.type)
        if annotation is None or _fits(value, annotation):
            return None
        given = "null" if value is None else describe_value(value)
        return f"must be {_words(annotation)}, not {given}"


@dataclass(frozen=True, slots=True)
class Declared:
    """What a judge takes. An `open` one takes arguments beside those it declares."""

    arguments: tuple[Argument, ...] = ()
    open: bool = True

    def problems(self, given: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
        """Yield what is wrong with the arguments `given`: of which one, if of one, and what."""
        known = {argument.name: argument for argument in self.arguments}
        for name, value in given.items():
            if name in known:
                problem = known[name].problem(value)
                if problem:
                    yield name, problem
            elif not self.open:
                yield None, _unknown(name, list(known))
        for argument in self.arguments:
            if argument.required and argument.name not in given:
                yield None, f"the argument `{argument.name}` is missing"

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return `given` with every default that is known, those declared first."""
        defaults = {one.name: one.default for one in self.arguments if one.has_default}
        return {**defaults, **given}


def argument(
    name: str, annotation: ast.expr | None, default: ast.expr | None, note: str = ""
) -> Argument:
    """Return the argument that a parameter or an annotated assignment declares.

    ValueError when its default does not fit its own type.
    """
    literal, value = _literal(default)
    declared = Argument(
        name,
        type="" if annotation is None else ast.unparse(annotation),
        required=default is None,
        has_default=literal,
        default=value,
        help=note,
    )
    if literal and (problem := declared.problem(value)):
        raise ValueError(f"the default of `{name}` {problem}")
    return declared


def _unknown(name: str, known: Sequence[str]) -> str:
    if not known:
        return f"takes no arguments, and is given `{name[:80]}`"
    return unknown_key(name, known).replace("unknown key", "unknown argument", 1)


def _literal(default: ast.expr | None) -> tuple[bool, Any]:
    """Return whether the default is a plain value, and the value as JSON has it."""
    if default is None:
        return False, None
    try:
        value = ast.literal_eval(default)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False, None
    value = list(value) if isinstance(value, tuple) else value
    return _is_json(value), value if _is_json(value) else None


def _is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_json(item) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def _annotation(text: str) -> ast.expr | None:
    """Return the annotation that `text` is, out of the quotes it may stand in."""
    try:
        annotation = ast.parse(text, mode="eval").body if text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match annotation:
        case ast.Constant(value=str(quoted)) if quoted != text:
            return _annotation(quoted)
    return annotation


def _fits(value: Any, annotation: ast.expr) -> bool:
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return isinstance(value, list) and all(_fits(one, item) for one in value)
        case ast.Subscript(value=ast.Name(id="dict")):
            return isinstance(value, dict)
        case ast.Subscript(value=named) if _is_literal(named):
            # By type as well: true is not 1.
            return any(
                value == choice and type(value) is type(choice) for choice in _choices(annotation)
            )
        case ast.Constant(value=None):
            return value is None
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    return name not in _PLAIN or _PLAIN[name](value)


def _words(annotation: ast.expr) -> str:
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return f"{_words(left)} or {_words(right)}"
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return f"a list, each item {_words(item)}"
        case ast.Subscript(value=ast.Name(id="dict")):
            return "a mapping"
        case ast.Subscript(value=named) if _is_literal(named):
            return f"one of {', '.join(f'`{choice}`' for choice in _choices(annotation))}"
        case ast.Constant(value=None):
            return "null"
    return _WORDS.get(ast.unparse(annotation), f"of the type {ast.unparse(annotation)}")


def _is_literal(named: ast.expr) -> bool:
    return (isinstance(named, ast.Name) and named.id == "Literal") or (
        isinstance(named, ast.Attribute) and named.attr == "Literal"
    )


def _choices(annotation: ast.Subscript) -> list[Any]:
    inner = annotation.slice
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    return [item.value for item in items if isinstance(item, ast.Constant)]
