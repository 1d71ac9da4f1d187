"""Find the file of a module without importing it or any package above it.

It is looked for as an import would look: in the project root first, then on the import path. A
module that only an import hook can find is not found.
"""

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Final

from judge_bundles.documents.document import UnreadableDocumentError
from judge_bundles.documents.problems import show_path
from judge_bundles.documents.source import read_text
from judge_bundles.limits import MAX_MODULE_BYTES

_SOURCE_SUFFIX: Final = ".py"


@dataclass(frozen=True, slots=True)
class ModuleText:
    """A module's file and its text."""

    file: Path
    text: str


def find_module(name: str, project_root: Path) -> ModuleText:
    """Return the module `name`, such as `checks.reports`; ValueError says why there is none."""
    spec = _find(name, project_root)
    if spec.origin is None:
        raise ValueError(f"`{name}` is a folder without `__init__.py`, which holds no function")
    file = Path(spec.origin)
    if file.suffix != _SOURCE_SUFFIX:
        raise ValueError(f"{show_path(file)} is no Python source: a judge has to be readable")
    try:
        return ModuleText(file, read_text(file, MAX_MODULE_BYTES))
    except UnreadableDocumentError as error:
        raise ValueError(f"{show_path(file)}: {error.message}") from error


def _find(name: str, project_root: Path) -> ModuleSpec:
    importlib.invalidate_caches()  # the file may be as young as this process
    root = project_root.resolve()
    places: Sequence[str] = [str(root), *sys.path]
    found: ModuleSpec | None = None
    *packages, last = name.split(".")
    for depth, package in enumerate(packages, start=1):
        found = PathFinder.find_spec(package, places)
        if found is None or found.submodule_search_locations is None:
            above = ".".join(packages[:depth])
            raise ValueError(
                _not_found(name, root, f" `{above}` is no package there." * bool(found))
            )
        places = list(found.submodule_search_locations)
    # By its last name alone: by its whole name a package without `__init__.py` would be imported.
    found = PathFinder.find_spec(last, places)
    if found is None:
        raise ValueError(_not_found(name, root))
    return found


def _not_found(name: str, root: Path, why: str = "") -> str:
    return (
        f"there is no module `{name}` in the project root {show_path(root)} or on the import path."
        f"{why} Use --project-root to say where it is"
    )
