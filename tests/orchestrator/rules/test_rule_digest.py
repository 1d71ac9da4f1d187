import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge_rules import load_judges
from tests.support.rule_files import load, write

PRECHECKS: list[dict[str, Any]] = [
    {"type": "file_complete", "path": "report.md", "must_end_with": "END"},
    {"type": "map_values_in", "file": "s.json", "path": "phases", "allowed": ["done", 1]},
]
RULE: dict[str, Any] = {
    "name": "audit",
    "prechecks": PRECHECKS,
    "rubric": "good",
    "criteria": [{"id": "a", "text": "first"}, {"id": "b", "text": "second"}],
    "model": "claude",
    "limits": {"max_cost_usd": 0.5, "timeout_s": 60},
}


@pytest.fixture(autouse=True)
def _no_model_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)


def test_the_digest_is_the_sha256_of_the_resolved_rule(tmp_path: Path) -> None:
    rule = load(tmp_path, RULE)
    canonical = json.dumps(rule.resolved, sort_keys=True, separators=(",", ":"))
    assert rule.digest == "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()
    assert re.fullmatch("sha256:[0-9a-f]{64}", rule.digest)


def test_the_resolved_rule_is_json_and_holds_every_text(tmp_path: Path) -> None:
    resolved = load(tmp_path, RULE).resolved
    assert json.loads(json.dumps(resolved)) == resolved
    (judge,) = resolved["judges"]
    assert judge["rubric"] == "good"
    assert judge["criteria"] == [{"id": "a", "text": "first"}, {"id": "b", "text": "second"}]
    assert [check["type"] for check in resolved["prechecks"]] == ["file_complete", "map_values_in"]


