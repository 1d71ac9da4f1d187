"""Templates are read when a rule loads, and never rendered."""

import re
import subprocess
import sys

import pytest

from judge_bundles.record import VARIABLES
from judge_bundles.rules.templates import (
    JUDGE_VARIABLES,
    PAIRWISE_VARIABLES,
    read_template,
)

KNOWN = ", ".join(f"`{name}`" for name in JUDGE_VARIABLES)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("plain", set()),
        ("{{ outputs.files['a']['_binary'] }}", {"outputs"}),
        ("{% for f in outputs.files %}{{ loop.index }} {{ f }}{% endfor %}", {"outputs"}),
        ("{% set a = inputs %}{{ a }}", {"inputs"}),
        ("{% macro m(q) %}{{ q }}{{ evidence }}{% endmacro %}{{ m(1) }}", {"evidence"}),
        ("{% raw %}{{ anything }}{% endraw %}", set()),
        ("{% block x %}{{ tool_trace | trim }}{% endblock %}", {"tool_trace"}),
        ("{{ range(3) | list }}{% set ns = namespace(a=1) %}{{ ns.a }}", set()),
        ("{{ annotations.get('category') }} {{ arguments.strictness }}", {"annotations", "arguments"}),
        ("{{ conversation | as_data('said') }}", {"conversation"}),
        ("{% if arguments.a is defined %}x{% endif %}", {"arguments"}),
    ],
)  # fmt: skip
def test_the_variables_that_a_template_uses_are_found(text: str, used: set[str]) -> None:
    assert read_template(text, JUDGE_VARIABLES).variables == used


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n{{ convo", "line 2: unexpected end of template, expected 'end of print statement'."),
        ("{% foo %}", "line 1: Encountered unknown tag 'foo'."),
        ("{{ outputs | nofilter }}", "line 1: No filter named 'nofilter'."),
        ("{{ outputs is notest }}", "line 1: No test named 'notest'."),
        ("{# never closed", "line 1: Missing end of comment tag"),
        ("\n\n{{ convo }}", f"line 3: unknown variable `convo`: known are {KNOWN}"),
        ("{{ output }}", "line 1: unknown variable `output`: did you mean `outputs`?"),
        ("{% if x is defined %}{% endif %}", f"line 1: unknown variable `x`: known are {KNOWN}"),
        ("{{ lipsum() }}", f"line 1: unknown variable `lipsum`: known are {KNOWN}"),
        ("{{ ''.__class__ }}", "line 1: the attribute `__class__` is refused"),
        ("a\n{{ outputs._x }}", "line 2: the attribute `_x` is refused: write ['_x'] for a key"),
        ("{{ outputs['__class__'] }}", "line 1: the key `__class__` is refused"),
        ("{{ outputs | attr('__class__') }}", "line 1: the name `__class__` is refused"),
        ("{{ outputs | attr('_x') }}", "line 1: the name `_x` is refused"),
        ("{{ outputs | map(attribute='a.__class__') }}", "line 1: the name `a.__class__` is refused"),
        ("{{ outputs.get('__class__') }}", "line 1: the name `__class__` is refused"),
        ("{% include 'a' %}", "line 1: a template cannot take in another one"),
        ("{% import 'a' as a %}", "line 1: a template cannot take in another one"),
        ("{% from 'a' import a %}", "line 1: a template cannot take in another one"),
        ("{% extends 'a' %}", "line 1: a template cannot take in another one"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "line 1: it is nested too deeply"),
    ],
)  # fmt: skip
def test_a_template_that_can_never_be_right_is_refused_with_its_line(
    text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_template(text, JUDGE_VARIABLES)


def test_nothing_is_worked_out_while_a_template_is_read() -> None:
    program = (
        "from judge_bundles.rules.templates import read_template\n"
        "read_template('{{ 9 ** 9 ** 9 }}{{ \"x\" * 10 ** 12 }}{% if 9 ** 9 ** 9 %}{% endif %}', ())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_variables_are_those_of_the_record_and_the_arguments() -> None:
    assert set(JUDGE_VARIABLES) == {*VARIABLES, "arguments"}
    text = "".join(f"{{{{ {name} }}}}" for name in PAIRWISE_VARIABLES)
    assert read_template(text, PAIRWISE_VARIABLES).variables == set(PAIRWISE_VARIABLES)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{{ outputs.conversation }}", "conversation"),
        ("{{ outputs.response }}", "response"),
        ("{{ outputs['conversation'] }}", "conversation"),
        ("{{ outputs.get('response', '') }}", "response"),
    ],
)
def test_a_name_that_is_not_below_outputs_is_hinted_at(text: str, key: str) -> None:
    assert read_template(text * 2, JUDGE_VARIABLES).hints == (
        f"`outputs.{key}` does not exist and renders empty: use `conversation`",
    )
    assert read_template("{{ outputs.files }}", JUDGE_VARIABLES).hints == ()


@pytest.mark.parametrize(
    ("rule", "imported"),
    [
        ('[{"type": "file_present", "path": "a"}]', "False"),
        ('{"rubric": "good {{ x }}"}', "False"),
        ('{"judges": [{"name": "a", "check": "return 1"}]}', "False"),
        ('{"judges": [{"name": "a", "builtin": "cost_budget"}]}', "False"),
        ('{"judges": [{"name": "a", "prompt": "p"}]}', "True"),
    ],
)
def test_only_a_rule_with_a_template_waits_for_jinja2(
    tmp_path_factory: pytest.TempPathFactory, rule: str, imported: str
) -> None:
    folder = tmp_path_factory.mktemp("rule")
    (folder / "rule.json").write_text(rule)
    program = (
        "import sys\nfrom judge_bundles.rules import load_rule\n"
        "load_rule('rule.json')\nprint('jinja2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True
    )
    assert done.stdout == f"{imported}\n"
