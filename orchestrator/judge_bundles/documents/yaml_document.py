"""Read YAML as another way to write JSON, with the line of every value.

Only the parser of PyYAML is used, event by event: nothing is ever constructed from a tag, an alias
bomb is weighed before it is expanded, and a plain word is null, a boolean or a number only where it
looks like one of JSON. So `yes`, `on`, `1_000`, `012`, `12:30` and `2024-01-01` stay text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

from judge_bundles import escape
from judge_bundles.documents.document import (
    DocumentLimits,
    Node,
    Scalar,
    UnreadableDocumentError,
)
from judge_bundles.documents.scalars import NUMBER, key_given_twice, number, sound_text
from judge_bundles.limits import MAX_YAML_ALIASES

FAST_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it (ten times as fast), else the same in Python.

It takes no lone surrogates; the Python one does.
"""

# The parser compares every such line with all before it, and tags are refused in any case.
_TAG_DIRECTIVE: Final = re.compile("(?:\\A|[\n\r\x85\u2028\u2029\ufeff])%TAG")
_CONSTANTS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def read_yaml(text: str, limits: DocumentLimits, parser: Any = None) -> Node:
    """Return the one document in `text`, or raise `UnreadableDocumentError`."""
    if match := _TAG_DIRECTIVE.search(text):
        above = text.count("\n", 0, match.end())
        raise UnreadableDocumentError("%TAG is not supported: write plain values", above + 1)
    parser = parser or (yaml.SafeLoader if limits.lone_surrogates else FAST_PARSER)
    try:
        return _Builder(yaml.parse(text, Loader=parser), limits).document()
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        reason = escape.line(error.problem or "it cannot be parsed", limit=200)
        raise UnreadableDocumentError(f"not valid YAML: {reason}", line) from error
    except yaml.reader.ReaderError as error:
        reason = "it holds a character that YAML does not allow"
        raise UnreadableDocumentError(f"not valid YAML: {reason}") from error
    except (ValueError, OverflowError) as error:  # escapes beyond Unicode, from the Python parser
        raise UnreadableDocumentError("not valid YAML: an escape is not a character") from error


@dataclass(frozen=True, slots=True)
class _Built:
    """A node with what it amounts to when every alias in it is written out."""

    node: Node
    weight: int
    height: int


class _Builder:
    def __init__(self, events: Iterator[Any], limits: DocumentLimits) -> None:
        self._events = events
        self._limits = limits
        self._anchors: dict[str, _Built] = {}
        self._aliases = 0

    def document(self) -> Node:
        next(self._events)  # the start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise UnreadableDocumentError("the file is empty")
        built = self._build(next(self._events), 0)
        next(self._events)  # the end of the document
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _failure("the file holds more than one document", after)
        return built.node

    def _build(self, event: Any, depth: int) -> _Built:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        if event.tag is not None:
            tag = escape.line(event.tag, limit=60)
            raise _failure(f"the tag `{tag}` is not supported: write the plain value", event)
        if isinstance(event, yaml.ScalarEvent):
            built = _Built(Node(self._scalar(event), _line(event)), 1 + len(event.value), 0)
        elif depth == self._limits.max_depth:
            raise _failure(f"nested more than {depth} levels deep", event)
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self._sequence(event, depth)
        else:
            built = self._mapping(event, depth)
        most = self._limits.max_bytes
        if built.weight > most:
            raise _failure(f"larger than {most} bytes once aliases are expanded", event)
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        return built

    def _alias(self, event: Any, depth: int) -> _Built:
        self._aliases += 1
        if self._aliases > MAX_YAML_ALIASES:
            raise _failure(f"more than {MAX_YAML_ALIASES} aliases", event)
        target = self._anchors.get(event.anchor)
        if target is None:
            name = escape.line(event.anchor, limit=60)
            raise _failure(f"the alias `*{name}` stands before the end of what it names", event)
        if depth + target.height > self._limits.max_depth:
            raise _failure(f"nested more than {self._limits.max_depth} levels deep", event)
        return target

    def _build_at(self, place: str | int, event: Any, depth: int) -> _Built:
        try:
            return self._build(event, depth + 1)
        except UnreadableDocumentError as error:
            error.path = (place, *error.path)
            raise

    def _sequence(self, start: Any, depth: int) -> _Built:
        items: list[Node] = []
        weight, height = 1, 0
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            built = self._build_at(len(items), event, depth)
            items.append(built.node)
            weight, height = weight + built.weight, max(height, built.height)
        return _Built(Node(items, _line(start)), weight, height + 1)

    def _mapping(self, start: Any, depth: int) -> _Built:
        members: dict[str, Node] = {}
        weight, height = 1, 0
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event)
            if key in members:
                raise _failure(key_given_twice(key, members[key].line), event)
            built = self._build_at(key, next(self._events), depth)
            members[key] = Node(built.node.content, _line(event))
            weight, height = weight + len(key) + built.weight, max(height, built.height)
        return _Built(Node(members, _line(start)), weight, height + 1)

    def _key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent) or event.tag is not None:
            raise _failure("a key must be plain text", event)
        if event.implicit[0] and event.value == "<<":
            raise _failure("merge keys (`<<`) are not supported: write the keys out", event)
        return self._sound(event)

    def _scalar(self, event: Any) -> Scalar:
        """Return what a scalar stands for; one in quotes or in a block is always text."""
        if not event.implicit[0]:
            return self._sound(event)
        if event.value in _CONSTANTS:
            return _CONSTANTS[event.value]
        if match := NUMBER.fullmatch(event.value):
            try:
                return number(match)
            except ValueError as error:
                raise _failure(str(error), event) from error
        return self._sound(event)

    def _sound(self, event: Any) -> str:
        try:
            text: str = event.value
            return sound_text(text, self._limits)
        except ValueError as error:
            raise _failure(str(error), event) from error


def _line(event: Any) -> int:
    line: int = event.start_mark.line + 1
    return line


def _failure(message: str, event: Any) -> UnreadableDocumentError:
    return UnreadableDocumentError(message, _line(event))
