"""Render the prompts of LLM judges: what the rule's author wrote, with what a bundle says in it.

Text from a bundle is put in once and never rendered. A prompt that grows too long ends as an error
while it grows. Nothing here asks a model.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Template, TemplateSyntaxError

from judge_bundles import escape
from judge_bundles.errors import JudgementError
from judge_bundles.judge_code.answers import whole
from judge_bundles.judge_code.definitions import PromptTemplates, Section
from judge_bundles.judge_code.environment import Absent, PromptEnvironment, parse, variables
from judge_bundles.judge_code.refusals import Places, raised, refused
from judge_bundles.limits import MAX_PROMPT_CHARACTERS
from judge_bundles.record import VARIABLES, Record, Texts
from judge_bundles.record.texts import Shown

_MAX_NAME_CHARACTERS: Final = 120


class Prompts:
    """Renders templates; each is compiled once in a process."""

    def __init__(self) -> None:
        self._environment = PromptEnvironment(self._notice)
        self._compiled: dict[Section, Template] = {}
        self._given: Mapping[str, Any] = {}
        self._absent: dict[str, None] = {}

    def prompt(self, templates: PromptTemplates, record: Record) -> tuple[str, list[str]]:
        """Return the prompt of one judge for one bundle, and what it named in vain."""
        named = self.named(templates)
        given = Texts(record).variables(name for name in VARIABLES if name in named)
        return self.render(templates, given)

    def named(self, templates: PromptTemplates) -> frozenset[str]:
        """Return the variables that the templates of a judge use."""
        sections = (templates.main, *templates.context)
        return frozenset().union(*(_variables(section) for section in sections))

    def render(
        self, templates: PromptTemplates, given: Mapping[str, Any], ending: str = ""
    ) -> tuple[str, list[str]]:
        """Return the template, `ending` and the context files as one text; and what is absent."""
        self._given = {"arguments": _arguments(templates.arguments), **given}
        self._absent.clear()
        parts = [self._text(templates.main, MAX_PROMPT_CHARACTERS) + ending]
        for section in templates.context:
            left = MAX_PROMPT_CHARACTERS - sum(map(len, parts))
            parts.append(f"\n\n## Context: {_name(section)}\n\n{self._text(section, left).strip()}")
        prompt = whole("".join([parts[0].rstrip("\n") if parts[1:] else parts[0], *parts[1:]]))
        if len(prompt) > MAX_PROMPT_CHARACTERS:
            raise _too_long()
        return prompt, [f"rendered as nothing: {name}" for name in self._absent]

    def _text(self, section: Section, limit: int) -> str:
        pieces: list[str] = []
        try:
            for piece in self._template(section).generate(self._given):
                limit -= len(piece)
                if limit < 0:
                    break
                pieces.append(piece)
        except MemoryError:
            raise
        except Exception as error:
            raise _failed(error, section) from error
        if limit < 0:
            raise _too_long()
        return "".join(pieces)

    def _template(self, section: Section) -> Template:
        if section not in self._compiled:
            code = self._environment.code(section.source, section.label)
            space = self._environment.make_globals(None)
            self._compiled[section] = Template.from_code(self._environment, code, space)
        return self._compiled[section]

    def _notice(self, absent: Absent) -> None:
        above, name = absent.called
        owner = next((known for known, value in self._given.items() if value is above), None)
        text = escape.line(str(name), limit=_MAX_NAME_CHARACTERS)
        self._absent.setdefault(text if owner is None else f"{owner}.{text}")


def _variables(section: Section) -> frozenset[str]:
    try:
        return variables(parse(section.source))
    except TemplateSyntaxError as error:
        raise _failed(error, section) from error


def _failed(error: Exception, section: Section) -> JudgementError:
    if isinstance(error, TemplateSyntaxError):
        return refused(f"{error.message} (line {error.lineno} of {section.label})")
    return raised(error, Places({section.label: section.label}))


def _arguments(arguments: Mapping[str, Any]) -> Shown:
    return Shown(arguments, lambda: json.dumps(arguments, ensure_ascii=False))


def _name(section: Section) -> str:
    return escape.line(section.name or "", limit=_MAX_NAME_CHARACTERS)


def _too_long() -> JudgementError:
    return refused(f"the prompt is longer than {MAX_PROMPT_CHARACTERS:,} characters")
