"""What one precheck sees of a bundle: files by pattern, documents, and nothing else.

Every method either returns what was asked for or raises `UnmetError` with the reason, so a check
reads as the condition it stands for. What was found by a fallback is noted for the details.
"""

from io import BytesIO
from typing import BinaryIO

from judge_prechecks.bundle import Bundle
from judge_prechecks.document import Document
from judge_prechecks.limits import MAX_JSON_BYTES, TAIL_BYTES
from judge_prechecks.matching import Matches
from judge_prechecks.names import show
from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import UnmetError
from judge_prechecks.patterns import Pattern
from judge_prechecks.present import counted
from judge_prechecks.strict_json import InvalidJsonError
from judge_prechecks.tree import File, Skipped


class View:
    """The bundle as one precheck of one run sees it; `notes` end up in the outcome's details."""

    __slots__ = ("_bundle", "notes")

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self.notes: list[str] = []

    def files(self, pattern: Pattern) -> tuple[File, ...]:
        """Return every file that matches, possibly none; a skipped member among them is unmet."""
        matches = self._bundle.find(pattern)
        if matches.skipped:
            raise _skipped(pattern, matches.skipped)
        if matches.fallback and matches.files:
            self.notes.append(_note(pattern, matches))
        return matches.files

    def some_files(self, pattern: Pattern) -> tuple[File, ...]:
        """Return every file that matches; none is unmet."""
        files = self.files(pattern)
        if not files:
            raise self._not_found(pattern)
        return files

    def file(self, pattern: Pattern) -> File:
        """Return the one file that matches; none and several are unmet."""
        files = self.some_files(pattern)
        if len(files) > 1:
            names = listed(files, _name)
            raise UnmetError(
                f"{pattern.shown} is ambiguous: {counted(len(files), 'file')} match it "
                f"({named(files, _name)})",
                file=pattern.shown,
                observed=list(names),
                expected="exactly one file",
                details=names,
            )
        return files[0]

    def document(self, pattern: Pattern) -> Document:
        """Return the one file that matches, parsed as JSON."""
        file = self.file(pattern)
        name = show(file.path)
        try:
            return Document(name, self._bundle.value(file))
        except InvalidJsonError as fault:
            message = f"{name} is not valid JSON: {fault}"
            raise UnmetError(message, file=name, expected="valid JSON") from None
        except OSError as error:
            raise unreadable(name, error) from None

    def fault(self, file: File) -> InvalidJsonError | None:
        """Return why the file is not valid JSON or cannot be read, None when it is valid."""
        try:
            return self._bundle.fault(file)
        except OSError as error:
            return InvalidJsonError(f"could not be read: {os_reason(error)}")

    def open(self, file: File) -> BinaryIO:
        """Open the file for reading bytes; raises `OSError`. Small files are in memory at once."""
        tree = self._bundle.tree
        if file.size > TAIL_BYTES:
            return tree.open(file)
        return BytesIO(tree.read(file, MAX_JSON_BYTES))

    def paths(self) -> tuple[tuple[str, ...], dict[str, Skipped]]:
        """Return the paths of all files, and the skipped members by path."""
        tree = self._bundle.tree
        return tuple(file.path for file in tree.files), {item.path: item for item in tree.skipped}

    def _not_found(self, pattern: Pattern) -> UnmetError:
        name = pattern.shown
        if pattern.components is not None:
            return UnmetError(f"no file matches {name}", file=name, expected="a file")
        details = listed(self._lookalikes(pattern), str)
        return UnmetError(f"{name} was not found", file=name, expected="a file", details=details)

    def _lookalikes(self, pattern: Pattern) -> list[str]:
        """Describe what may have been meant: other case, a folder, what is below a skipped member."""
        path, folded = pattern.path, pattern.path.casefold()
        found: list[str] = []
        for member in self._bundle.members:
            other = member.path
            if f"/{other}".casefold().endswith(f"/{folded}"):
                found.append(f"{show(other)} is there: names are case-sensitive")
            elif isinstance(member, Skipped) and f"{path}/".startswith(other.rstrip("/") + "/"):
                found.append(f"{show(other)} is {described(member)} and was not entered")
            elif f"/{path}/" in f"/{other}":
                found.append(f"{pattern.shown} is a folder, not a file")
                break
        return found


def described(member: Skipped) -> str:
    """Name the kind of a skipped member: `a symlink`."""
    if member.kind == "unreadable":
        return "an unreadable folder" if member.path.endswith("/") else "unreadable"
    return "a special file" if member.kind == "other" else f"a {member.kind}"


def unreadable(name: str, error: OSError) -> UnmetError:
    """Return the failure for a file that the operating system refuses to read."""
    message = f"{name} could not be read: {os_reason(error)}"
    return UnmetError(message, file=name, expected="a readable file")


def os_reason(error: OSError) -> str:
    """Return the operating system's words for a failure, without the path of the snapshot."""
    return error.strerror or type(error).__name__


def _skipped(pattern: Pattern, members: tuple[Skipped, ...]) -> UnmetError:
    reasons = listed(members, _reason)
    first = members[0]
    return UnmetError(
        f"{pattern.shown} matches what is never opened: {named(members, _reason)}",
        file=show(first.path),
        observed=first.kind,
        expected="a regular file",
        details=reasons,
    )


def _reason(member: Skipped) -> str:
    return f"{show(member.path)} is {described(member)}"


def _name(file: File) -> str:
    return show(file.path)


def _note(pattern: Pattern, matches: Matches) -> str:
    files = named(matches.files, _name)
    return f"{pattern.shown} was matched by {matches.fallback}: {files}"
