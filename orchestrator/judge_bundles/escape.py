"""Make text that came from a bundle, a model or a server harmless, one function per sink.

Names of files have their own reversible form in `judge_prechecks.names`; the functions here are for
text that is only shown. None of them takes secrets out: `log.redact` does, and it has to come first,
while a key is still in one piece.
"""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, TextIO, cast

from judge_bundles.limits import MAX_STACKED_MARKS
from judge_prechecks.names import show

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
# Control, format, surrogate, unassigned and private characters, line and paragraph separators.
_ACTING: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})

# CI systems compare text by linguistic rules, which pass over these characters as if they were not
# there; those of category Cf belong to them as well and are escaped wherever text is shown.
_UNSEEN: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
# What draws nothing, but for the two that choose between a sign and its emoji.
_HIDDEN: Final = re.compile(f"(?![\ufe0e\ufe0f])[{_UNSEEN}]")
_MARKS: Final = frozenset({"Mn", "Me"})
_MAY_MISLEAD: Final = re.compile(f"{_HIDDEN.pattern}|[^\\x00-\\x7f\\w]{{{MAX_STACKED_MARKS + 1}}}")
"""A quick look: marks are no letters, so a pile of them is a row of what is neither ASCII nor letter."""
_STYLING: Final = r"\x1b\[[0-9;?]*[A-Za-z]"
# GitHub reads `::name::` at the start of a line, however far in it is; GitHub and Azure read
# `##[name]` and `##vso[name]` anywhere in a line, TeamCity `##teamcity[name]`.
_STARTING_COMMAND: Final = re.compile(
    rf"(?:(?<=[\n\r])|\A)((?:[^\S\n\r]|[{_UNSEEN}]|{_STYLING})*)(?=:[{_UNSEEN}]*:)"
)
_INNER_COMMAND: Final = re.compile(rf"#[{_UNSEEN}]*#[{_UNSEEN}A-Za-z]{{0,40}}(?=\[)")
_BLANK: Final = re.compile(rf"(?:\s|[{_UNSEEN}]|{_STYLING})*")
_FORMULA: Final = re.compile("\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\n]")


def line(text: str, *, limit: int = 0) -> str:
    """For one line of a terminal or a log: printable, no line breaks, no CI commands.

    A `limit` above 0 cuts to that many characters, the ellipsis included.
    """
    shown = defuse_commands(show_keeping_backslashes(text))
    return shown if not limit or len(shown) <= limit else shown[: limit - 1] + "…"


def block(text: str) -> str:
    """For several lines of a terminal: like `line`, but line breaks and tabs stay."""
    normal = text.replace("\r\n", "\n").replace("\t", "    ")
    return defuse_commands("\n".join(show_keeping_backslashes(part) for part in normal.split("\n")))


def show_keeping_backslashes(text: str) -> str:
    r"""Escape what could act or mislead; a backslash stays one, since nobody parses this back."""
    shown = "\\".join(show(part) for part in text.split("\\"))
    return _revealed(shown) if _MAY_MISLEAD.search(shown) else shown


def _revealed(text: str) -> str:
    """Escape what draws nothing, and marks piled on one character until they cover other lines."""
    written = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in _MARKS else 0
        is_seen = marks <= MAX_STACKED_MARKS and not _HIDDEN.match(character)
        written.append(character if is_seen else _escaped(character))
    return "".join(written)


def _inactive(character: str) -> str:
    if character in "\t\n" or unicodedata.category(character) not in _ACTING:
        return character
    return _escaped(character)


def _escape_of(match: re.Match[str]) -> str:
    return _escaped(match[0])


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def defuse_commands(text: str) -> str:
    """Put a zero-effect mark into what a CI system would read as a command.

    The mark takes the place of blanks where there are any, so that columns stay columns. What went
    through here once stays as it is.
    """
    if ":" in text:
        text = _STARTING_COMMAND.sub(lambda match: f"{match[1].removesuffix('  ')}· ", text)
    return _INNER_COMMAND.sub(r"\g<0>·", text) if "#" in text else text


class GuardedStream:
    """The end of the way to a terminal or a CI log: no line that passes is a CI command.

    Text that was harmless as a whole may be wrapped so that a line begins in the middle of it,
    which only the stream can see. A write carries whole lines or the beginning of one; a command is
    not found when its own characters are written in pieces. Where nobody looks at a terminal, blanks
    at the end of a line are left out.
    """

    def __init__(self, target: Callable[[], IO[str]]) -> None:
        self._target = target
        self._at_line_start = True

    @property
    def encoding(self) -> str:
        """The encoding of the stream behind."""
        return getattr(self._target(), "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Pass `text` on; returns its length, as a text stream does."""
        begun = "" if self._at_line_start else "."  # stands for what the line holds already
        lines = re.split("([\n\r])", begun + text)
        self._at_line_start = _BLANK.fullmatch(lines[-1]) is not None
        if not self.isatty():
            lines[:-1] = [part.rstrip(" ") for part in lines[:-1]]
        self._target().write(defuse_commands("".join(lines))[len(begun) :])
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind."""
        self._target().flush()

    def isatty(self) -> bool:
        """Whether the stream behind is a terminal."""
        return self._target().isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream behind."""
        return self._target().fileno()


def guarded(target: Callable[[], IO[str]]) -> TextIO:
    """Return a `GuardedStream` for those who ask for a file; they write, flush and look at it."""
    return cast("TextIO", GuardedStream(target))


def json_value(value: Any) -> Any:
    """Return `value` with lone surrogates in every string and key written out as escapes."""
    if isinstance(value, str):
        return _SURROGATES.sub(_escape_of, value)
    if isinstance(value, Mapping):
        return {json_value(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    return value


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return `value` as ASCII JSON for stdout: RFC 8259, and no line of it is a CI command.

    Numbers that JSON does not have (NaN, infinities) become their names, as in the store.
    """
    written = json.dumps(_finite(json_value(value)), indent=indent, allow_nan=False)
    return written.replace("##", "#\\u0023")  # a number sign can only stand within a string


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def xml(text: str) -> str:
    """For text and attributes of XML 1.0, which is escaped once more when it is written.

    What XML cannot hold, or what would act on who shows the document, becomes an escape; tabs and
    line breaks stay. No line of it is a CI command, should a job print the file.
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(map(_inactive, text))
    return defuse_commands(f".{text}")[1:]  # what begins it follows a tag or a quote


def csv_cell(text: str) -> str:
    """For a cell of CSV: never a formula where it is opened as a spreadsheet, and always encodable.

    Write the file with `csv.QUOTE_ALL`: a spreadsheet may take other characters than the comma for
    the end of a cell.
    """
    shown = xml(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown
