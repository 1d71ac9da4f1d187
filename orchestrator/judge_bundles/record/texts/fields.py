"""Mappings that people wrote (inputs, annotations) as text."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from judge_bundles.record.texts.cutting import end_cut, line, listed, middle_cut

_MAX_KEY_CHARACTERS = 120
_FOR_THE_REST = 1_000
"""Kept free for the names of fields that did not fit."""


def bold_fields(members: Mapping[str, Any], budget: int, one_field: int) -> str:
    """Return `**key**: value` for each field, in order, paragraphs between them."""
    return _fitted(
        members, budget, "\n\n", lambda key, value: f"**{key}**: {_text(value, one_field)}"
    )


def bullets(members: Mapping[str, Any], budget: int, one_field: int) -> str:
    """Return a bullet for each field; a list is a list below it."""
    return _fitted(members, budget, "\n", lambda key, value: _bullet(key, value, one_field))


def _fitted(
    members: Mapping[str, Any], budget: int, between: str, show: Callable[[str, Any], str]
) -> str:
    """Return the fields that fit; one that does not is named at the end, and shorter ones go on."""
    shown: list[str] = []
    left_out: list[str] = []
    left = budget - min(_FOR_THE_REST, budget // 2)
    for key, value in members.items():
        name = line(key, _MAX_KEY_CHARACTERS)
        text = show(name, value)
        if len(text) + len(between) > left:
            left_out.append(name)
            continue
        left -= len(text) + len(between)
        shown.append(text)
    if left_out:
        names = listed(left_out, min(_FOR_THE_REST, budget // 2) - 40)
        shown.append("\n".join(["Left out, too long:", *names]))
    return end_cut(between.join(shown), budget)


def _text(value: Any, limit: int) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return middle_cut(text, limit)


def _bullet(key: str, value: Any, limit: int) -> str:
    if isinstance(value, list) and value:
        items = [f"  - {_indented(_text(item, limit))}" for item in value]
        return middle_cut("\n".join([f"- **{key}**:", *items]), limit)
    return f"- **{key}**: {_indented(_text(value, limit))}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
