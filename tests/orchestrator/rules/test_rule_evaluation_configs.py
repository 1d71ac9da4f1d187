"""Evaluation configs as people write them, each form that is known, load as they stand."""

from pathlib import Path

import pytest

from judge_bundles.rules import Rule
from judge_bundles.rules.model import AgentJudgeSpec
from tests.support.judge_rules import llm_judge, python_judge
from tests.support.rule_files import load, write

CONTENT = """
  - name: long_enough
    check: |
      text = outputs.get("main_content", "")
      if len(text.strip()) < 100:
          return False, f"only {len(text.strip())} characters"
      return True, "fine"
"""
FRONT_MATTER = """
  - name: front_matter
    check: |
      text = outputs.get("main_content", "")
      if not text.startswith("---"):
          return False, "no front matter"
      return True, "front matter is there"
"""
BUDGET = """
  - name: budget
    builtin: cost_budget
    arguments:
      max_cost_usd: 5.0
"""
QUALIFIED = """
  - name: budget
    builtin: efficiency/cost_budget
"""
DOCUMENTS = """
  - name: documents
    builtin: consulted_docs
    arguments:
      min_coverage: 1.0
      match: basename
      include_subagents: false
      include_grep: false
      preloaded_files: ["CLAUDE.md"]
"""
TOOLS = """
  - name: tools
    builtin: tool_call_validation
"""
COMPLETE = """
  - name: complete
    builtin: output_completeness
    samples: 3
    feedback_type: bool
    arguments:
      strictness: high
      criteria:
        - "Every section that was asked for is there"
        - "Errors are described"
"""
HARMLESS = """
  - name: harmless
    builtin: no_harmful_content
    arguments:
      categories: ["malicious code", "personal data"]
"""
SCORED = """
  - name: scored
    description: Whether it is complete and right.
    prompt: |
      Give 1 to 5 for completeness and accuracy.

      {{ outputs }}
      {{ conversation }}
    score_range: [1, 5]
"""
RUBRIC = """
  - name: sources
    llm_rubric: "The agent names the documents it used."
"""
FILES = """
  - name: quality
    prompt_file: eval/prompts/quality-judge.md
    arguments:
      strictness: high
    context:
      - eval/prompts/domain-guidelines.md
"""
CODE = """
  - name: valid
    module: eval.judges.my_checker
    function: check_quality
    arguments:
      threshold: 0.8
"""
CONDITION = """
  - name: navigation
    if: "annotations.get('category') == 'navigation'"
    prompt: "Were the right files opened?\\n\\n{{ tool_trace }}"
"""
SAMPLED = """
  - name: sampled
    prompt: "Give 1 to 5 for accuracy.\\n\\n{{ outputs }}"
    samples: 5
"""
PAIRWISE = """
  - name: pairwise
    description: Which of two runs is better.
    prompt_file: eval/prompts/comparison-judge.md
    model: claude
"""
VARIABLES = """
  - name: variables
    prompt: |
      {{ outputs }} {{ outputs.files }} {{ outputs.events }} {{ conversation }} {{ tool_trace }}
      {{ inputs }} {{ evidence }} {{ annotations }} {{ annotations.get('category') }} {{ arguments }}
"""
AGENT = """
  - name: deep
    agent:
      rubric: It is good.
      criteria: [{id: a, text: b}]
      limits: {max_turns: 5}
      must_read: [{path: report.md}]
"""
FORMS = {
    "content": CONTENT,
    "budget": BUDGET,
    "qualified": QUALIFIED,
    "documents": DOCUMENTS,
    "tools": TOOLS,
    "complete": COMPLETE,
    "harmless": HARMLESS,
    "scored": SCORED,
    "rubric": RUBRIC,
    "files": FILES,
    "code": CODE,
    "condition": CONDITION,
    "sampled": SAMPLED,
    "pairwise": PAIRWISE,
    "variables": VARIABLES,
    "agent": AGENT,
}


def loaded(folder: Path, entries: str, other: str = "") -> Rule:
    write(
        folder, "eval/prompts/quality-judge.md", "Judge {{ outputs }}, {{ arguments.strictness }}"
    )
    write(folder, "eval/prompts/domain-guidelines.md", "Of {{ inputs }} it is known that …")
    write(folder, "eval/prompts/comparison-judge.md", "{{ output_a }} or {{ output_b }}?")
    write(folder, "eval/judges/my_checker.py", "def check_quality(outputs, threshold): ...")
    return load(folder, f"judges:{entries}{other}", "eval.yaml")


@pytest.mark.parametrize("name", [name for name in FORMS if name != "pairwise"])
def test_each_known_form_of_a_judge_loads_without_a_warning(tmp_path: Path, name: str) -> None:
    rule = loaded(tmp_path, FORMS[name])
    assert len(rule.judges) == 1
    assert rule.warnings == ()


