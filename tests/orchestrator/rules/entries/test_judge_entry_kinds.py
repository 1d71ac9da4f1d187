"""Which kind of judge an entry is, what has no effect on it, and what answers it gives."""

from pathlib import Path
from typing import Any

import pytest

from judge_bundles.rules import Overrides
from judge_bundles.rules.model import AgentJudgeSpec
from judge_bundles.scoring import JudgeScale, ScoreRange
from tests.support.judge_rules import CHECK, llm_judge, load_judges, python_judge
from tests.support.rule_files import load, write

SKIPPED = (
    "judges[0]: is skipped: none of `builtin`, `agent`, `check`, `llm_rubric`, `prompt`, "
    "`prompt_file`, `module` says what kind of judge it is"
)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)
    write(tmp_path, "prompt.md", "of a file")
    write(tmp_path, "own.py", "def check(outputs, **other): ...")


@pytest.mark.parametrize(
    ("keys", "kind", "text", "overlaps"),
    [
        ({"check": "return 1", "llm_rubric": "r", "prompt": "p", "module": "own", "function": "check"}, "check", "return 1", ["llm_rubric", "prompt", "module", "function"]),
        ({"prompt": "p", "llm_rubric": "{{ conversation }}"}, "llm", "{{ conversation }}", ["prompt"]),
        ({"prompt_file": "prompt.md", "prompt": "p"}, "llm", "p", ["prompt_file"]),
        ({"prompt_file": "prompt.md", "module": "own", "function": "check"}, "llm", "of a file", ["module", "function"]),
        ({"prompt_file": "prompt.md"}, "llm", "of a file", []),
        ({"module": "own", "function": "check"}, "code", "def check(outputs, **other): ...", []),
    ],
)  # fmt: skip
def test_of_keys_that_meet_the_strongest_counts_and_a_warning_names_the_others(
    tmp_path: Path, keys: dict[str, Any], kind: str, text: str, overlaps: list[str]
) -> None:
    rule = load_judges(tmp_path, {"name": "a", **keys})
    judge = rule.judges[0]
    assert judge.type == kind
    assert text == (llm_judge(rule).template if kind == "llm" else python_judge(rule).source)
    assert [warning.partition(" beside ")[0] for warning in rule.warnings] == [
        f"judges[0].{key}: of no effect" for key in overlaps
    ]


def test_an_entry_without_a_kind_is_skipped_with_a_warning(tmp_path: Path) -> None:
    rule = load_judges(tmp_path, {"name": "a", "description": "d"}, CHECK)
    assert [judge.name for judge in rule.judges] == ["a_check"]
    assert rule.warnings == (SKIPPED,)


def test_a_comparison_without_a_prompt_is_skipped_with_a_warning(tmp_path: Path) -> None:
    rule = load_judges(tmp_path, {"name": "pairwise"}, CHECK)
    assert rule.pairwise is None
    assert rule.warnings == ("judges[0]: is skipped: it has neither `prompt` nor `prompt_file`",)


@pytest.mark.parametrize(
    ("entry", "idle"),
    [
        ({"check": "return 1", "samples": 3, "model": "m", "context": ["prompt.md"], "max_tokens": 9, "feedback_type": "int"}, ["context", "feedback_type", "model", "max_tokens", "samples"]),
        ({"module": "own", "function": "check", "samples": 3}, ["samples"]),
        ({"builtin": "cost_budget", "samples": 3, "model": "m"}, ["model", "samples"]),
        ({"builtin": "cost_budget", "score_range": [0, 1], "arguments": {}}, []),
        ({"builtin": "output_completeness", "samples": 3, "model": "m", "max_tokens": 9, "context": ["prompt.md"], "feedback_type": "bool"}, []),
        ({"agent": {"rubric": "r"}, "arguments": {"a": 1}, "context": ["prompt.md"], "feedback_type": "bool"}, ["arguments", "context", "feedback_type"]),
        ({"agent": {"rubric": "r"}, "samples": 3, "model": "m", "max_tokens": 9, "if": "True"}, []),
        ({"prompt": "p", "samples": 3, "model": "m", "max_tokens": 9, "context": ["prompt.md"], "score_range": [0, 1], "if": True, "arguments": {}}, []),
        ({"name": "pairwise", "prompt": "p", "if": True, "samples": 2, "score_range": [0, 1], "feedback_type": "int", "arguments": {}, "context": ["prompt.md"], "model": "m", "max_tokens": 9}, ["if", "feedback_type", "samples", "score_range"]),
    ],
)  # fmt: skip
def test_a_key_that_is_not_for_the_kind_has_no_effect_and_a_warning(
    tmp_path: Path, entry: dict[str, Any], idle: list[str]
) -> None:
    warnings = load_judges(tmp_path, {"name": "a", **entry}, CHECK).warnings
    assert [warning.partition(": of no effect on ")[0] for warning in warnings] == [
        f"judges[0].{key}" for key in idle
    ]


