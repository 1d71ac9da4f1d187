import json
from pathlib import Path

import pytest

from judge_bundles.rules import describe, summary
from tests.support.judge_rules import CHECK
from tests.support.rule_files import load, write


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


def test_each_kind_of_judge_is_described_with_what_matters(tmp_path: Path) -> None:
    write(tmp_path, "own.py", "def check(outputs): ...")
    write(tmp_path, "context.md", "known")
    rule = load(
        tmp_path,
        {
            "judges": [
                {"name": "in_budget", "builtin": "cost_budget", "arguments": {"max_cost_usd": 2}},
                {"name": "a_check", "check": "x = 1\nreturn x", "score_range": [0, 1]},
                {"name": "in_a_module", "module": "own", "function": "check", "if": False},
                {
                    "name": "complete",
                    "builtin": "output_completeness",
                    "model": "own",
                    "samples": 3,
                },
                {
                    "name": "scored",
                    "description": "How\ngood",
                    "prompt": "p",
                    "if": "annotations.get('a')  == 1",
                    "context": ["context.md"],
                },
                {"name": "deep", "agent": {"rubric": "r"}, "if": "True"},
                {"name": "pairwise", "prompt": "p", "arguments": {"a": [1]}},
                {"name": "nothing"},
            ],
            "models": {"judge": "claude"},
            "thresholds": {"scored": {"min_mean": 3.5}, "a_check": {"max_error_rate": 0}},
            "reward": {"weights": {"scored": 0.5, "complete": 0.5}, "gate": True},
        },
    )
    assert describe(rule) == [
        "rule      rule",
        "prechecks none: every bundle is judged",
        "judge     in_budget: builtin efficiency/cost_budget, Python",
        "arguments max_cost_usd=2",
        "judge     a_check: check, 2 lines of Python",
        "range     0 to 1",
        f"judge     in_a_module: check of own in {tmp_path}/own.py",
        "if        false",
        "judge     complete: builtin quality/output_completeness, LLM, pass or fail, samples 3",
        'arguments strictness="medium", criteria=[]',
        "model     own (from the judge)",
        "judge     scored: LLM, a score, samples 1",
        "about     How good",
        "if        annotations.get('a') == 1",
        "range     1 to 5",
        "context   context.md",
        "model     claude (from models.judge)",
        "judge     deep: agent, free-text rubric, samples 1",
        "if        True",
        "evidence  error",
        "model     claude (from models.judge)",
        "limits    40 turns, 900 s, any number of tokens, any cost",
        "sandbox   512 MiB, 1 CPUs, 64 processes, runtime of the engine",
        "judge     pairwise: LLM, only with --baseline, asked in both orders",
        "arguments a=[1]",
        "model     claude (from models.judge)",
        "threshold scored: min_mean 3.5",
        "threshold a_check: max_error_rate 0",
        "reward    0.5 of scored, 0.5 of complete, 0 if a judge says no",
        f"digest    {rule.digest}",
        f"warning   {rule.warnings[0]}",
    ]
    assert [entry["type"] for entry in summary(rule)["judges"]] == [
        "builtin", "check", "code", "builtin", "llm", "agent",
    ]  # fmt: skip
    assert summary(rule)["pairwise"] == {"name": "pairwise", "model": "claude"}
    assert summary(rule)["scoring"] == rule.scoring


def test_thresholds_of_the_gate_and_a_formula_are_described(tmp_path: Path) -> None:
    rule = load(
        tmp_path,
        {
            "prechecks": [{"type": "file_present", "path": "a"}],
            "rubric": "r",
            "model": "m",
            "thresholds": {"rubric": {"min_pass_rate": 0.5}},
            "reward": {"formula": "1 if rubric\n else 0"},
        },
    )
    lines = describe(rule)
    assert "threshold gate: min_pass_rate 1 (by default)" in lines
    assert "reward    1 if rubric else 0" in lines


def test_long_arguments_are_cut(tmp_path: Path) -> None:
    rule = load(tmp_path, {"judges": [{**CHECK, "arguments": {"a": "x" * 5000}}]})
    (line,) = [line for line in describe(rule) if line.startswith("arguments")]
    assert len(line) < 450
    assert line.endswith("…")
