"""Read a prompt as a Jinja2 template: is it one, which variables does it use. Nothing is rendered.

`ValueError` says in words, with the line of the template, what is wrong. What cannot be seen here,
such as a name put together while rendering, is refused by the sandbox that renders. This module
brings Jinja2 with it: import it where there is a template.
"""

import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from jinja2 import TemplateSyntaxError, nodes

from judge_bundles.escape import line as shown
from judge_bundles.judge_code import environment
from judge_bundles.record import VARIABLES

JUDGE_VARIABLES: Final = (*VARIABLES, "arguments")
"""What the prompt of an LLM judge can name."""
PAIRWISE_VARIABLES: Final = ("output_a", "output_b", "inputs", "annotations", "arguments")

_INTERNAL: Final = re.compile(r"(?:^|\.)__")
_NOT_IN_OUTPUTS: Final = frozenset({"conversation", "response"})


@dataclass(frozen=True, slots=True)
class TemplateUse:
    """The variables a template takes from outside, in any form, and hints for its author."""

    variables: frozenset[str]
    hints: tuple[str, ...] = ()


def read_template(text: str, known: Collection[str]) -> TemplateUse:
    """Return what a template uses, all of it among `known`."""
    try:
        tree = environment.parse(text)
    except TemplateSyntaxError as error:
        raise ValueError(f"line {error.lineno}: {shown(error.message or 'no template')}") from error
    for node in tree.find_all(nodes.Node):
        _refuse_if_never_right(node)
    used = environment.variables(tree)
    for name in sorted(used - set(known)):
        raise ValueError(_unknown(name, _line_of(name, tree), known))
    return TemplateUse(used, tuple(dict.fromkeys(_hints(tree))))


def _refuse_if_never_right(node: nodes.Node) -> None:
    match node:
        case nodes.Getattr(attr=attribute) if attribute.startswith("_"):
            hint = "" if _INTERNAL.match(attribute) else f": write ['{attribute}'] for a key"
            raise ValueError(
                f"line {node.lineno}: the attribute `{shown(attribute, limit=80)}` is refused{hint}"
            )
        case nodes.Getitem(arg=nodes.Const(value=str(key))) if _INTERNAL.search(key):
            raise ValueError(f"line {node.lineno}: the key `{shown(key, limit=80)}` is refused")
        case nodes.Filter() | nodes.Test() | nodes.Call():
            _refuse_internal_names(node)


def _refuse_internal_names(node: nodes.Filter | nodes.Test | nodes.Call) -> None:
    """Refuse `x|attr("__class__")` and the like."""
    for given in (*node.args, *(pair.value for pair in node.kwargs)):
        if isinstance(given, nodes.Const) and isinstance(given.value, str):
            hidden = (
                isinstance(node, nodes.Filter) and node.name == "attr" and given.value[:1] == "_"
            )
            if hidden or _INTERNAL.search(given.value):
                name = shown(given.value, limit=80)
                raise ValueError(f"line {node.lineno}: the name `{name}` is refused")


def _hints(tree: nodes.Template) -> Iterator[str]:
    for node in tree.find_all((nodes.Getattr, nodes.Getitem, nodes.Call)):
        match node:
            case (
                nodes.Getattr(node=nodes.Name(name="outputs"), attr=str(key))
                | nodes.Getitem(node=nodes.Name(name="outputs"), arg=nodes.Const(value=str(key)))
                | nodes.Call(
                    node=nodes.Getattr(node=nodes.Name(name="outputs"), attr="get"),
                    args=[nodes.Const(value=str(key)), *_],
                )
            ) if key in _NOT_IN_OUTPUTS:
                yield f"`outputs.{key}` does not exist and renders empty: use `conversation`"


def _unknown(name: str, line: int, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name[:80], list(known), n=1)
    names = ", ".join(f"`{one}`" for one in known)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {names}"
    return f"line {line}: unknown variable `{shown(name, limit=80)}`: {hint}"


def _line_of(name: str, tree: nodes.Template) -> int:
    return next((node.lineno for node in tree.find_all(nodes.Name) if node.name == name), 1)
