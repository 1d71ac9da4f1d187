"""One bundle during one run of a gate: every pattern is matched and every file parsed once.

Values are kept only of documents that some precheck selects from; a file that is merely checked for
validity is parsed and let go, so that many large files never sit in memory together.
"""

from collections.abc import Iterable

from judge_prechecks.matching import Matches, Members
from judge_prechecks.outcome import JSON
from judge_prechecks.patterns import Pattern
from judge_prechecks.strict_json import InvalidJsonError, JsonOptions, decode
from judge_prechecks.tree import File, Tree


class Bundle:
    """A tree with what has been found out about it so far."""

    __slots__ = (
        "_faults",
        "_kept",
        "_matches",
        "_options",
        "_selected",
        "_values",
        "members",
        "tree",
    )

    def __init__(self, tree: Tree, options: JsonOptions, selected: Iterable[Pattern]) -> None:
        self.tree = tree
        self.members = Members(tree)
        self._options = options
        self._selected = selected
        self._kept: frozenset[str] | None = None
        self._matches: dict[str, Matches] = {}
        self._values: dict[str, JSON] = {}
        self._faults: dict[str, InvalidJsonError | None] = {}

    def find(self, pattern: Pattern) -> Matches:
        """Return what the pattern matches."""
        matches = self._matches.get(pattern.text)
        if matches is None:
            matches = self._matches[pattern.text] = self.members.find(pattern)
        return matches

    def value(self, file: File) -> JSON:
        """Return the parsed file; raises `InvalidJsonError`, or `OSError` if it cannot be read."""
        path = file.path
        if path in self._values:
            return self._values[path]
        fault = self._faults.get(path)
        if fault is not None:
            raise fault
        value = self._values[path] = self._parse(file)
        return value

    def fault(self, file: File) -> InvalidJsonError | None:
        """Return why the file is not valid JSON, None when it is; raises `OSError`."""
        path = file.path
        if path not in self._faults:
            try:
                value = self._values[path] if path in self._values else self._parse(file)
            except InvalidJsonError as fault:
                return fault
            if path in self._paths_to_keep():
                self._values[path] = value
        return self._faults[path]

    def _paths_to_keep(self) -> frozenset[str]:
        if self._kept is None:
            found = (self.find(pattern).files for pattern in self._selected)
            self._kept = frozenset(file.path for files in found for file in files)
        return self._kept

    def _parse(self, file: File) -> JSON:
        try:
            value = decode(self.tree.read(file, self._options.max_bytes), self._options)
        except InvalidJsonError as fault:
            self._faults[file.path] = fault
            raise
        self._faults[file.path] = None
        return value
