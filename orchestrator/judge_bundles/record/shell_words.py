"""Split a shell command into simple commands, as far as that can be done without a shell.

Careful rather than complete: a command that cannot be split for sure gives nothing, and a word that
only a shell could expand (`$x`, `*.md`, `{a,b}`) is left out, so that no file is named that was not.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_HERE_DOCUMENT: Final = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
_SEPARATORS: Final = frozenset(";&|()\n")
_REDIRECTION: Final = frozenset("<>&|()")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_EXPANDED: Final = frozenset("$`*?[]{}\0")
_MAX_WORDS: Final = 4_000


@dataclass(slots=True)
class SimpleCommand:
    """One program with its words, redirections taken out of them."""

    words: list[str] = field(default_factory=list)
    input_file: str | None = None
    """What `<` feeds it."""
    is_shown: bool = True
    """Whether its output goes where the agent sees it, or to the next program, and to no file."""
    ends_group: bool = False
    """A `)` stands behind it."""


def simple_commands(command: str) -> list[SimpleCommand]:
    """Return the simple commands of a line or script in order; nothing if it cannot be split."""
    text = _without_here_documents(command).replace("\\\n", " ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            words.append(word)
            if len(words) > _MAX_WORDS:
                return []
    except ValueError:  # a quotation that is never closed
        return []
    return list(_grouped(words))


def is_plain(word: str) -> bool:
    """Whether a word means itself, without a shell to expand it."""
    return bool(word) and not _EXPANDED.intersection(word)


def _grouped(words: list[str]) -> Iterator[SimpleCommand]:
    group: list[str] = []
    comment = False
    for word in words:
        if word and _SEPARATORS.issuperset(word):
            yield _simple(group, ends_group=")" in word)
            group, comment = [], comment and "\n" not in word
        elif comment or word.startswith("#"):
            comment = True
        else:
            group.append(word)
    yield _simple(group, ends_group=False)


def _simple(group: list[str], *, ends_group: bool) -> SimpleCommand:
    command = SimpleCommand(ends_group=ends_group)
    redirection = ""
    for word in group:
        if _REDIRECTION.issuperset(word):
            redirection = word
            stream = command.words.pop() if command.words[-1:] in (["1"], ["2"]) else "1"
            command.is_shown &= ">" not in word or stream == "2"
        elif redirection:
            if redirection == "<" and is_plain(word):
                command.input_file = word
            redirection = ""
        elif command.words or not _ASSIGNMENT.match(word):
            command.words.append(word)
    return command


def _without_here_documents(command: str) -> str:
    """Leave out the lines that a here-document feeds to a program: they are data, no commands."""
    if "<<" not in command:
        return command
    kept: list[str] = []
    ends: list[str] = []
    for line in command.split("\n"):
        if ends:
            if line.strip() == ends[0]:
                ends.pop(0)
            continue
        kept.append(line)
        ends += [match[2] for match in _HERE_DOCUMENT.finditer(line)]
    return "\n".join(kept)
