"""Compile the file names and wildcard patterns of a rule, once, when the rule loads.

A pattern never touches a file system: it is matched against the paths of a `Tree` in `matching`.
Each component becomes one regular expression from `fnmatch.translate`, which puts every stretch
between two stars into an atomic group: nothing is tried twice, so a name costs at most its length
times that of the pattern. `**` is handled outside of regular expressions: what stands between two
of them is looked for where it fits first, which leaves the most for the rest.
"""

import fnmatch
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

from judge_prechecks import names
from judge_prechecks.limits import MAX_PATTERN_CHARACTERS
from judge_prechecks.present import cut

Component = Callable[[str], object]
"""Says whether one name between slashes fits; None in a list of components stands for `**`."""

_ANY_DEPTH: Final = "**"
_WILDCARD: Final = re.compile(r"[*?]|\[!?\]?[^\]/]*\]")  # a set that is never closed is literal
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`text` as the rule has it; `path` without `./` and doubled slashes.

    `components` is None for a literal name. `shown` is for sentences. `unescaped` is the pattern whose printable form the
    text may be, for names that JSON cannot write (see `names.show`).
    """

    text: str
    path: str
    components: tuple[Component | None, ...] | None
    shown: str
    unescaped: "Pattern | None" = None

    @classmethod
    def compile(cls, text: str) -> "Pattern":
        """Return the compiled pattern; a `ValueError` says why `text` cannot be one."""
        pattern = _compile(text)
        plain = names.parse(text)
        if plain == text:
            return pattern
        try:
            unescaped = _compile(plain)
        except ValueError:
            return pattern
        return replace(pattern, shown=cut(text), unescaped=unescaped)

    def __str__(self) -> str:
        return self.text


def fits(components: Sequence[Component | None], parts: Sequence[str]) -> bool:
    """Return whether a path, given as its parts, fits from its first part to its last."""
    here = at = 0
    after_any_depth, tried_from = -1, 0
    while at < len(parts):
        component = components[here] if here < len(components) else _matches_nothing
        if component is None:
            here += 1
            after_any_depth, tried_from = here, at
        elif component(parts[at]):
            here, at = here + 1, at + 1
        elif after_any_depth < 0:
            return False
        else:
            tried_from += 1
            here, at = after_any_depth, tried_from
    return all(component is None for component in components[here:])


def fits_below(components: Sequence[Component | None], folder: Sequence[str]) -> bool:
    """Return whether some path below the folder, given as its parts, could fit."""
    for number, part in enumerate(folder):
        component = components[number] if number < len(components) else _matches_nothing
        if component is None:  # from here on, anything may follow
            return True
        if not component(part):
            return False
    return len(folder) < len(components)


def _matches_nothing(_part: str) -> bool:
    return False


def _compile(text: str) -> Pattern:
    _refuse(text)
    parts = [part for part in text.split("/") if part not in {"", "."}]
    if not parts:
        raise ValueError("names no file")
    path, shown = "/".join(parts), cut(names.show(text))
    if not _WILDCARD.search(path):
        return Pattern(text, path, None, shown)
    if parts[-1] == _ANY_DEPTH:
        parts.append("*")  # every file below, not the folders
    if len(parts) == 1:  # without a slash: a name in any folder
        parts.insert(0, _ANY_DEPTH)
    without_repeats = [
        part for part, next_part in pairwise(parts) if part != _ANY_DEPTH or part != next_part
    ]
    return Pattern(text, path, tuple(map(_component, [*without_repeats, parts[-1]])), shown)


def _refuse(text: str) -> None:
    if not text:
        raise ValueError("must not be empty")
    if len(text) > MAX_PATTERN_CHARACTERS:
        raise ValueError(f"is longer than {MAX_PATTERN_CHARACTERS:,} characters")
    if "\0" in text:
        raise ValueError("must not contain NUL")
    if text.startswith("/") or _DRIVE.match(text):
        raise ValueError("must be relative to the bundle, not absolute")
    if ".." in text.split("/"):
        raise ValueError("must not contain '..'")
    if text.endswith("/"):
        raise ValueError("names a folder (it ends with '/'); prechecks look at files")


def _component(part: str) -> Component | None:
    if part == _ANY_DEPTH:
        return None
    if not _WILDCARD.search(part):
        return partial(operator.eq, part)
    if part.startswith("*") and not _WILDCARD.search(part[1:]):
        return operator.methodcaller("endswith", part[1:])
    return re.compile(fnmatch.translate(part)).match