YAML_FORM = """\
# the same rule
limits: {timeout_s: 60.0, max_cost_usd: 0.50}
model: ' claude '
criteria:
  - {text: first, id: a}
  - id: b
    text: |
      second
rubric: |

  good
prechecks:
  - {must_end_with: END, type: file_complete, path: report.md}
  - {path: phases, allowed: [done, 1], file: s.json, type: map_values_in}
name: audit
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rule.json", json.dumps(RULE, indent=4, sort_keys=True)),
        ("rule.yaml", YAML_FORM),
        ("rule.json", {**RULE, "name": "renamed"}),
        ("rule.json", {**RULE, "description": "new", "$schema": "x"}),
        ("rule.json", {**RULE, "samples": 1, "evidence": "error", "must_read": [], "json": {}}),
        ("rule.json", {**RULE, "sandbox": {"memory": "1GiB"}}),
        ("other.json", RULE),
    ],
)
def test_what_judges_the_same_has_the_same_digest(tmp_path: Path, name: str, content: Any) -> None:
    assert load(tmp_path, content, name).digest == load(tmp_path, RULE, "first.json").digest


@pytest.mark.parametrize(
    "change",
    [
        {"rubric": "good."},
        {"prechecks": PRECHECKS[:1]},
        {"prechecks": PRECHECKS[::-1]},
        {"prechecks": [{**PRECHECKS[0], "must_end_with": "end"}, PRECHECKS[1]]},
        {"json": {"duplicate_keys": "last"}},
        {"criteria": [{"id": "a", "text": "first"}]},
        {"criteria": [{"id": "b", "text": "second"}, {"id": "a", "text": "first"}]},
        {"model": "claude-2"},
        {"effort": "low"},
        {"thinking": "adaptive"},
        {"max_tokens": 15_999},
        {"samples": 2},
        {"limits": {"max_cost_usd": 0.5, "timeout_s": 61}},
        {"limits": {"max_cost_usd": 0.51, "timeout_s": 60}},
        {"limits": {"max_cost_usd": 0.5, "timeout_s": 60, "max_turns": 41}},
        {"limits": {"max_cost_usd": 0.5, "timeout_s": 60, "max_tokens_total": 9}},
        {"evidence": "flag"},
        {"must_read": [{"path": "report.md"}]},
    ],
)
def test_what_can_judge_differently_has_another_digest(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    assert load(tmp_path, {**RULE, **change}).digest != load(tmp_path, RULE).digest


def test_the_text_of_a_rubric_file_counts_and_not_its_name(tmp_path: Path) -> None:
    keys = {key: value for key, value in RULE.items() if key != "rubric"}
    write(tmp_path, "a.md", "good\n")
    named = load(tmp_path, {**keys, "rubric_file": "a.md"})
    assert named.digest == load(tmp_path, RULE).digest
    write(tmp_path, "a.md", "better\n")
    assert load(tmp_path, {**keys, "rubric_file": "a.md"}).digest != named.digest


def test_a_model_counts_as_it_is_after_overrides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = load(tmp_path, {"rubric": "r", "model": "claude"})
    assert load(tmp_path, {"rubric": "r", "model": "other"}, model="claude").digest == own.digest
    assert load(tmp_path, {"rubric": "r", "model": "claude"}, model="other").digest != own.digest
    unset = load(tmp_path, {"rubric": "r"})
    monkeypatch.setenv("EVAL_JUDGE_MODEL", "claude")
    assert load(tmp_path, {"rubric": "r"}).digest == own.digest != unset.digest


def test_of_a_script_only_that_it_is_one_counts(tmp_path: Path) -> None:
    digests = {load(tmp_path, {"rubric": "r"}, model=f"script:{n}.yaml").digest for n in "ab"}
    assert len(digests) == 1
    assert digests != {load(tmp_path, {"rubric": "r"}, model="claude").digest}


def test_a_model_option_does_not_touch_a_gate(tmp_path: Path) -> None:
    assert load(tmp_path, PRECHECKS, model="a").digest == load(tmp_path, PRECHECKS).digest
    assert load(tmp_path, {"prechecks": PRECHECKS}).digest == load(tmp_path, PRECHECKS).digest


JUDGES: list[dict[str, Any]] = [
    {"name": "check", "check": "return outputs['exit_code'] == 0", "arguments": {"a": 1, "b": 2}},
    {"name": "code", "module": "own", "function": "check"},
    {"name": "budget", "builtin": "cost_budget"},
    {"name": "prompt", "prompt_file": "prompt.md", "context": ["context.md"]},
    {"name": "agent", "agent": {"rubric": "good"}},
    {"name": "pairwise", "prompt": "Which is better?"},
]
CONFIG: dict[str, Any] = {"judges": JUDGES, "models": {"judge": "claude"}}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with what CONFIG names."""
    write(tmp_path, "own.py", "def check(outputs): return True")
    write(tmp_path, "prompt.md", "Score it.")
    write(tmp_path, "context.md", "What is known.")
    return tmp_path


def changed(judge: str, **keys: Any) -> dict[str, Any]:
    """Return CONFIG with other keys in one judge; None takes a key away."""
    entries = [
        {key: value for key, value in {**entry, **keys}.items() if value is not None}
        if entry["name"] == judge
        else entry
        for entry in JUDGES
    ]
    return {**CONFIG, "judges": entries}


@pytest.mark.parametrize(
    "change",
    [
        changed("check", check="return outputs['exit_code'] == 1"),
        changed("check", arguments={"a": 1}),
        changed("check", score_range=[0, 1]),
        changed("check", **{"if": False}),
        changed("check", **{"if": "True"}),
        changed("check", name="other"),
        changed("code", arguments=None, score_range=[0, 1]),
        changed("budget", arguments={"max_cost_usd": 2}),
        changed("prompt", description="new"),
        changed("prompt", context=None),
        changed("prompt", arguments={"a": 1}),
        changed("prompt", model="other"),
        changed("prompt", samples=3),
        changed("prompt", max_tokens=9),
        changed("prompt", score_range=[1, 10]),
        changed("prompt", feedback_type="bool"),
        changed("agent", agent={"rubric": "better"}),
        changed("agent", agent={"rubric": "good", "samples": 3}),
        changed("agent", **{"if": "True"}),
        changed("agent", description="new"),
        changed("pairwise", prompt="Which is worse?"),
        changed("pairwise", model="other"),
        {**CONFIG, "judges": JUDGES[::-1]},
        {**CONFIG, "judges": JUDGES[:-1]},
        {**CONFIG, "models": {"judge": "other"}},
        {**CONFIG, "model": "other"},
        {**CONFIG, "record": {"main": "report.md"}},
        {**CONFIG, "record": {"outputs": {"plan": "plan.md"}}},
        {**CONFIG, "rubric": "good"},
    ],
)
def test_what_can_change_an_answer_of_a_judge_has_another_digest(
    files: Path, change: dict[str, Any]
) -> None:
    assert load(files, change).digest != load(files, CONFIG).digest


