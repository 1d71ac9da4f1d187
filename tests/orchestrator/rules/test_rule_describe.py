import json
from pathlib import Path

import pytest

from judge_bundles.rules import describe, summary
from tests.support.rule_files import load


def test_a_rule_is_described_whole(tmp_path: Path) -> None:
    rule = load(
        tmp_path,
        {
            "name": "audit",
            "description": "Is it\ncomplete?",
            "prechecks": [
                {"type": "file_present", "path": "a"},
                {"type": "json_valid", "path": "**/*.json"},
                {"type": "file_present", "path": "b"},
            ],
            "criteria": [{"id": "a", "text": "t"}],
            "must_read": [{"path": "report.md", "min_coverage": 0.5}],
            "limits": {"max_turns": 1, "max_tokens_total": 1000, "max_cost_usd": 0.25},
            "sandbox": {"runtime": "runsc", "memory": "1GiB", "cpus": 1.5},
        },
        model="claude",
    )
    assert describe(rule) == [
        "rule      audit",
        "about     Is it complete?",
        "prechecks 3 (2 file_present, 1 json_valid)",
        "judge     rubric: agent, 1 criteria, samples 1",
        "evidence  error",
        "model     claude (from --model)",
        "limits    1 turns, 900 s, 1000 tokens, 0.25 US dollars",
        "sandbox   1024 MiB, 1.5 CPUs, 64 processes, runtime runsc",
        "must read report.md (at least 50%)",
        f"digest    {rule.digest}",
        "warning   limits.max_turns: with one turn nothing can be inspected, so nothing can pass",
    ]


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVAL_JUDGE_MODEL", raising=False)
    lines = describe(load(tmp_path, {"rubric": "r"}))
    assert "prechecks none: every bundle is judged" in lines
    assert "model     none yet: use --model, the rule's `model` or EVAL_JUDGE_MODEL" in lines
    assert "limits    40 turns, 900 s, any number of tokens, any cost" in lines
    gate = describe(load(tmp_path, [{"type": "file_present", "path": "a"}]))
    assert "judges    none: the gate alone decides, without a model or a container" in gate


def test_a_description_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    for line in describe(load(tmp_path, {"rubric": "r", "description": "\x1b[2J\u202e"})):
        assert line.isprintable()


def test_the_summary_is_json_with_the_whole_resolved_rule(tmp_path: Path) -> None:
    rule = load(tmp_path, {"rubric": "r", "model": "m"})
    read = json.loads(json.dumps(summary(rule)))
    assert read == summary(rule)
    assert read["resolved"] == rule.resolved
    assert read["rule_digest"] == rule.digest
    assert read["judges"] == [{"name": "rubric", "type": "agent", "model": "m"}]
    assert (read["rule"], read["model_source"], read["prechecks"]) == ("rule", "rule", {})
