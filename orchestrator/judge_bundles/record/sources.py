"""Find and read the files of a bundle that the record is made of, by the gate's own matching.

A file at home (at the top of the bundle, or of the one folder around everything in it) wins over
one that is only called the same somewhere below. Nothing is opened before its content is asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from judge_bundles.record.notes import Notes
from judge_prechecks.matching import Matches, Members
from judge_prechecks.names import show
from judge_prechecks.patterns import Pattern
from judge_prechecks.present import counted
from judge_prechecks.tree import File, Tree
from judge_prechecks.view import described, os_reason


@dataclass(frozen=True, slots=True)
class Found:
    """Files that one path of the record means; `home` when it is no match by name alone."""

    files: tuple[File, ...]
    home: bool


class Sources:
    """The members of one bundle, and what was noticed about those the record looked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.notes = Notes()
        self.top = _folder_around_everything(tree)
        self._members = Members(tree)
        self._by_path = {file.path: file for file in tree.files}

    def at(self, path: str) -> File | None:
        """Return the file at exactly this path, below the folder around everything if there is one."""
        return self._by_path.get(path) or self._by_path.get(f"{self.top}{path}")

    def below_top(self, file: File) -> str:
        """Return the path of a file without the folder around everything."""
        return file.path.removeprefix(self.top)

    def one(self, role: str, patterns: Iterable[str]) -> Found | None:
        """Return the one file that the first fitting pattern means; several are noted and none."""
        return self._single(role, self.some(role, patterns))

    def configured(self, role: str, path: str) -> Found | None:
        """Return the one file that a path of the rule means; that there is none is noted too."""
        return self._single(role, self.some_configured(role, path))

    def some_configured(self, role: str, path: str) -> Found | None:
        """Return all files that a path of the rule means; that there is none is noted."""
        found = self.some(role, (path,))
        if found is None:
            self.notes.add(f"{role}: no file of the bundle is {Pattern.compile(path).shown}")
        return found

    def _single(self, role: str, found: Found | None) -> Found | None:
        if found is None or len(found.files) == 1:
            return found
        names = ", ".join(show(file.path) for file in found.files[:3])
        many = counted(len(found.files), "file")
        self.notes.add(f"{role} is ambiguous: {many} match ({names}), so none was taken")
        return None

    def some(self, role: str, patterns: Iterable[str]) -> Found | None:
        """Return what the first pattern with a match at home means, else the first with any match."""
        elsewhere: Found | None = None
        for text in patterns:
            matches = self._members.find(Pattern.compile(text))
            at_home = self._at_home(text, matches)
            if at_home:
                return Found(at_home, home=True)
            if matches.files:
                elsewhere = elsewhere or Found(matches.files, home=False)
            elif matches.skipped:
                first = matches.skipped[0]
                self.notes.add(f"{role}: {show(first.path)} is {described(first)}, never opened")
        if elsewhere is not None and len(elsewhere.files) == 1:
            self.notes.add(f"{role} was taken from {show(elsewhere.files[0].path)}")
        return elsewhere

    def _at_home(self, text: str, matches: Matches) -> tuple[File, ...]:
        if matches.fallback is None:
            return matches.files
        pattern = Pattern.compile(text)
        if pattern.components is not None:
            return ()
        file = self.at((pattern.unescaped or pattern).path)
        return (file,) if file is not None and file in matches.files else ()

    def read(self, role: str, file: File, max_bytes: int) -> bytes | None:
        """Return the content of a file, or None with a note when it cannot be had whole."""
        try:
            data = self.tree.read(file, max_bytes)
        except OSError as error:
            self.notes.add(f"{role}: {show(file.path)} could not be read: {os_reason(error)}")
            return None
        if len(data) > max_bytes:
            self.notes.add(f"{role}: {show(file.path)} is larger than {max_bytes:,} bytes")
            return None
        return data

    def read_ends(self, role: str, file: File, max_bytes: int) -> tuple[bytes, bytes]:
        """Return a file whole and nothing, or its beginning and its end, each half of `max_bytes`."""
        half = max_bytes // 2
        try:
            with self.tree.open(file) as stream:
                beginning = stream.read(max_bytes + 1)
                if len(beginning) <= max_bytes:
                    return beginning, b""
                stream.seek(-half, 2)
                end = stream.read(half)
        except OSError as error:
            self.notes.add(f"{role}: {show(file.path)} could not be read: {os_reason(error)}")
            return b"", b""
        self.notes.add(f"{role}: the middle of {show(file.path)} was left out")
        return beginning[:half], end


def _folder_around_everything(tree: Tree) -> str:
    """Return the one top folder of all members with its slash, or nothing."""
    paths = [file.path for file in tree.files] + [member.path for member in tree.skipped]
    tops = {path.partition("/")[0] for path in paths}
    return f"{tops.pop()}/" if len(tops) == 1 and all("/" in path for path in paths) else ""
