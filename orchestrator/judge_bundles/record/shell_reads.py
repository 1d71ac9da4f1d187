"""Which files a shell command showed to the agent: `cat`, `head`, `sed -n`, `grep … FILE` and such.

Only programs that print what they read, only words that mean themselves, and only where the words
are clear. What is missed here is missed; nothing is guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from judge_bundles.limits import RECORD_MAX_COMMAND_CHARACTERS, RECORD_MAX_READS_A_COMMAND
from judge_bundles.record.agent_paths import is_absolute, joined
from judge_bundles.record.shell_words import SimpleCommand, is_plain, simple_commands

_MAX_NESTED: Final = 2
"""A shell that is given a command for a shell that is given a command."""
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
_WRAPPERS: Final = frozenset({"sudo", "command", "time", "nohup", "env", "stdbuf", "nice"})


@dataclass(frozen=True, slots=True)
class _Program:
    """How the words of a program are read."""

    skipped: int = 0
    """Words before the files that are none: a pattern, a script."""
    given_by: frozenset[str] = frozenset()
    """Options that give what would be skipped otherwise."""
    valued: frozenset[str] = frozenset()
    """Options whose value is a word of its own."""
    refused: frozenset[str] = frozenset()
    """Options with which it changes the files instead of showing them."""
    refused_letters: frozenset[str] = frozenset()
    """The same, anywhere in a word of short options."""
    searches: bool = False


_PLAIN: Final = _Program()
_ENDS: Final = _Program(valued=frozenset({"-n", "-c", "--lines", "--bytes"}))
_GREP: Final = _Program(
    skipped=1,
    given_by=frozenset({"-e", "-f", "--regexp", "--file"}),
    valued=frozenset({"-A", "-B", "-C", "-m", "-e", "-f", "-g", "-t", "-d", "-D"}),
    searches=True,
)
_PROGRAMS: Final = {
    **dict.fromkeys(("cat", "nl", "tac", "less", "more", "bat", "batcat", "strings"), _PLAIN),
    **dict.fromkeys(("head", "tail"), _ENDS),
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), _GREP),
    "sed": _Program(
        skipped=1,
        given_by=frozenset({"-e", "-f", "--expression", "--file"}),
        valued=frozenset({"-e", "-f", "-l"}),
        refused=frozenset({"--in-place"}),
        refused_letters=frozenset("i"),
    ),
    "awk": _Program(skipped=1, given_by=frozenset({"-f"}), valued=frozenset({"-F", "-v", "-f"})),
    "jq": _Program(skipped=1, given_by=frozenset({"-f", "--from-file"}), valued=frozenset({"-f"})),
}


@dataclass(frozen=True, slots=True)
class ShellRead:
    """One file: `path` as the command has it, `resolved` with the `cd` before it, by which program."""

    path: str
    resolved: str
    program: str
    searched: bool


@dataclass(slots=True)
class _State:
    folder: str = ""
    reads: list[ShellRead] = field(default_factory=list)


def shell_reads(command: str | Sequence[str]) -> tuple[ShellRead, ...]:
    """Return the files that a command line, or a program with its words, showed."""
    state = _State()
    if isinstance(command, str):
        _run_line(command, state, 0)
    else:
        _run(SimpleCommand(list(command)), state, 0)
    return tuple(state.reads[:RECORD_MAX_READS_A_COMMAND])


def _run_line(line: str, state: _State, depth: int) -> None:
    if len(line) > RECORD_MAX_COMMAND_CHARACTERS:
        return
    outside = state.folder
    for command in simple_commands(line):
        _run(command, state, depth)
        if command.ends_group:
            state.folder = outside


def _run(command: SimpleCommand, state: _State, depth: int) -> None:
    words = _unwrapped(command.words)
    if not words:
        return
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "cd":
        state.folder = _changed(state.folder, rest)
    elif name in _SHELLS and depth < _MAX_NESTED:
        for option, line in pairwise(rest):
            if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
                _run_line(line, state, depth + 1)
                break
    elif command.is_shown and (program := _PROGRAMS.get(name)):
        files = list(_operands(program, rest))
        if command.input_file is not None and not files:
            files.append(command.input_file)
        state.reads += [
            ShellRead(path, joined(state.folder, path), name, program.searches)
            for path in files
            if is_plain(path) and path not in ("-", ".", "..") and not path.endswith("/")
        ]


def _unwrapped(words: list[str]) -> list[str]:
    """Leave out programs that only run another one, with their plain options."""
    while words and words[0] in _WRAPPERS:
        words = words[1:]
        while words and (words[0].startswith("-") or "=" in words[0]):
            words = words[1:]
    if len(words) > 2 and words[0] == "timeout" and not words[1].startswith("-"):
        return _unwrapped(words[2:])
    return words


def _changed(folder: str, words: list[str]) -> str:
    if len(words) != 1 or not is_plain(words[0]) or words[0].startswith("-"):
        return ""
    return words[0] if is_absolute(words[0]) else joined(folder, words[0])


def _operands(program: _Program, words: list[str]) -> Iterator[str]:
    """Yield the words that are files."""
    skipped = program.skipped
    operands: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "--":
            operands += words[position:]
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        option = word.partition("=")[0] if word.startswith("--") else word[:2]
        if option in program.refused or (
            option == word[:2] and program.refused_letters & set(word)
        ):
            return
        if option in program.given_by:
            skipped = 0
        if word in program.valued:
            position += 1
    yield from operands[skipped:]