def test_what_is_idle_is_ignored(tmp_path: Path) -> None:
    check = {"check": "return 1", "samples": 3, "score_range": [0, 10], "context": ["none.md"]}
    judge = python_judge(load_judges(tmp_path, {"name": "a", **check}))
    assert judge.score_range == (0.0, 10.0)


@pytest.mark.parametrize(
    ("keys", "pass_fail", "scale"),
    [
        ({"llm_rubric": "r"}, True, None),
        ({"llm_rubric": "r", "score_range": [0, 10]}, False, (0, 10)),
        ({"llm_rubric": "r", "feedback_type": "int"}, False, (1, 5)),
        ({"llm_rubric": "r", "feedback_type": "bool"}, True, None),
        ({"prompt": "p"}, False, (1, 5)),
        ({"prompt": "p", "feedback_type": "bool"}, True, None),
        ({"prompt": "p", "feedback_type": "float"}, False, (1, 5)),
        ({"prompt": "p", "feedback_type": "anything", "score_range": [-1, 0.5]}, False, (-1, 0.5)),
        ({"prompt_file": "prompt.md"}, False, (1, 5)),
        ({"builtin": "output_completeness"}, True, None),
    ],
)
def test_the_answer_of_an_llm_judge_is_as_declared_or_as_is_usual(
    tmp_path: Path, keys: dict[str, Any], pass_fail: Any, scale: tuple[float, float] | None
) -> None:
    rule = load_judges(tmp_path, {"name": "a", **keys})
    judge = llm_judge(rule)
    assert judge.pass_fail is pass_fail
    if scale:
        assert judge.score_range == scale
    assert rule.scales == (
        JudgeScale("a", "pass_fail") if pass_fail else JudgeScale("a", "numeric", ScoreRange(*judge.score_range)),
    )  # fmt: skip
    assert rule.warnings == ()


@pytest.mark.parametrize("near", ["boolean", "Bool", "BOOL"])
def test_a_type_that_is_nearly_bool_is_a_score_and_a_warning(tmp_path: Path, near: str) -> None:
    rule = load_judges(tmp_path, {"name": "a", "llm_rubric": "r", "feedback_type": near})
    assert not llm_judge(rule).pass_fail
    assert rule.warnings == (
        "judges[0].feedback_type: means a score: write `bool` for pass or fail",
    )


@pytest.mark.parametrize(
    ("rubric", "appended"),
    [
        ("good", True),
        ("{{ outputs.conversation }}", True),
        ("it says conversation", True),
        ("{% raw %}{{ conversation }}{% endraw %}", True),
        ("{# {{ conversation }} #}", True),
        ("{{conversation}}", False),
        ("{{ conversation | upper }}", False),
        ("{% if conversation %}x{% endif %}", False),
        ("{% for line in conversation.splitlines() %}{{ line }}{% endfor %}", False),
        ("{% set said = conversation %}{{ said }}", False),
        ("{{ (conversation)[:10] }}", False),
    ],
)
def test_the_conversation_is_put_below_a_rubric_that_does_not_use_it(
    tmp_path: Path, rubric: str, appended: Any
) -> None:
    template = llm_judge(load_judges(tmp_path, {"name": "a", "llm_rubric": rubric})).template
    section = "\n\n# Agent Response to Evaluate\n\n{{ conversation }}"
    assert template == rubric + (section if appended else "")
    prompt = llm_judge(load_judges(tmp_path, {"name": "a", "prompt": rubric})).template
    assert prompt == rubric


def test_a_variable_that_does_not_exist_below_outputs_is_hinted_at(tmp_path: Path) -> None:
    write(tmp_path, "context.md", "{{ outputs['response'] }}")
    prompt = "{{ outputs.conversation }} {{ outputs.get('conversation') }}"
    rule = load_judges(tmp_path, {"name": "a", "prompt": prompt, "context": ["context.md"]})
    assert rule.warnings == (
        "judges[0].prompt: `outputs.conversation` does not exist and renders empty: use `conversation`",
        "judges[0].context[0]: `outputs.response` does not exist and renders empty: use `conversation`",
    )


def test_a_name_that_a_check_has_from_nowhere_is_a_warning(tmp_path: Path) -> None:
    check = "import re\nreturn bool(re.search('x', output['stdout'])), __name__"
    assert load_judges(tmp_path, {"name": "a", "check": check}).warnings == (
        "judges[0].check: nothing defines `output`: there are `outputs` and `arguments`",
    )


