"""Say where a document stops being JSON, and why, in one slow but linear pass without recursion.

Only documents that are already known to be refused come here. The first fault in reading order is
the one that is named.
"""

import json
import math
import re
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


_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_TEXT_PART: Final = re.compile(r'[^"\\\x00-\x1f]++|(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,512}+')
_NUMBER: Final = re.compile(r"(-?(?:0|[1-9][0-9]*+))((?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+|-Infinity")
_LITERALS: Final = frozenset({"true", "false", "null"})
_NOT_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_SURROGATE: Final = re.compile(r"\\(?:u([dD][89abAB]..\\u[dD][c-fC-F]..|[dD][89a-fA-F]..)|.)")


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of a character of `text`."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def locate(
    text: str, *, unique_keys: bool, max_depth: int, max_integer_digits: int
) -> InvalidJsonError | None:
    """Return the first fault, or None when there is none under these rules."""
    try:
        _Reader(
            text, unique_keys=unique_keys, max_depth=max_depth, max_digits=max_integer_digits
        ).read()
    except _FaultError as fault:
        return InvalidJsonError(fault.message, *position(text, fault.offset))
    return None


class _FaultError(Exception):
    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class _Reader:
    """One pass over one document. `keys` has an entry for each open bracket: None for an array."""

    __slots__ = ("keys", "max_depth", "max_digits", "offset", "text", "unique_keys")

    def __init__(self, text: str, *, unique_keys: bool, max_depth: int, max_digits: int) -> None:
        self.text = text
        self.offset = 0
        self.keys: list[set[str] | None] = []
        self.unique_keys = unique_keys
        self.max_depth = max_depth
        self.max_digits = max_digits

    def read(self) -> None:
        if not self.next():
            raise _FaultError("the document is empty", 0)
        self.value()
        while self.keys:
            self.after_value()
        if self.next():
            raise _FaultError(f"{self.here()} stands after the end of the document", self.offset)

    def next(self) -> str:
        """Skip whitespace and return the next character, "" at the end."""
        space = _SPACE.match(self.text, self.offset)
        assert space is not None  # it may be empty
        self.offset = space.end()
        return self.text[self.offset : self.offset + 1]

    def here(self) -> str:
        character = self.text[self.offset : self.offset + 1]
        return f"'{printable(character)}'" if character else "the end of the document"

    def expected(self, what: str) -> _FaultError:
        return _FaultError(f"{what} is expected, not {self.here()}", self.offset)

    def value(self) -> None:
        """Read one scalar, or open an array or object and read up to its first value."""
        while (character := self.next()) in {"[", "{"}:
            if not self.opened(character):
                return
        if character == '"':
            self.string()
        elif not self.number():
            self.word()

    def opened(self, bracket: str) -> bool:
        """Enter a bracket; False when it is closed at once, else a value comes next."""
        if len(self.keys) >= self.max_depth:
            message = f"arrays and objects are nested deeper than {self.max_depth:,}"
            raise _FaultError(message, self.offset)
        self.offset += 1
        self.keys.append(set() if bracket == "{" else None)
        if self.next() == ("}" if bracket == "{" else "]"):
            self.close()
            return False
        if bracket == "{":
            self.key()
        return True

    def close(self) -> None:
        self.offset += 1
        self.keys.pop()

    def after_value(self) -> None:
        """Read the comma and the value after it, or the closing bracket."""
        character, in_object = self.next(), self.keys[-1] is not None
        if character == ("}" if in_object else "]"):
            self.close()
        elif character == ",":
            self.offset += 1
            if self.next() in {"}", "]"} and self.next():
                raise _FaultError(f"a comma stands before {self.here()}", self.offset)
            if in_object:
                self.key()
            self.value()
        else:
            raise self.expected("',' or '}'" if in_object else "',' or ']'")

    def key(self) -> None:
        start = self.offset
        if self.next() != '"':
            raise self.expected("a key in double quotes")
        self.string()
        keys = self.keys[-1]
        if self.unique_keys and keys is not None:
            key = json.loads(self.text[start : self.offset])
            if key in keys:
                raise _FaultError(f"the key {quote(key)} stands twice in one object", start)
            keys.add(key)
        if self.next() != ":":
            raise self.expected("':' after a key")
        self.offset += 1

    def string(self) -> None:
        start = self.offset
        end = start + 1
        while part := _TEXT_PART.match(self.text, end):
            end = part.end()
        character = self.text[end : end + 1]
        if not character:
            raise _FaultError("the text that begins here has no closing quote", start)
        if character == "\\":
            raise _FaultError("no such escape in JSON text", end)
        if character != '"':
            message = f"the control character U+{ord(character):04X} must be written as an escape"
            raise _FaultError(message, end)
        self.offset = end + 1
        self.lone_surrogate(start, end)

    def lone_surrogate(self, start: int, end: int) -> None:
        if self.text.find("\\u", start, end) < 0:
            return
        for escape in _SURROGATE.finditer(self.text, start, end):
            if escape[1] and len(escape[1]) == 4:
                message = f"the escape \\u{escape[1]} is half of a character"
                raise _FaultError(message, escape.start())

    def number(self) -> bool:
        match = _NUMBER.match(self.text, self.offset)
        if match is None:
            return False
        digits = len(match[1].lstrip("-"))
        if not match[2] and digits > self.max_digits:
            message = f"a whole number of {digits:,} digits, more than {self.max_digits:,}"
            raise _FaultError(message, self.offset)
        if match[2] and math.isinf(float(match[0])):
            raise _FaultError("a number beyond the range of a double", self.offset)
        self.offset = match.end()
        return True

    def word(self) -> None:
        match = _WORD.match(self.text, self.offset)
        word = match[0] if match else ""
        if word in _NOT_NUMBERS:
            raise _FaultError(f"{word} is not JSON", self.offset)
        if word not in _LITERALS:
            raise self.expected("a value")
        self.offset += len(word)
