"""Read YAML as another way to write JSON, with the line of every value.

Only the parser of PyYAML is used, event by event: nothing is ever constructed from a tag, an alias
bomb is weighed before it is expanded, and a plain word is null, a boolean or a number only where it
looks like one of JSON. So `yes`, `on`, `1_000`, `012`, `12:30` and `2024-01-01` stay text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

from judge_bundles import escape
from judge_bundles.limits import MAX_RULE_BYTES, MAX_RULE_DEPTH, MAX_YAML_ALIASES
from judge_bundles.rules.document import Node, Scalar, UnreadableDocumentError
from judge_bundles.rules.json_document import NUMBER, key_given_twice, number, sound_text

FAST_PARSER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it (ten times as fast), else the same in Python."""

_CONSTANTS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def read_yaml(text: str, parser: Any = FAST_PARSER) -> Node:
    """Return the one document in `text`, or raise `UnreadableDocumentError`."""
    try:
        return _Builder(yaml.parse(text, Loader=parser)).document()
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
    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
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
            built = _Built(Node(_scalar(event), _line(event)), 1 + len(event.value), 0)
        elif depth == MAX_RULE_DEPTH:
            raise _failure(f"nested more than {MAX_RULE_DEPTH} levels deep", event)
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self._sequence(event, depth)
        else:
            built = self._mapping(event, depth)
        if built.weight > MAX_RULE_BYTES:
            raise _failure(f"larger than {MAX_RULE_BYTES} bytes once aliases are expanded", event)
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
        if depth + target.height > MAX_RULE_DEPTH:
            raise _failure(f"nested more than {MAX_RULE_DEPTH} levels deep", event)
        return target

    def _sequence(self, start: Any, depth: int) -> _Built:
        items: list[Node] = []
        weight, height = 1, 0
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            built = self._build(event, depth + 1)
            items.append(built.node)
            weight, height = weight + built.weight, max(height, built.height)
        return _Built(Node(items, _line(start)), weight, height + 1)

    def _mapping(self, start: Any, depth: int) -> _Built:
        members: dict[str, Node] = {}
        weight, height = 1, 0
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = _key(event)
            if key in members:
                raise _failure(key_given_twice(key, members[key].line), event)
            built = self._build(next(self._events), depth + 1)
            members[key] = Node(built.node.content, _line(event))
            weight, height = weight + len(key) + built.weight, max(height, built.height)
        return _Built(Node(members, _line(start)), weight, height + 1)


def _key(event: Any) -> str:
    if not isinstance(event, yaml.ScalarEvent) or event.tag is not None:
        raise _failure("a key must be plain text", event)
    if event.implicit[0] and event.value == "<<":
        raise _failure("merge keys (`<<`) are not supported: write the keys out", event)
    return _sound(event)


def _scalar(event: Any) -> Scalar:
    """Return what a scalar stands for; one in quotes or in a block is always text."""
    if not event.implicit[0]:
        return _sound(event)
    if event.value in _CONSTANTS:
        return _CONSTANTS[event.value]
    if match := NUMBER.fullmatch(event.value):
        try:
            return number(match)
        except ValueError as error:
            raise _failure(str(error), event) from error
    return _sound(event)


def _sound(event: Any) -> str:
    try:
        text: str = event.value
        return sound_text(text)
    except ValueError as error:
        raise _failure(str(error), event) from error


def _line(event: Any) -> int:
    line: int = event.start_mark.line + 1
    return line


def _failure(message: str, event: Any) -> UnreadableDocumentError:
    return UnreadableDocumentError(message, _line(event))
