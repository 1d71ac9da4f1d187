"""Say where a document stops being acceptable JSON, and why.

Only documents that are already known to be refused come here. The standard library's parser gives
the place of the first mistake in syntax; before that place the text is known to be well formed, so
one flat pass over its brackets, keys and odd numbers finds whatever else is against the rules. It
is linear and does not recurse. The first fault in reading order is the one that is named.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Final

from judge_prechecks.present import printable, quote


class InvalidJsonError(Exception):
    """Why a document is refused; `line` and `column` count from 1, columns in characters."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        return f"line {self.line:,} column {self.column:,}: {self.message}"


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked for beyond syntax; the names are those of `JsonOptions`."""

    unique_keys: bool
    max_depth: int
    max_integer_digits: int


@dataclass(frozen=True, slots=True)
class _Fault:
    offset: int
    message: str


_TEXT: Final = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN: Final = re.compile(
    # what needs no look: punctuation, words, texts that are values, short numbers
    rf'(?:[^"\[\]{{}}NI\-0-9]++|{_TEXT}(?![ \t\n\r]*+:)'
    r"|-?[0-9]{1,17}+(?:\.[0-9]{1,17}+)?+(?![0-9.eE]))*+"
    # what does; a single character or the end comes last, so that no try ever fails
    rf"(?:(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<key>{_TEXT})"
    r"|(?P<constant>NaN|-?Infinity)|(?P<number>-?[0-9][0-9.eE+\-]*+)|.|\Z)",
    re.DOTALL,
)
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_WHOLE_CHARACTERS: Final = re.compile(
    r"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*+",
    re.DOTALL,
)
_SYNTAX: Final = (
    ("Expecting value", "a value is expected, not {found}"),
    ("Expecting property name", "a key in double quotes is expected, not {found}"),
    ("Expecting ':'", "':' is expected after a key, not {found}"),
    ("Expecting ','", "',' or the end of the array or object is expected, not {found}"),
    ("Illegal trailing comma", "a comma stands before a closing bracket"),
    ("Unterminated string", "the text that begins here has no closing quote"),
    ("Invalid control character", "the control character {found} must be written as an escape"),
    ("Invalid \\", "there is no such escape in JSON text"),
    ("Extra data", "{found} stands after the end of the document"),
)


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of a character of `text`."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def locate(text: str, rules: Rules) -> InvalidJsonError | None:
    """Return the first fault of a document, or None when there is none under these rules."""
    syntax = _syntax_fault(text)
    end = len(text) if syntax is None else syntax.offset
    found = (syntax, _lone_surrogate(text, end), _Pass(text, rules).first_fault(end))
    faults = [fault for fault in found if fault is not None]
    if not faults:
        return None
    first = min(faults, key=lambda fault: fault.offset)
    return InvalidJsonError(first.message, *position(text, first.offset))


def lone_surrogate(text: str) -> int | None:
    """Return the offset of the first escape that is half of a character, if there is one."""
    if "\\" not in text or not _SURROGATE.search(text):
        return None
    whole = _WHOLE_CHARACTERS.match(text)
    assert whole is not None  # it matches nothing, too
    return whole.end() if text.startswith("\\u", whole.end()) else None


def _lone_surrogate(text: str, end: int) -> _Fault | None:
    offset = lone_surrogate(text)
    if offset is None or offset >= end:
        return None
    return _Fault(offset, f"the escape {text[offset : offset + 6]} is half of a character")


def _syntax_fault(text: str) -> _Fault | None:
    try:
        json.JSONDecoder(parse_int=len, parse_float=len).decode(text)
    except json.JSONDecodeError as error:
        return _in_own_words(text, error)
    except RecursionError:  # far beyond any limit on depth, which the pass will find
        return None
    return None


def _in_own_words(text: str, error: json.JSONDecodeError) -> _Fault:
    offset = error.pos
    if not text.strip(" \t\n\r"):
        return _Fault(0, "the document is empty")
    if error.msg.startswith("Invalid \\"):
        offset = text.rfind("\\", 0, offset + 1)
    before = text[:offset].rstrip(" \t\n\r")[-1:]
    if before == "," and text[offset : offset + 1] in {"}", "]"}:
        return _Fault(offset, f"a comma stands before '{text[offset]}'")
    for beginning, words in _SYNTAX:
        if error.msg.startswith(beginning):
            return _Fault(offset, words.format(found=_character(text, offset)))
    return _Fault(offset, error.msg)


def _character(text: str, offset: int) -> str:
    character = text[offset : offset + 1]
    return f"'{printable(character)}'" if character else "the end of the document"


class _Pass:
    """One walk over the tokens that matter; `keys` has a set, or None, for each open bracket."""

    __slots__ = ("keys", "rules", "text")

    def __init__(self, text: str, rules: Rules) -> None:
        self.text = text
        self.rules = rules
        self.keys: list[set[str] | None] = []

    def first_fault(self, end: int) -> _Fault | None:
        """Return the first fault before the offset `end`, up to which the syntax is right."""
        for token in _TOKEN.finditer(self.text, 0, end):
            kind = token.lastgroup
            if kind is None:  # the end, or a text whose own end lies behind it
                return None
            if kind == "close":
                self.keys.pop()
            elif (message := self._look(kind, token[kind])) is not None:
                return _Fault(token.start(kind), message)
        return None

    def _look(self, kind: str, lexeme: str) -> str | None:
        if kind == "key":
            return self._duplicate(lexeme)
        if kind == "number":
            return self._number(lexeme)
        if kind == "constant":
            return f"{lexeme} is not JSON"
        self.keys.append(set() if lexeme == "{" and self.rules.unique_keys else None)
        if len(self.keys) > self.rules.max_depth:
            return f"arrays and objects are nested deeper than {self.rules.max_depth:,}"
        return None

    def _duplicate(self, lexeme: str) -> str | None:
        keys = self.keys[-1]
        if keys is None:
            return None
        key = json.loads(lexeme) if "\\" in lexeme else lexeme[1:-1]
        if key in keys:
            return f"the key {quote(key)} stands twice in one object"
        keys.add(key)
        return None

    def _number(self, lexeme: str) -> str | None:
        digits = len(lexeme.removeprefix("-"))
        if not lexeme.removeprefix("-").isdigit():
            is_finite = math.isfinite(float(lexeme))
            return None if is_finite else "the number is beyond the range of a double"
        if digits > self.rules.max_integer_digits:
            return (
                f"a whole number of {digits:,} digits, more than {self.rules.max_integer_digits:,}"
            )
        return None