def test_a_comparison_stands_beside_the_judges(tmp_path: Path) -> None:
    rule = loaded(tmp_path, CONTENT + PAIRWISE)
    assert [judge.name for judge in rule.judges] == ["long_enough"]
    assert rule.pairwise is not None
    assert rule.pairwise.template == "{{ output_a }} or {{ output_b }}?"
    assert rule.pairwise.description == "Which of two runs is better."
    assert rule.pairwise.model == "claude"
    assert rule.warnings == ()


def test_a_whole_config_loads_with_everything_in_its_place(tmp_path: Path) -> None:
    everything = [value for name, value in FORMS.items() if name != "qualified"]
    rule = loaded(
        tmp_path,
        "".join(everything),
        """
models: {judge: claude-x}
thresholds:
  budget: {min_pass_rate: 1.0}
  scored: {min_mean: 3.5, max_error_rate: 0.1}
  pairwise: {min_win_rate: 0.5}
reward: {weights: {scored: 0.7, harmless: 0.3}}
""",
    )
    assert len(rule.judges) == len(everything) - 1
    assert {judge.model for judge in rule.judges if judge.type in {"llm", "agent"}} == {"claude-x"}
    assert [(one.judge, one.key) for one in rule.thresholds] == [
        ("budget", "min_pass_rate"),
        ("scored", "min_mean"),
        ("scored", "max_error_rate"),
        ("pairwise", "min_win_rate"),
    ]
    assert rule.reward is not None
    assert rule.warnings == ()


def test_a_judge_is_made_of_what_its_entry_says(tmp_path: Path) -> None:
    code = python_judge(loaded(tmp_path, CODE))
    assert (code.type, code.module, code.function) == (
        "code",
        "eval.judges.my_checker",
        "check_quality",
    )
    assert code.source == "def check_quality(outputs, threshold): ..."
    assert code.file == str(tmp_path / "eval/judges/my_checker.py")
    assert code.project_root == str(tmp_path)
    assert code.arguments == {"threshold": 0.8}
    budget = python_judge(loaded(tmp_path, QUALIFIED))
    assert (budget.type, budget.builtin, budget.function) == (
        "builtin",
        "efficiency/cost_budget",
        "judge",
    )
    assert budget.arguments == {"max_cost_usd": 1.0}
    files = llm_judge(loaded(tmp_path, FILES))
    assert files.template == "Judge {{ outputs }}, {{ arguments.strictness }}"
    assert [(file.name, file.text) for file in files.context] == [
        ("eval/prompts/domain-guidelines.md", "Of {{ inputs }} it is known that …")
    ]
    condition = llm_judge(loaded(tmp_path, CONDITION))
    assert condition.condition == "annotations.get('category') == 'navigation'"
    complete = llm_judge(loaded(tmp_path, COMPLETE))
    assert (complete.type, complete.builtin, complete.samples) == (
        "builtin",
        "quality/output_completeness",
        3,
    )
    assert not complete.template.startswith("<!--")
    agent = loaded(tmp_path, AGENT).judges[0]
    assert isinstance(agent, AgentJudgeSpec)
    assert (agent.name, agent.rubric, agent.limits.max_turns) == ("deep", "It is good.", 5)


def test_the_rubric_of_a_rule_is_its_first_judge(tmp_path: Path) -> None:
    rule = loaded(tmp_path, CONTENT, "rubric: good\n")
    assert [judge.name for judge in rule.judges] == ["rubric", "long_enough"]


def test_a_config_also_has_prechecks(tmp_path: Path) -> None:
    rule = loaded(
        tmp_path,
        CONTENT,
        "prechecks: [{type: file_present, path: a}]\nthresholds: {gate: {min_pass_rate: 0.5}}\n",
    )
    assert len(rule.gate.checks) == 1
    assert rule.thresholds[0].limit == 0.5


def test_settings_of_other_tools_are_named_in_one_warning(tmp_path: Path) -> None:
    other = (
        "skill: x\ndataset: {path: d}\nthreshold: 1\nmodels: {skill: a, judge: b, subagent: null}\n"
    )
    (warning,) = loaded(tmp_path, CONTENT, other).warnings
    assert warning == (
        "ignored, as settings of other tools: `skill`, `dataset`, `threshold` (did you mean "
        "`thresholds`?), `models.skill`, `models.subagent`"
    )


def test_of_very_many_settings_some_are_named(tmp_path: Path) -> None:
    other = "".join(f"zz{n}: 1\n" for n in range(20))
    (warning,) = loaded(tmp_path, CONTENT, other).warnings
    assert warning.endswith("`zz11` and 8 more")
