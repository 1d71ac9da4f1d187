"""Find the members of one bundle that a pattern of the rule means.

Everything is in memory; skipped members are found by the same rules as files, so that a check which
meets one can fail with that reason.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from judge_prechecks.patterns import Component, Pattern, fits, fits_below
from judge_prechecks.tree import File, Skipped, Tree

Member = File | Skipped
Fallback = Literal["its name", "the end of its path"]


@dataclass(slots=True)
class Matches:
    """What a pattern means in one bundle; `fallback` is set when no whole path fitted."""

    files: tuple[File, ...]
    skipped: tuple[Skipped, ...] = ()
    fallback: Fallback | None = None


class Members:
    """The members of a tree by path."""

    __slots__ = ("_by_path", "_closed")

    def __init__(self, tree: Tree) -> None:
        self._by_path: dict[str, Member] = {file.path: file for file in tree.files}
        self._closed: list[Skipped] = []
        for member in tree.skipped:
            self._by_path[member.path] = member
            if member.path.endswith("/"):
                self._closed.append(member)

    def __iter__(self) -> Iterator[Member]:
        return iter(self._by_path.values())

    def find(self, pattern: Pattern) -> Matches:
        """Return what `pattern` matches, by its escaped form if it matches nothing as written."""
        matches = self._find(pattern)
        if pattern.unescaped is None or matches.files or matches.skipped:
            return matches
        return self._find(pattern.unescaped)

    def _find(self, pattern: Pattern) -> Matches:
        if pattern.components is not None:
            return self._find_wildcard(pattern, pattern.components)
        exact = self._by_path.get(pattern.path) or self._closed_above(pattern.path)
        if exact is not None:
            return _matches([exact])
        ending = f"/{pattern.path}"
        members = [self._by_path[path] for path in self._by_path if path.endswith(ending)]
        return _matches(members, "the end of its path" if "/" in pattern.path else "its name")

    def _closed_above(self, path: str) -> Skipped | None:
        return next((member for member in self._closed if path.startswith(member.path)), None)

    def _find_wildcard(self, pattern: Pattern, components: tuple[Component | None, ...]) -> Matches:
        whole = self._fitting(pattern, components)
        if whole or components[0] is None:
            return _matches(whole)
        return _matches(self._fitting(pattern, (None, *components)), "the end of its path")

    def _fitting(self, pattern: Pattern, components: tuple[Component | None, ...]) -> list[Member]:
        """Return fitting members, those spelled like the pattern, and folders that may hide some."""
        name_only = len(components) == 2 and components[0] is None
        last = components[-1]
        assert last is not None  # a pattern never ends with `**`
        return [
            member
            for path, member in self._by_path.items()
            if (
                last(path[path.rfind("/") + 1 :])
                and (name_only or fits(components, path.split("/")))
            )
            or path == pattern.path
            or (path.endswith("/") and fits_below(components, path[:-1].split("/")))
        ]


def _matches(members: Iterable[Member], fallback: Fallback | None = None) -> Matches:
    files: list[File] = []
    skipped: list[Skipped] = []
    for member in members:
        if isinstance(member, File):
            files.append(member)
        else:
            skipped.append(member)
    return Matches(tuple(files), tuple(skipped), fallback)
