"""The files of a bundle that are the agent's work: all but those the record itself is made of."""

from collections.abc import Iterable

from judge_bundles.limits import RECORD_MAX_FILE_BYTES, RECORD_MAX_FILES_BYTES
from judge_bundles.record.agent_paths import normalized, relative_to
from judge_bundles.record.content import Content, read_content
from judge_bundles.record.sources import Sources
from judge_prechecks.names import show
from judge_prechecks.present import counted
from judge_prechecks.tree import File, Tree

_MAX_COMPONENTS = 64


class Artifacts:
    """Files by printable path, each read when it is asked for and then kept."""

    def __init__(self, sources: Sources, not_these: Iterable[str]) -> None:
        self._sources = sources
        own = frozenset(not_these)
        self.files = tuple(file for file in sources.tree.files if file.path not in own)
        self._with_text = _within_budget(self.files)
        self._read: dict[str, Content] = {}

    @property
    def tree(self) -> Tree:
        """What the files are opened through."""
        return self._sources.tree

    def content(self, file: File) -> Content:
        """Return the text of one file, or why there is none."""
        if file.path not in self._read:
            self._read[file.path] = self._content(file)
        return self._read[file.path]

    def all(self) -> dict[str, Content]:
        """Return every file; those without text for another reason than being binary are noted."""
        contents = {show(file.path): self.content(file) for file in self.files}
        for mark in ("_too_large", "_unreadable"):
            paths = [
                path
                for path, content in contents.items()
                if not isinstance(content, str) and mark in content
            ]
            if paths:
                many = counted(len(paths), "file")
                why = f"{many} without text, {mark.strip('_').replace('_', ' ')}"
                self._sources.notes.add(f"files: {why} ({', '.join(paths[:3])})")
        return contents

    def located(self, paths: Iterable[str], cwd: str | None) -> dict[str, File | None]:
        """Return the files that the agent named, by their path in the bundle if they are in it."""
        found: dict[str, File | None] = {}
        for path in paths:
            file = self._locate(path, cwd)
            found.setdefault(show(normalized(path) if file is None else file.path), file)
        return found

    def main(self) -> File | None:
        """Return the only top-level `.md` file, else the only file, else None."""
        top = [file for file in self.files if "/" not in self._sources.below_top(file)]
        pages = [file for file in top if file.path.lower().endswith(".md")]
        for candidates in (pages, self.files):
            if len(candidates) == 1:
                return candidates[0]
        return None

    def _content(self, file: File) -> Content:
        within = file.path in self._with_text
        return read_content(self.tree, file, RECORD_MAX_FILE_BYTES if within else 0)

    def _locate(self, path: str, cwd: str | None) -> File | None:
        """Find the file whose path in the bundle the agent's path ends with, the longest first."""
        inside = None if cwd is None else relative_to(path, cwd)
        parts = [part for part in normalized(inside or path).split("/") if part not in {"", "."}]
        for start in range(max(0, len(parts) - _MAX_COMPONENTS), len(parts)):
            file = self._sources.at("/".join(parts[start:]))
            if file is not None:
                return file
        return None


def _within_budget(files: Iterable[File]) -> frozenset[str]:
    """Return the paths whose text is given: the smallest files first, until the budget is spent."""
    left = RECORD_MAX_FILES_BYTES
    chosen: list[str] = []
    for file in sorted(files, key=lambda file: (file.size, file.path)):
        left -= file.size
        if left < 0:
            break
        chosen.append(file.path)
    return frozenset(chosen)
