"""Select values of a JSON document by the texts that rules use for it.

Dotted names with `[n]`, `[*]` and `*` are walked here, compiled once and without any allocation to
speak of; every other text is a JSONPath for jsonpath-ng (`jsonpath.Query`). Both ways select the
same values in the same order. Only dicts and lists are entered, never attributes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judge_prechecks.jsonpath import Query
from judge_prechecks.limits import MAX_PATH_CHARACTERS
from judge_prechecks.outcome import JSON
from judge_prechecks.present import cut, printable


class _Every:
    """The step `[*]` or `*`: all items of an array, all values of an object."""


EVERY: Final = _Every()
Step = str | int | _Every

_NAME: Final = r"@?[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_@\-\x80-\U0010ffff]*|0|[1-9][0-9]*"
_STEP: Final = re.compile(rf"\.({_NAME})|\[(-?[0-9]+)\]|(?:\.\*|\[\*\])")
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
        multiple = query.multiple if query else EVERY in (steps or ())
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

        A JSONPath with operators may fail on a value it does not fit; that is a `ValueError`.
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
            before = self.steps[: self.steps.index(EVERY)]
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
    """Return the values that the steps lead to."""
    values: Sequence[JSON] = (document,)
    for step in steps:
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
        if isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]" if isinstance(step, int) else "[*]"
    return text or "$"


def _inside(value: JSON) -> Sequence[JSON]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else ()


def _steps(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a text in the short form, None for any other."""
    if text in {"", "$"}:
        return ()
    rest = text[1:] if text.startswith("$") else text if text.startswith("[") else f".{text}"
    steps: list[Step] = []
    offset = 0
    while offset < len(rest):
        match = _STEP.match(rest, offset)
        if match is None:
            return None
        steps.append(match[1] or (EVERY if match[2] is None else int(match[2])))
        offset = match.end()
    return tuple(steps)
