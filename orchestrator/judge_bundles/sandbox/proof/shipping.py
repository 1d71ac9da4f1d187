"""Turn an attack's function into a program for the container.

What is sent is the text of `trial`, the modules that the function uses, and the function. The rest of
its file, and this package, do not exist in there.
"""

import ast
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from judge_bundles.sandbox.proof import trial
from judge_bundles.sandbox.proof.trial import Inside

PYTHON: Final = ("python3", "-I", "-S", "-B", "-X", "utf8", "-c")


def program(attack: Inside, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command that makes `attack` with those values and prints its report as JSON."""
    return (*PYTHON, text(attack, given))


def text(attack: Inside, given: Mapping[str, Any]) -> str:
    """Return the program's text."""
    end = f"conduct({attack.__name__}, {json.dumps(dict(given))!r})"
    return "\n".join([Path(trial.__file__).read_text("utf-8"), _function(attack), end])


def _function(attack: Inside) -> str:
    module = ast.parse(inspect.getsource(sys.modules[attack.__module__]))
    [function] = [
        node
        for node in module.body
        if isinstance(node, ast.FunctionDef) and node.name == attack.__name__
    ]
    function.decorator_list = []
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    imports = [
        node
        for node in module.body
        if isinstance(node, ast.Import) and used & {alias.name for alias in node.names}
    ]
    return "\n".join(ast.unparse(node) for node in (*imports, function))
