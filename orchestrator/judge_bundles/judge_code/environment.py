"""The one Jinja2 environment of prompts, for checking templates when a rule loads and for rendering.

Sandboxed: no file, no other template, nothing of Python that a template was not given, and nothing
random. Nothing is worked out while a template is compiled, so a template that only loads costs no
more than reading it. What is not there renders as nothing and is noticed; bounds on time and memory
are those of the process that renders.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType
from typing import Any, Final, NoReturn

from jinja2 import ChainableUndefined, TemplateSyntaxError, Undefined, meta, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judge_bundles.judge_code.tagging import as_data

_REFUSED: Final = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_NOT_GIVEN: Final = {"filters": ("random",), "globals": ("lipsum",)}
"""The same bundle has to give the same prompt."""
_NAME: Final = "template"


class Absent(ChainableUndefined):
    """What a template names and nobody has: nothing, and nothing is all that is below it."""

    __slots__ = ()

    @property
    def called(self) -> tuple[Any, Any]:
        """What it was looked up in (None for a variable), and its name there."""
        return self._undefined_obj, self._undefined_name

    @property
    def _undefined_message(self) -> str:
        """What an error says where nothing is not enough: in arithmetic, when it is called."""
        return f"there is no `{self._undefined_name}`"


class PromptEnvironment(ImmutableSandboxedEnvironment):
    """Compiles and renders templates; `notice` hears of what they name in vain."""

    def __init__(self, notice: Callable[[Absent], None] | None = None) -> None:
        super().__init__(
            autoescape=False,
            keep_trailing_newline=True,
            optimized=False,
            finalize=_shown,
            undefined=_absent(notice) if notice else Absent,
        )
        for name in _NOT_GIVEN["filters"]:
            del self.filters[name]
        for name in _NOT_GIVEN["globals"]:
            del self.globals[name]
        self.filters["as_data"] = as_data
        self.filters["tojson"] = _json

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        """Refuse at once: rendering nothing would hide what a template reached for."""
        raise SecurityError(f"a template may not use `{attribute}` of a {type(obj).__name__}")

    def code(self, source: str, filename: str = _NAME) -> CodeType:
        """Compile a template; raises `TemplateSyntaxError` for whatever cannot be one."""
        try:
            other = next(self.parse(source).find_all(_REFUSED), None)
            code = self.compile(source, _NAME, filename)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise TemplateSyntaxError("it is nested too deeply", 1) from error
        if other is not None:
            raise TemplateSyntaxError("a template cannot take in another one", other.lineno)
        return code


def parse(source: str) -> nodes.Template:
    """Return a template that compiles, as a tree; raises `jinja2.TemplateSyntaxError`."""
    environment = _for_checking()
    environment.code(source)
    return environment.parse(source)


def variables(parsed: nodes.Template) -> frozenset[str]:
    """Return the names a template takes from outside, in any form."""
    return frozenset(meta.find_undeclared_variables(parsed)) - _for_checking().globals.keys()


@cache
def _for_checking() -> PromptEnvironment:
    return PromptEnvironment()


def _absent(notice: Callable[[Absent], None]) -> type[Absent]:
    """Return the class of what is absent whose uses as text or as a list are noticed."""

    class Noticed(Absent):
        __slots__ = ()

        def __str__(self) -> str:
            notice(self)
            return ""

        def __iter__(self) -> Iterator[Any]:
            notice(self)
            return iter(())

    return Noticed


@pass_context  # and so never called while a template is compiled
def _shown(context: Context, value: Any) -> Any:
    """Return what `{{ value }}` writes: lists and mappings as JSON, null as nothing."""
    if value is None:
        return str(context.environment.undefined(name="a value that is null"))
    if isinstance(value, (dict, list, tuple)):
        return _json(value)
    return value


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Undefined):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
