"""Turn the text of a judge in Python into a function that can be called with a record.

Loading runs the author's code, so it happens where calling does: under the same watch. A module is
imported once in a process, and so is a builtin; a check gets a fresh namespace for every call.
"""

import ast
import copy
import importlib
import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from judge_bundles.judge_code.definitions import PythonCode
from judge_bundles.judge_code.refusals import refused
from judge_bundles.record import Record

_Function = Callable[[Record], Any]
_CHECK = "check"


def enter(project_root: str) -> None:
    """Make the project root the current folder, and the first place modules are imported from."""
    try:
        os.chdir(project_root)
    except OSError as error:
        raise refused(f"the project root {project_root} cannot be entered: {error}") from error
    if sys.path[:1] != [project_root]:
        sys.path.insert(0, project_root)


def function(code: PythonCode) -> _Function:
    """Return the judge as a function of the record; it may be called many times."""
    if code.type == "check":
        return _check(code)
    module = _builtin(code) if code.type == "builtin" else _imported(code)
    called = getattr(module, code.function, None)
    if not callable(called):
        raise refused(f"{code.label} has no function `{code.function}`")
    if code.type == "builtin":
        return lambda record: called(record, **copy.deepcopy(dict(code.arguments)))
    return lambda record: called(outputs=record, **copy.deepcopy(dict(code.arguments)))


def filename(code: PythonCode) -> str:
    """Return the name under which the text of a judge is compiled, known from all others."""
    return code.file or f"<{code.label}>"


def condition(expression: str, name: str) -> CodeType:
    """Compile an `if`; whoever calls it gives it `outputs` and `annotations` as globals."""
    return compile(expression.strip(), name, "eval", dont_inherit=True)


def _check(code: PythonCode) -> _Function:
    compiled = _body(code.source, filename(code))

    def call(record: Record) -> Any:
        space: dict[str, Any] = {"__name__": _CHECK}
        exec(compiled, space)  # noqa: S102 - the rule's own code, which is what this process is for
        return space[_CHECK](record, copy.deepcopy(dict(code.arguments)))

    return call


def _body(source: str, name: str) -> CodeType:
    """Compile statements as the body of `check(outputs, arguments)`; lines stay those of `source`."""
    tree = ast.parse(f"def {_CHECK}(outputs, arguments): pass", name)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = ast.parse(source, name).body or definition.body
    return compile(tree, name, "exec", dont_inherit=True)


def _builtin(code: PythonCode) -> ModuleType:
    # Known by name, since dataclasses and pickling look up the module of a class.
    module = ModuleType(f"builtin {code.label}")
    module.__file__ = code.file
    sys.modules[module.__name__] = module
    exec(compile(code.source, filename(code), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - see above
    return module


def _imported(code: PythonCode) -> ModuleType:
    assert code.module is not None
    return importlib.import_module(code.module)