@pytest.mark.parametrize(("written", "condition"), [(True, True), (False, False), ("'a' in annotations", "'a' in annotations")])  # fmt: skip
def test_a_condition_is_kept_as_it_is_written(tmp_path: Path, written: Any, condition: Any) -> None:
    agent = {"name": "b", "agent": {"rubric": "r"}, "if": written}
    rule = load_judges(tmp_path, {**CHECK, "if": written}, agent)
    assert [judge.condition for judge in rule.judges] == [condition, condition]


MODELS = [
    ("option", "own", "rule", "models", "env", "option"),
    (None, " own ", "rule", "models", "env", "own"),
    (None, None, "rule", "models", "env", "rule"),
    (None, None, None, "models", "env", "models"),
    (None, None, None, None, "env", "env"),
    (None, None, None, None, " ", None),
]


@pytest.mark.parametrize(("option", "own", "rule_model", "models", "env", "expected"), MODELS)
@pytest.mark.parametrize(
    "entry",
    [
        {"prompt": "p"},
        {"builtin": "output_completeness"},
        {"agent": {"rubric": "r"}},
        {"name": "pairwise", "prompt": "p"},
    ],
)
def test_the_strongest_model_asks_each_kind_of_judge(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    entry: dict[str, Any],
    option: str | None,
    own: str | None,
    rule_model: str | None,
    models: str | None,
    env: str,
    expected: str | None,
) -> None:
    monkeypatch.setenv("EVAL_JUDGE_MODEL", env)
    keys: dict[str, Any] = {"model": rule_model} if rule_model else {}
    keys |= {"models": {"judge": models}} if models else {}
    written = {"name": "a", **entry} | ({"model": own} if own else {})
    rule = load_judges(tmp_path, written, CHECK, overrides=Overrides(option), **keys)
    asked = rule.pairwise or rule.judges[0]
    assert getattr(asked, "model", "no judge") == expected
    assert rule.warnings == ()


def test_an_agent_has_its_own_model_in_its_own_key(tmp_path: Path) -> None:
    entry = {"name": "a", "agent": {"rubric": "r", "model": "own", "samples": 3, "max_tokens": 9}}
    (judge,) = load_judges(tmp_path, entry, model="rule").judges
    assert isinstance(judge, AgentJudgeSpec)
    assert (judge.model, judge.samples, judge.max_tokens) == ("own", 3, 9)


def test_a_runtime_of_the_command_line_is_that_of_every_agent(tmp_path: Path) -> None:
    entry = {"name": "a", "agent": {"rubric": "r", "sandbox": {"runtime": "runc"}}}
    (judge,) = load_judges(tmp_path, entry, overrides=Overrides(runtime="runsc")).judges
    assert isinstance(judge, AgentJudgeSpec)
    assert judge.sandbox.runtime == "runsc"


@pytest.mark.parametrize(
    ("keys", "warnings"),
    [
        ({"judges": [CHECK], "model": "m"}, ("`model`: of no effect without `rubric`, `rubric_file` or `criteria`",)),
        ({"judges": [CHECK], "limits": {}}, ("`limits`: of no effect without `rubric`, `rubric_file` or `criteria`",)),
        ({"judges": [{"name": "a", "prompt": "p"}], "model": "m"}, ()),
        ({"judges": [CHECK], "record": {"main": "a.md"}}, ()),
        ({"rubric": "r", "record": {"main": "a.md"}}, ("record: of no effect without `judges` that look at it",)),
        ({"judges": [{"name": "a", "agent": {"rubric": "r"}, "if": "outputs"}], "record": {"main": "a.md"}}, ()),
        ({"judges": [{"name": "a", "agent": {"rubric": "r"}}], "record": {"main": "a.md"}}, ("record: of no effect without `judges` that look at it",)),
        ({"judges": [{"name": "a", "agent": {"rubric": "r", "limits": {"max_turns": 1}}}]}, ("judges[0].agent.limits.max_turns: with one turn nothing can be inspected, so nothing can pass",)),
        ({"rubric": "r", "models": {"judge": "m", "skill": "x"}}, ("ignored, as settings of other tools: `models.skill`",)),
    ],
)  # fmt: skip
def test_what_is_of_no_effect_in_the_whole_is_a_warning(
    tmp_path: Path, keys: dict[str, Any], warnings: tuple[str, ...]
) -> None:
    assert load(tmp_path, keys).warnings == warnings


def test_files_are_looked_for_in_the_project_root_then_beside_the_rule_or_named_absolutely(
    tmp_path: Path,
) -> None:
    absolute = write(tmp_path, "elsewhere/prompt.md", "absolute")
    write(tmp_path, "rules/beside.md", "beside")
    write(tmp_path, "rules/prompt.md", "not this one")
    entry = {"name": "a", "prompt_file": "prompt.md", "context": ["beside.md", str(absolute)]}
    judge = llm_judge(load(tmp_path, {"judges": [entry]}, "rules/rule.json"))
    assert judge.template == "of a file"
    assert [file.text for file in judge.context] == ["beside", "absolute"]