@pytest.mark.parametrize(
    "change",
    [
        changed("check", description="new", arguments={"b": 2, "a": 1}, **{"if": True}),
        changed("check", samples=3),
        changed("budget", builtin="efficiency/cost_budget", arguments={"max_cost_usd": 1.0}),
        changed("prompt", samples=1, max_tokens=16_000, score_range=[1.0, 5.0], arguments={}),
        changed("prompt", prompt="Score it.\r\n", prompt_file=None),
        changed("agent", agent={"rubric": "good", "model": "claude", "sandbox": {"cpus": 2}}),
        {**CONFIG, "models": {"judge": "other"}, "model": "claude"},
        {**CONFIG, "record": {}},
        {**CONFIG, "thresholds": {"check": {"min_pass_rate": 1}}},
        {**CONFIG, "reward": "prompt"},
        {**CONFIG, "name": "other", "dataset": "of another tool"},
    ],
)
def test_what_answers_the_same_has_the_same_digest(files: Path, change: dict[str, Any]) -> None:
    assert load(files, change).digest == load(files, CONFIG).digest


@pytest.mark.parametrize("name", ["own.py", "prompt.md", "context.md"])
def test_the_texts_of_files_that_judges_name_count(files: Path, name: str) -> None:
    before = load(files, CONFIG).digest
    with (files / name).open("a") as file:
        file.write("# more")
    assert load(files, CONFIG).digest != before


def test_where_files_lie_does_not_count(
    files: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for file in files.iterdir():
        write(elsewhere, file.name, file.read_bytes())
    assert load(elsewhere, CONFIG).digest == load(files, CONFIG).digest


def test_the_text_of_a_builtin_counts(tmp_path: Path) -> None:
    own = {"name": "a", "builtin": "mine"}
    digests = set()
    for text in ("def judge(outputs): return True", "def judge(outputs): return False"):
        write(tmp_path, "own/style/mine.py", text)
        digests.add(load_judges(tmp_path, own, judges_dirs=[tmp_path / "own"]).digest)
    assert len(digests) == 2


def test_of_a_script_only_that_it_is_one_counts_for_every_judge(files: Path) -> None:
    digests = {load(files, CONFIG, model=f"script:{n}.yaml").digest for n in "ab"}
    assert len(digests) == 1


def test_how_a_run_is_scored_is_kept_beside_the_resolved_rule(files: Path) -> None:
    scoring = {"thresholds": {"check": {"min_pass_rate": 1}}, "reward": "prompt"}
    rule = load(files, {**CONFIG, **scoring})
    assert rule.scoring == scoring
    assert load(files, CONFIG).scoring == {}
    assert rule.resolved == load(files, CONFIG).resolved
    assert json.loads(json.dumps(rule.resolved)) == rule.resolved


def test_the_digest_of_a_known_rule_stays_what_it_is(tmp_path: Path) -> None:
    # When this fails, verdicts in every existing store are no longer reused: raise `form` on purpose.
    assert (
        load(tmp_path, {"rubric": "good"}).digest
        == "sha256:cfb5bc2f03ab11056a76ba89115867bf2943535598644decaf5502e9d51e355e"
    )
