"""The one table of tools. A module in `tools/` adds itself with `@tool`; no list names it."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Callable, NamedTuple

from sandbox_image.answers import Answer
from sandbox_image.arguments import Arguments, Parameter
from sandbox_image.bundle import Bundle

Run = Callable[[Bundle, Arguments], Answer]


class Tool(NamedTuple):
    """A function and the arguments it takes, by name."""

    run: Run
    arguments: Mapping[str, Parameter]


TOOLS: dict[str, Tool] = {}


def tool(**arguments: Parameter) -> Callable[[Run], Run]:
    """Register a function under its own name."""

    def register(run: Run) -> Run:
        TOOLS[run.__name__] = Tool(run, arguments)
        return run

    return register


def load() -> None:
    """Import every module of `tools/`."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and name != "__init__.py":
            importlib.import_module(f"sandbox_image.tools.{name[:-3]}")
