"""Select values of a JSON document by the texts that rules use for it.

Dotted names with `[n]`, `[*]`, `*` and `..` are walked here, compiled once and without any allocation
to speak of; every other text is a JSONPath for jsonpath-ng (`jsonpath.Query`). Both ways select the
same values in the same order. Only dicts and lists are entered, never attributes. What several `..`
select grows without bounds with the depth of a document, so here they end at a limit.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from judge_prechecks.jsonpath import Query
from judge_prechecks.limits import MAX_PATH_CHARACTERS, MAX_VALUES_LOOKED_AT
from judge_prechecks.outcome import JSON
from judge_prechecks.present import cut, printable


class _Every:
    """The step `[*]` or `*`: all items of an array, all values of an object."""


EVERY: Final = _Every()


@dataclass(frozen=True, slots=True)
class Below:
    """The step `..name` or `..*`: that step in a value, and in everything below it."""

    step: str | _Every


Step = str | int | _Every | Below

_NAME: Final = r"@?[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_@\-\x80-\U0010ffff]*|0|[1-9][0-9]*"
_STEP: Final = re.compile(
    rf"(?P<below>\.(?=\.))?(?:\.(?P<name>{_NAME})|(?P<every>\.\*))"
    r"|\[(?P<index>-?[0-9]+)\]|(?P<items>\[\*\])"
)
_DOTTED: Final = re.compile(rf"(?:{_NAME})(?:\.(?:{_NAME}))+")


@dataclass(frozen=True, slots=True)
class Selector:
    """`text` as the rule has it, and one of two ways to follow it: `steps` or `query`."""

    text: str
    steps: tuple[Step, ...] | None
    query: Query | None
    literal: str | None
    """The whole text when it is a dotted name: such a key of the document wins over the walk."""
    multiple: bool
    """True when the text can select any number of values."""
    shown: str
    """The text for a sentence; the document itself is `$`."""

    @classmethod
    def compile(cls, text: str) -> "Selector":
        """Return the compiled selector; a `ValueError` says why `text` cannot be one."""
        if len(text) > MAX_PATH_CHARACTERS:
            raise ValueError(f"is longer than {MAX_PATH_CHARACTERS:,} characters")
        steps = _steps(text)
        query = Query.compile(text) if steps is None else None
        multiple = query.multiple if query else any(map(_is_multiple, steps or ()))
        literal = text if _DOTTED.fullmatch(text) else None
        return cls(text, steps, query, literal, multiple, printable(cut(text)) or "$")

    @property
    def key(self) -> str | None:
        """The name, when the text is just one."""
        only = self.steps[0] if self.steps is not None and len(self.steps) == 1 else None
        return only if isinstance(only, str) else None

    @property
    def single(self) -> bool:
        """True when the text leads, by a plain walk, to one value at most."""
        return self.steps is not None and not self.multiple

    def value(self, document: JSON) -> JSON:
        """Return the value a single selector leads to, None (also) when there is none."""
        found = self.find(document)
        return found[0] if found else None

    def find(self, document: JSON) -> Sequence[JSON]:
        """Return the selected values in the order of the document.

        A JSONPath with operators may fail on a value it does not fit, and one with `..` select too
        much; both are a `ValueError`.
        """
        if self.literal is not None and isinstance(document, dict) and self.literal in document:
            return (document[self.literal],)
        if self.steps is None:
            assert self.query is not None
            return self.query.find(document)
        return walk(document, self.steps) if self.multiple else follow(document, self.steps)

    def containers(self, document: JSON) -> tuple[str, Sequence[JSON]] | None:
        """Return what a multiple selector chooses from: its text and the values there.

        None when the JSONPath has no such part, as in a union.
        """
        if self.steps is not None:
            before = tuple(takewhile(lambda step: not _is_multiple(step), self.steps))
            return path_text(before), walk(document, before)
        assert self.query is not None
        return self.query.containers(document)

    def __str__(self) -> str:
        return self.text


def follow(document: JSON, steps: Sequence[Step]) -> Sequence[JSON]:
    """Return the value that steps without `[*]` lead to, as one item or none."""
    value = document
    for step in steps:
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return ()
            value = value[step]
        elif isinstance(step, int):
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return ()
            value = value[step]
    return (value,)


def walk(document: JSON, steps: Sequence[Step]) -> Sequence[JSON]:
    """Return the values that the steps lead to; a `ValueError` says that they are too many."""
    values: Sequence[JSON] = (document,)
    for outer in steps:
        step = outer
        if isinstance(step, Below):
            values, step = _with_all_below(values), step.step
        if isinstance(step, _Every):
            values = [inner for value in values for inner in _inside(value)]
        elif isinstance(step, str):
            values = [value[step] for value in values if isinstance(value, dict) and step in value]
        else:
            values = [inner for value in values for inner in follow(value, (step,))]
    return values


def path_text(steps: Sequence[Step]) -> str:
    """Write steps the short way; the document itself is `$`."""
    text = ""
    for step in steps:
        if isinstance(step, Below):
            text = f"{text or '$'}..{step.step if isinstance(step.step, str) else '*'}"
        elif isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]" if isinstance(step, int) else "[*]"
    return text or "$"


def _is_multiple(step: Step) -> bool:
    return isinstance(step, _Every | Below)


def _with_all_below(values: Sequence[JSON]) -> Sequence[JSON]:
    """Return the arrays and objects among values and below them, each before what is in it."""
    found: list[JSON] = []
    looked_at = 0
    pending = list(reversed(values))
    while pending:
        value = pending.pop()
        inner = _inside(value)
        looked_at += 1 + len(inner)
        if looked_at > MAX_VALUES_LOOKED_AT:
            raise ValueError(f"'..' meets more than {MAX_VALUES_LOOKED_AT:,} values")
        if inner:
            found.append(value)
            pending.extend(below for below in reversed(inner) if isinstance(below, list | dict))
    return found


def _inside(value: JSON) -> Sequence[JSON]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else ()


def _steps(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a text in the short form, None for any other."""
    if text in {"", "$"}:
        return ()
    if text.startswith("."):
        return None
    rest = text[1:] if text.startswith("$") else text if text.startswith("[") else f".{text}"
    steps: list[Step] = []
    offset = 0
    while offset < len(rest):
        match = _STEP.match(rest, offset)
        if match is None:
            return None
        steps.append(_step(match))
        offset = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return int(match["index"])
    step = match["name"] or EVERY
    return Below(step) if match["below"] else step
