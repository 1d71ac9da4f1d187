"""Everything that is wrong with an entry of `judges` is said when the rule loads, with its place."""

from pathlib import Path
from typing import Any

import pytest

from judge_bundles import limits
from tests.support.judge_rules import CHECK, load_judges, problems
from tests.support.rule_files import load, refusal, write

PROMPT = {"name": "p", "prompt": "Score it."}
RANGE = "must be two finite numbers, the lower one first, such as [1, 5]"
YES_NO = "a judge of the `feedback_type` `bool` says pass or fail and has no scale"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        # the entry and its name
        (None, "judges[0]: has no value: write one, or leave the key out"),
        ({"check": "return 1"}, "judges[0]: the key `name` is missing"),
        ({**CHECK, "name": "  "}, 'judges[0].name: must be text that is not blank of at most 200 characters, not the text "  "'),
        ({**CHECK, "name": None}, "judges[0].name: has no value: write one, or leave the key out"),
        ({**CHECK, "name": 7}, "judges[0].name: must be text that is not blank of at most 200 characters, not 7"),
        ({**CHECK, "name": "a\nb"}, "judges[0].name: must be one line of printable characters"),
        ({**CHECK, "name": "gate"}, "judges[0].name: `gate` is reserved for the prechecks: choose another name"),
        ({**CHECK, "promt": "x"}, "judges[0]: unknown key `promt`: did you mean `prompt`?"),
        # types
        ({"name": "a", "builtin": 3}, "judges[0].builtin: must be text that is not blank, not 3"),
        ({"name": "a", "builtin": ["cost_budget"]}, "judges[0].builtin: must be text that is not blank, not a list of 1"),
        ({"name": "a", "check": True}, "judges[0].check: must be text that is not blank, not true"),
        ({"name": "a", "prompt": " "}, 'judges[0].prompt: must be text that is not blank, not the text " "'),
        ({**CHECK, "arguments": [1]}, "judges[0].arguments: must be a mapping, not a list of 1"),
        ({**CHECK, "arguments": "max: 1"}, 'judges[0].arguments: must be a mapping, not the text "max: 1"'),
        ({**CHECK, "arguments": None}, "judges[0].arguments: has no value: write one, or leave the key out"),
        ({**CHECK, "description": 1}, "judges[0].description: must be text, not 1"),
        ({**PROMPT, "context": "a.md"}, 'judges[0].context: must be a list of at most 50 items, not the text "a.md"'),
        ({**PROMPT, "context": [1]}, "judges[0].context[0]: must be text that is not blank, not 1"),
        ({**PROMPT, "feedback_type": True}, "judges[0].feedback_type: must be text that is not blank, not true"),
        ({**PROMPT, "model": {}}, "judges[0].model: must be text that is not blank, not an empty mapping"),
        ({**PROMPT, "samples": "3"}, 'judges[0].samples: must be a whole number of at least 1 and at most 25, not the text "3"'),
        ({**PROMPT, "max_tokens": 0}, "judges[0].max_tokens: must be a whole number of at least 1 and at most 1000000, not 0"),
        # the range
        *[({**PROMPT, "score_range": given}, f"judges[0].score_range: {RANGE}") for given in (
            [1], [1, 2, 3], [5, 1], [1, 1], ["1", 5], [True, 5], {"min": 1}, "1-5", 5, [1, 1e101], [1, 10**399],
        )],
        ({**CHECK, "score_range": [5, 1]}, f"judges[0].score_range: {RANGE}"),
        ({**PROMPT, "feedback_type": "bool", "score_range": [1, 5]}, f"judges[0].score_range: {YES_NO}"),
        ({**CHECK, "feedback_type": "bool", "score_range": [1, 5]}, f"judges[0].score_range: {YES_NO}"),
        ({"name": "a", "builtin": "output_completeness", "score_range": [1, 5]}, "judges[0].score_range: `output_completeness` says pass or fail and has no scale"),
        ({"name": "a", "builtin": "output_completeness", "feedback_type": "int"}, "judges[0].feedback_type: `output_completeness` says pass or fail: leave it out, or `bool`"),
        ({"name": "a", "agent": {"rubric": "r"}, "score_range": [1, 5]}, "judges[0].score_range: an agent says pass or fail and has no scale"),
        # the kind
        ({"name": "a", "builtin": "cost_budget", "check": "return 1", "prompt": "x"}, "judges[0].builtin: stands alone, but beside it is `check`, `prompt`: keep one of them"),
        *[({"name": "a", "builtin": "cost_budget", key: "x"}, f"judges[0].builtin: stands alone, but beside it is `{key}`: keep one of them") for key in ("llm_rubric", "prompt_file")],
        ({"name": "a", "builtin": "cost_budget", "module": "m", "function": "f"}, "judges[0].builtin: stands alone, but beside it is `module`, `function`: keep one of them"),
        ({"name": "a", "builtin": "cost_budget", "agent": {"rubric": "r"}}, "judges[0].builtin: stands alone, but beside it is `agent`: keep one of them"),
        ({"name": "a", "agent": {"rubric": "r"}, "prompt": "x"}, "judges[0].agent: stands alone, but beside it is `prompt`: keep one of them"),
        ({"name": "a", "module": "m"}, "judges[0].module: `module` needs a `function` beside it"),
        ({"name": "a", "function": "f"}, "judges[0].function: `function` needs a `module` beside it"),
        ({**CHECK, "module": "m"}, "judges[0].module: `module` needs a `function` beside it"),
        # builtins
        ({"name": "a", "builtin": "cost_budgt"}, "judges[0].builtin: there is no builtin judge `cost_budgt`: did you mean `efficiency/cost_budget`? There are efficiency/cost_budget, process/consulted_docs, process/tool_call_validation, quality/output_completeness, safety/no_harmful_content"),
        ({"name": "a", "builtin": "quality/cost_budget"}, "judges[0].builtin: there is no builtin judge `quality/cost_budget`: did you mean `efficiency/cost_budget`? There are efficiency/cost_budget, process/consulted_docs, process/tool_call_validation, quality/output_completeness, safety/no_harmful_content"),
        ({"name": "a", "builtin": "x"}, "judges[0].builtin: there is no builtin judge `x`. There are efficiency/cost_budget, process/consulted_docs, process/tool_call_validation, quality/output_completeness, safety/no_harmful_content"),
        ({"name": "a", "builtin": "cost_budget", "arguments": {"max_cost": 1}}, "judges[0].arguments: unknown argument `max_cost`: did you mean `max_cost_usd`?"),
        ({"name": "a", "builtin": "cost_budget", "arguments": {"max_cost_usd": "1"}}, 'judges[0].arguments.max_cost_usd: must be a number, not the text "1"'),
        ({"name": "a", "builtin": "cost_budget", "arguments": {"max_cost_usd": True}}, "judges[0].arguments.max_cost_usd: must be a number, not true"),
        ({"name": "a", "builtin": "cost_budget", "arguments": {"max_cost_usd": None}}, "judges[0].arguments.max_cost_usd: must be a number, not null"),
        ({"name": "a", "builtin": "cost_budget", "arguments": {"outputs": 1}}, "judges[0].arguments.outputs: `outputs` is the record: name the argument otherwise"),
        ({"name": "a", "builtin": "consulted_docs", "arguments": {"match": "prefix"}}, 'judges[0].arguments.match: must be one of `suffix`, `exact`, `basename`, not the text "prefix"'),
        ({"name": "a", "builtin": "consulted_docs", "arguments": {"preloaded_files": "CLAUDE.md"}}, 'judges[0].arguments.preloaded_files: must be a list, each item text, not the text "CLAUDE.md"'),
        ({"name": "a", "builtin": "tool_call_validation", "arguments": {"x": 1}}, "judges[0].arguments: takes no arguments, and is given `x`"),
        ({"name": "a", "builtin": "output_completeness", "arguments": {"strictness": "extreme"}}, 'judges[0].arguments.strictness: must be one of `low`, `medium`, `high`, not the text "extreme"'),
        # check and if
        ({"name": "a", "check": "return ("}, "judges[0].check: line 1: '(' was never closed"),
        ({"name": "a", "check": "x = 1\nx += 1"}, "judges[0].check: never returns a value: end it with `return value, rationale`"),
        ({"name": "a", "check": "x = 1\nbreak\nreturn x"}, "judges[0].check: line 2: 'break' outside loop"),
        ({**CHECK, "if": 1}, "judges[0].if: must be true, false or a Python expression as text"),
        ({**CHECK, "if": None}, "judges[0].if: has no value: write one, or leave the key out"),
        ({**CHECK, "if": " "}, "judges[0].if: must be true, false or a Python expression as text"),
        ({**CHECK, "if": ["a"]}, "judges[0].if: must be true, false or a Python expression as text"),
        ({**CHECK, "if": "annotations ="}, "judges[0].if: is no Python expression: invalid syntax"),
        ({**CHECK, "if": "annotation['a']"}, "judges[0].if: the name `annotation` is not defined: known are `annotations`, `outputs`"),
        # templates
        ({"name": "a", "prompt": "{{ outputs"}, "judges[0].prompt: in the template, line 1: unexpected end of template, expected 'end of print statement'."),
        ({"name": "a", "llm_rubric": "good\n{{ conversatoin }}"}, "judges[0].llm_rubric: in the template, line 2: unknown variable `conversatoin`: did you mean `conversation`?"),
        ({"name": "a", "prompt": "{{ output_a }}"}, "judges[0].prompt: in the template, line 1: unknown variable `output_a`: did you mean `outputs`?"),
        ({"name": "a", "prompt": "{{ ''.__class__ }}"}, "judges[0].prompt: in the template, line 1: the attribute `__class__` is refused"),
        # files
        ({"name": "a", "prompt_file": "none.md"}, "judges[0].prompt_file: no such file: none.md"),
        ({**PROMPT, "context": ["none.md"]}, "judges[0].context[0]: no such file: none.md"),
        ({"name": "a", "prompt_file": "blank.md"}, "judges[0].prompt_file: blank.md is blank: write the text into it"),
        ({**PROMPT, "context": ["broken.md"]}, "judges[0].context[0]: in the template, line 2: unknown variable `who`: known are `outputs`, `conversation`, `tool_trace`, `inputs`, `evidence`, `annotations`, `arguments`"),
        # modules
        ({"name": "a", "module": "a b", "function": "f"}, "judges[0].module: must be a module's name such as `checks.reports`"),
        ({"name": "a", "module": "a..b", "function": "f"}, "judges[0].module: must be a module's name such as `checks.reports`"),
        ({"name": "a", "module": "m", "function": "f()"}, "judges[0].function: must be a function's name such as `check_report`"),
        ({"name": "a", "module": "m", "function": "class"}, "judges[0].function: must be a function's name such as `check_report`"),
        ({"name": "a", "module": "own", "function": "chek"}, "judges[0].function: own.py: defines no function `chek`"),
        ({"name": "a", "module": "own", "function": "check", "arguments": {"least": 1, "most": 2}}, "judges[0].arguments: unknown argument `most`: known are `least`"),
        ({"name": "a", "module": "own", "function": "check"}, "judges[0].arguments: the argument `least` is missing"),
        ({"name": "a", "module": "own", "function": "other"}, "judges[0].function: own.py: `other` takes no parameter `outputs`"),
        # agents
        ({"name": "a", "agent": {}}, "judges[0].agent: needs a `rubric`, a `rubric_file` or `criteria`"),
        ({"name": "a", "agent": "good"}, 'judges[0].agent: must be a mapping with keys among `rubric`, `rubric_file`, `criteria`, `model`, `effort`, `thinking`, `max_tokens`, `samples`, `evidence`, `must_read`, `sandbox`, `limits`, not the text "good"'),
        ({"name": "a", "agent": {"rubrik": "r"}}, "judges[0].agent: unknown key `rubrik`: did you mean `rubric`?"),
        ({"name": "a", "agent": {"rubric": "r", "rubric_file": "own.py"}}, "judges[0].agent.rubric_file: stands beside `rubric`: keep one of the two"),
        ({"name": "a", "agent": {"rubric_file": "none.md"}}, "judges[0].agent.rubric_file: no such file: none.md"),
        ({"name": "a", "agent": {"criteria": [{"id": "a"}]}}, "judges[0].agent.criteria[0]: the key `text` is missing"),
        ({"name": "a", "agent": {"rubric": "r", "limits": {"max_turns": 0}}}, "judges[0].agent.limits.max_turns: must be a whole number of at least 1 and at most 1000, not 0"),
        ({"name": "a", "agent": {"rubric": "r", "max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 2048}}}, "judges[0].agent.thinking.budget_tokens: `budget_tokens` 2048 must be below `max_tokens` 2048"),
        *[({"name": "a", "agent": {"rubric": "r", key: value}, key: value}, f"judges[0].{key}: stands beside `agent.{key}`: keep one of the two") for key, value in (("model", "m"), ("samples", 2), ("max_tokens", 9))],
        # the comparison
        ({"name": "pairwise", "check": "return 1"}, "judges[0].check: the judge `pairwise` takes `prompt` or `prompt_file`"),
        ({"name": "pairwise", "prompt": "x", "llm_rubric": "y"}, "judges[0].llm_rubric: the judge `pairwise` takes `prompt` or `prompt_file`"),
        ({"name": "pairwise", "builtin": "cost_budget"}, "judges[0].builtin: the judge `pairwise` takes `prompt` or `prompt_file`"),
        ({"name": "pairwise", "prompt": "{{ outputs }}"}, "judges[0].prompt: in the template, line 1: unknown variable `outputs`: did you mean `output_b`?"),
        ({"name": "pairwise", "prompt_file": "none.md"}, "judges[0].prompt_file: no such file: none.md"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_entry_is_said_in_words(tmp_path: Path, entry: Any, message: str) -> None:
    write(tmp_path, "blank.md", " \n")
    write(tmp_path, "broken.md", "of\n{{ who }}")
    write(tmp_path, "own.py", "def check(outputs, *, least): ...\ndef other(x): ...\n")
    assert [line.replace(f"{tmp_path}/", "") for line in problems(tmp_path, entry)] == [message]


def test_every_mistake_of_every_entry_is_listed_at_once_with_its_line(tmp_path: Path) -> None:
    text = """\
rubric: good
judges:
  - name: rubric
    check: return 1
  - name: a
    builtin: none
    arguments: 3
  - check: |
      x = 1
  - name: pairwise
    prompt: x
  - name: pairwise
    prompt: "{{ x }}"
  - name: b
    prompt_file: none.md
    if: "1 +"
    context: [also-none.md]
  - 7
thresholds:
  a: {min_mean: x}
  b: {min_pass_rate: 0.5}
  c: {min_mean: 1}
"""
    lines = refusal(tmp_path, text, "rule.yaml")
    assert [line.split(": ")[:2] for line in lines] == [
        ["rule.yaml:3", "judges[0].name"],
        ["rule.yaml:7", "judges[1].arguments"],
        ["rule.yaml:8", "judges[2]"],
        ["rule.yaml:12", "judges[4].name"],
        ["rule.yaml:13", "judges[4].prompt"],
        ["rule.yaml:15", "judges[5].prompt_file"],
        ["rule.yaml:16", "judges[5].if"],
        ["rule.yaml:17", "judges[5].context[0]"],
        ["rule.yaml:18", "judges[6]"],
        ["rule.yaml:20", "thresholds.a.min_mean"],
        ["rule.yaml:21", "thresholds.b.min_pass_rate"],
        ["rule.yaml:22", "thresholds.c"],
    ]
    assert lines[0].endswith(
        "another judge is named `rubric` (it is that of the rule's own rubric): names are unique"
    )


@pytest.mark.parametrize(
    ("key", "most", "value"),
    [
        ("samples", limits.MAX_SAMPLES, None),
        ("max_tokens", limits.MAX_ANSWER_TOKENS, None),
        ("name", limits.MAX_JUDGE_NAME_CHARACTERS, "n"),
        ("context", limits.MAX_CONTEXT_FILES, ["a.md"]),
    ],
)
def test_each_bound_of_an_entry_holds_on_both_of_its_sides(
    tmp_path: Path, key: str, most: int, value: Any
) -> None:
    write(tmp_path, "a.md", "text")
    fits, past = (size if value is None else value * size for size in (most, most + 1))
    load_judges(tmp_path, {**PROMPT, key: fits})
    (line,) = problems(tmp_path, {**PROMPT, key: past})
    assert line.startswith(f"judges[0].{key}: must be ")


def test_a_rule_has_at_most_so_many_judges(tmp_path: Path) -> None:
    entries = [{"name": f"j{n}", "check": "return 1"} for n in range(limits.MAX_JUDGES + 1)]
    assert len(load_judges(tmp_path, *entries[:-1]).judges) == limits.MAX_JUDGES
    assert problems(tmp_path, *entries) == [
        "judges: must be a list of at least 1 and at most 100 items, not a list of 101"
    ]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{"name": "a"}], "judges: nothing to check: no entry says what kind of judge it is"),
        (
            [{"name": "pairwise"}],
            "judges: nothing to check: no entry says what kind of judge it is",
        ),
        (
            [{"name": "pairwise", "prompt": "x"}],
            "judges: nothing to check: `pairwise` only compares what others have judged",
        ),
    ],
)
def test_a_rule_with_nothing_left_to_judge_by_is_refused(
    tmp_path: Path, entries: list[Any], message: str
) -> None:
    assert problems(tmp_path, *entries) == [message]
    gate = [{"type": "file_present", "path": "a"}]
    assert load_judges(tmp_path, *entries, prechecks=gate).judges == ()


