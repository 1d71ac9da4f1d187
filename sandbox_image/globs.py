"""Choose files by pattern, with the matching rules of the gate.

`*`, `?` and `[…]` stay inside one component, `**` is any number of folders. A wildcard pattern
without `/` matches base names at any depth; every other pattern matches a whole path, or else the
end of one. Time grows with the length of pattern and path only, whatever the pattern.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from typing import Callable, Optional

from sandbox_image.answers import refuse_arguments
from sandbox_image.limits import MAX_GLOB_PARTS
from sandbox_image.names import parse, show

_WILD = re.compile(r"[*?\[]")

Step = Optional[Callable[[str], object]]
"""What one component must satisfy; None stands for `**`."""
Steps = list[Step]


def select(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that match, in their order. Names match exactly or in printable form."""
    steps = _steps(pattern)
    anywhere: Steps = steps if steps[0] is None else [None, *steps]
    whole = anywhere if len(steps) == 1 and _WILD.search(pattern) else steps
    found = []
    fallback = []
    for path in paths:
        forms = [form.split("/") for form in {path, show(path)}]
        if any(_matches(whole, form) for form in forms):
            found.append(path)
        elif not found and any(_matches(anywhere, form) for form in forms):
            fallback.append(path)
    return found or fallback


def _steps(pattern: str) -> Steps:
    parts = pattern.removeprefix("./").split("/")
    if "" in parts or ".." in parts:
        raise refuse_arguments("a glob is relative to the bundle, without '..' and empty parts")
    # Several `**` in a row mean no more than one.
    kept = [part for part, before in zip(parts, ["", *parts]) if not part == before == "**"]
    if len(kept) > MAX_GLOB_PARTS:
        raise refuse_arguments(f"a glob has at most {MAX_GLOB_PARTS} parts")
    try:
        return [_step(part) for part in kept]
    except re.error as error:
        raise refuse_arguments(f"not a glob: {error}") from None


def _step(part: str) -> Step:
    if part == "**":
        return None
    if not _WILD.search(part):
        return {part, parse(part)}.__contains__
    # The translation of the standard library never backtracks from one star into an earlier one.
    return re.compile(fnmatch.translate(part)).match


def _matches(steps: Steps, path: list[str]) -> bool:
    """Follow all ways through the pattern at once."""
    states = _past_stars(steps, {0})
    for component in path:
        following = set()
        for state in states:
            if state == len(steps):
                continue
            step = steps[state]
            if step is None:
                following.add(state)
            elif step(component):
                following.add(state + 1)
        states = _past_stars(steps, following)
    return len(steps) in states


def _past_stars(steps: Steps, states: set[int]) -> set[int]:
    """Add the states reached because `**` may be no folder at all."""
    passed = {state + 1 for state in states if state < len(steps) and steps[state] is None}
    return states | passed
