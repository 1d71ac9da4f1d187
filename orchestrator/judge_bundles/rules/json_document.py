"""Read strict JSON with the line of every value.

The standard library's reader keeps no positions, takes NaN and the last of two equal keys, and
recurses as deep as the text says; a rule needs none of that. It must not know what a rule is.
"""

import json
import math
import re
from bisect import bisect_right
from typing import Final

from judge_bundles import escape
from judge_bundles.limits import MAX_NUMBER_DIGITS, MAX_RULE_DEPTH
from judge_bundles.rules.document import Node, Scalar, UnreadableDocumentError

_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?[0-9]++)?+")
"""A number of JSON; the groups are its fraction and its exponent."""
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+|-[A-Za-z]++")
_CONSTANTS: Final[dict[str, Scalar]] = {"null": None, "true": True, "false": False}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_json(text: str) -> Node:
    """Return the one value in `text`, or raise `UnreadableDocumentError`."""
    return _Reader(text).document()


def number(match: re.Match[str]) -> int | float:
    """Return the value of a `NUMBER`; ValueError says in words why it cannot be used."""
    if len(match[0]) > MAX_NUMBER_DIGITS:
        raise ValueError(f"a number has more than {MAX_NUMBER_DIGITS} digits")
    if match[1] is None and match[2] is None:
        return int(match[0])
    value = float(match[0])
    if math.isinf(value):
        raise ValueError(f"the number {match[0]} is too large")
    return value


def sound_text(text: str) -> str:
    """Return `text`; ValueError when it holds half a character that nothing can write out."""
    if _SURROGATE.search(text):
        raise ValueError("a text holds a lone surrogate, which is not a character")
    return text


def key_given_twice(key: str, first_line: int) -> str:
    """Say that a mapping has one key twice."""
    return f"key `{escape.line(key, limit=80)}` is given twice (first on line {first_line})"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> Node:
        self._skip_space()
        if self._at == len(self._text):
            raise UnreadableDocumentError("the file is empty")
        node = self._value(0)
        self._skip_space()
        if self._at < len(self._text):
            raise self._invalid("something follows the end of the value")
        return node

    def _value(self, depth: int) -> Node:
        line, first = self._line(), self._peek()
        if first in "{[" and first:
            if depth == MAX_RULE_DEPTH:
                raise self._failure(f"nested more than {MAX_RULE_DEPTH} levels deep")
            self._at += 1
            return Node(self._object(depth) if first == "{" else self._array(depth), line)
        if first == '"':
            return Node(self._string(), line)
        return Node(self._literal(), line)

    def _object(self, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        self._skip_space()
        if self._take("}"):
            return members
        while True:
            self._skip_space()
            line = self._line()
            if self._peek() != '"':
                raise self._invalid("expected a key in double quotes")
            key = self._string()
            if key in members:
                raise UnreadableDocumentError(key_given_twice(key, members[key].line), line)
            self._skip_space()
            if not self._take(":"):
                raise self._invalid("expected `:` after a key")
            self._skip_space()
            members[key] = Node(self._value(depth + 1).content, line)
            if self._ends("}"):
                return members

    def _array(self, depth: int) -> list[Node]:
        items: list[Node] = []
        self._skip_space()
        if self._take("]"):
            return items
        while True:
            self._skip_space()
            items.append(self._value(depth + 1))
            if self._ends("]"):
                return items

    def _ends(self, closing: str) -> bool:
        self._skip_space()
        if self._take(closing):
            return True
        if not self._take(","):
            raise self._invalid(f"expected `,` or `{closing}`")
        return False

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            raise self._invalid("a text does not end, or holds a control character")
        try:
            value = sound_text(json.loads(match[0]))
        except json.JSONDecodeError as error:
            raise self._invalid("a text holds an escape that JSON does not have") from error
        except ValueError as error:
            raise self._failure(str(error)) from error
        self._at = match.end()
        return value

    def _literal(self) -> Scalar:
        if match := NUMBER.match(self._text, self._at):
            try:
                value: Scalar = number(match)
            except ValueError as error:
                raise self._failure(str(error)) from error
        elif (match := _WORD.match(self._text, self._at)) and match[0] in _CONSTANTS:
            value = _CONSTANTS[match[0]]
        elif match:
            raise self._invalid(f"`{match[0][:20]}` is not a value of JSON")
        else:
            raise self._invalid("expected a value")
        self._at = match.end()
        return value

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> bool:
        taken = self._text.startswith(character, self._at)
        self._at += taken
        return taken

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _line(self) -> int:
        return bisect_right(self._line_starts, self._at)

    def _invalid(self, what: str) -> UnreadableDocumentError:
        column = self._at - self._line_starts[self._line() - 1] + 1
        return self._failure(f"not valid JSON: {what} (column {column})")

    def _failure(self, message: str) -> UnreadableDocumentError:
        return UnreadableDocumentError(message, self._line())