def test_an_empty_list_of_judges_is_refused_even_beside_a_gate(tmp_path: Path) -> None:
    gate = [{"type": "file_present", "path": "a"}]
    assert problems(tmp_path, prechecks=gate) == [
        "judges: must be a list of at least 1 and at most 100 items, not an empty list"
    ]


def test_text_of_an_entry_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    text = "\x1b[2J\n::error::\u202e"
    entries = [
        {"name": text, "check": "return 1"},
        {"name": "a", "builtin": text, text: 1},
        {"name": "b", "builtin": text},
        {"name": "c", "prompt": "{{ " + "x" * 900 + " }}"},
        {"name": "d", "prompt_file": text},
        {"name": "e", "builtin": "cost_budget", "arguments": {text: 1}},
        {"name": "f", "builtin": "consulted_docs", "arguments": {"match": text}},
        {"name": "g", "check": f"return '{text}"},
    ]
    lines = problems(tmp_path, *entries)
    assert len(lines) == len(entries)
    assert all(line.isprintable() and len(line) < 800 for line in lines)


def test_unknown_keys_at_the_top_are_errors_where_there_are_no_judges(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, {"rubric": "r", "dataset": {}})
    assert line.startswith("rule.json:1: unknown key `dataset`: known are ")
    assert load(tmp_path, {"judges": [CHECK], "dataset": {}}).warnings
