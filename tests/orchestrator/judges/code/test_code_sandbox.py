"""Templates that reach for Python itself, or for what they must not change."""

from pathlib import Path
from typing import Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import Prompt
from tests.orchestrator.record.bundles import STREAM
from tests.support.judge_code import all_rendered, bundle, prompt, refusal_of

REACHING: Final = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ ''|attr('__class__') }}",
    "{{ ''|attr('__cl' ~ 'ass__') }}",
    "{{ (1).__class__ }}",
    "{{ [annotations]|map(attribute='__class__')|list }}",
    "{{ ['x']|map('attr', '__class__')|list }}",
    "{{ ['x']|selectattr('__class__')|list }}",
    "{{ ['x']|groupby('__class__') }}",
    "{{ ['x']|sort(attribute='__class__') }}",
    "{{ ['x']|sum(attribute='__class__') }}",
    "{{ ['x']|unique(attribute='__class__')|list }}",
    "{{ '{0.__class__}'.format(outputs) }}",
    "{{ '{x.__class__}'.format_map({'x': outputs}) }}",
    "{{ '{0[__class__]}'.format('') }}",
    "{{ '%s'|format(outputs.__class__) }}",
    "{{ conversation.format.__globals__ }}",
    "{{ ''.join.__self__ }}",
    "{{ outputs.get.__self__ }}",
    "{{ outputs.__getitem__.__globals__ }}",
    "{{ outputs._members }}",
    "{{ annotations._text.__closure__ }}",
    "{{ cycler.__init__ }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ namespace.__mro__ }}",
    "{{ dict.mro() }}",
    "{{ dict.__base__ }}",
    "{{ range.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{% macro m() %}{% endmacro %}{{ m.__init__ }}",
    "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "{% for x in [1] %}{{ loop._iterable }}{% endfor %}",
    "{% for x in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% set x = namespace() %}{{ x.__class__ }}",
    "{{ outputs.items().__class__ }}",
    "{{ missing.__class__ }}",
    "{{ outputs.events.append(1) }}",
    "{{ outputs.files.update({'x': 1}) }}",
    "{{ outputs.files.clear() }}",
    "{{ outputs.tool_calls.pop() }}",
    "{{ arguments.points.extend([1]) }}",
]


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Prompt | JudgementError]:
    """Each template, rendered in the same process, and one after them all."""
    on = bundle(tmp_path_factory.mktemp("b"), {"a.md": "x", "events.jsonl": STREAM})
    given = {"points": ["a"]}
    judges = [prompt(text, text, arguments=given) for text in REACHING]
    return all_rendered(
        [*judges, prompt("{{ arguments.points }} {{ outputs.files }}", "last", arguments=given)], on
    )


@pytest.mark.parametrize("template", REACHING)
def test_a_template_that_reaches_for_python_is_refused(
    prompts: dict[str, Prompt | JudgementError], template: str
) -> None:
    message = refusal_of(prompts[template])
    assert message.startswith("SecurityError: a template may not use `")
    assert "(line 1 of the prompt of " in message


def test_nothing_was_changed_by_them(prompts: dict[str, Prompt | JudgementError]) -> None:
    assert prompts["last"] == Prompt('["a"] {"a.md": "x"}', ())


def test_what_looks_private_in_a_bundle_can_still_be_read(tmp_path: Path) -> None:
    on = bundle(
        tmp_path, {"image.png": b"\x89PNG\0\0\0", "annotations.json": {"__class__": "mine"}}
    )
    templates = [
        "{{ outputs.files['image.png']._binary }}",
        "{{ outputs.files['image.png']['_binary'] }}",
        "{{ annotations['__class__'] }}",
    ]
    found = all_rendered([prompt(text, text) for text in templates], on)
    assert [found[text] for text in templates] == [
        Prompt("True", ()),
        Prompt("True", ()),
        Prompt("mine", ()),
    ]
