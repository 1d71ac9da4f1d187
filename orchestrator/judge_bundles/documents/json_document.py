"""Read strict JSON with the line of every value.

The standard library's reader keeps no positions, takes NaN and the last of two equal keys, and
recurses as deep as the text says; a document that people write needs none of that.
"""

import json
import re
from bisect import bisect_right
from typing import Final

from judge_bundles.documents.document import (
    DocumentLimits,
    Node,
    Scalar,
    UnreadableDocumentError,
)
from judge_bundles.documents.scalars import NUMBER, key_given_twice, number, sound_text

_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+|-[A-Za-z]++")
_CONSTANTS: Final[dict[str, Scalar]] = {"null": None, "true": True, "false": False}


def read_json(text: str, limits: DocumentLimits) -> Node:
    """Return the one value in `text`, or raise `UnreadableDocumentError`.

    How long `text` may be is for its caller to say.
    """
    return _Reader(text, limits).document()


class _Reader:
    def __init__(self, text: str, limits: DocumentLimits) -> None:
        self._text = text
        self._limits = limits
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
            if depth == self._limits.max_depth:
                raise self._failure(f"nested more than {depth} levels deep")
            self._at += 1
            return Node(self._object(depth) if first == "{" else self._array(depth), line)
        if first == '"':
            return Node(self._string(), line)
        return Node(self._literal(), line)

    def _value_at(self, place: str | int, depth: int) -> Node:
        try:
            return self._value(depth + 1)
        except UnreadableDocumentError as error:
            error.path = (place, *error.path)
            raise

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
            members[key] = Node(self._value_at(key, depth).content, line)
            if self._ends("}"):
                return members

    def _array(self, depth: int) -> list[Node]:
        items: list[Node] = []
        self._skip_space()
        if self._take("]"):
            return items
        while True:
            self._skip_space()
            items.append(self._value_at(len(items), depth))
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
            value = sound_text(json.loads(match[0]), self._limits)
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
