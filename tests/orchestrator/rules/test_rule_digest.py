import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

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


def test_the_digest_of_a_known_rule_stays_what_it_is(tmp_path: Path) -> None:
    # When this fails, verdicts in every existing store are no longer reused: raise `form` on purpose.
    assert (
        load(tmp_path, {"rubric": "good"}).digest
        == "sha256:cfb5bc2f03ab11056a76ba89115867bf2943535598644decaf5502e9d51e355e"
    )
