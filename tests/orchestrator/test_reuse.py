import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge_bundles.models.base import Model
from judge_bundles.models.resolve import resolve
from judge_bundles.reuse import gate_version, judge_version, reuse_key
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import Rule, SandboxLimits


def rule(folder: Path, **changes: Any) -> Rule:
    document = {"name": "r", "rubric": "x", "model": f"script:{folder}/s.yaml"} | changes
    (folder / "rule.json").write_text(json.dumps(document))
    return load_rule(folder / "rule.json")


def models(folder: Path, say: str = "x") -> dict[str, Model]:
    script = {"conversations": [{"turns": [{"say": say}]}]}
    (folder / "s.yaml").write_text(json.dumps(script))
    name = f"script:{folder}/s.yaml"
    return {name: resolve(name, concurrency=1)}


def test_everything_that_can_change_a_verdict_changes_the_key(tmp_path: Path) -> None:
    known = models(tmp_path)
    base = rule(tmp_path)
    larger = replace(base, judges=(replace(base.judges[0], sandbox=SandboxLimits(pids=99)),))
    keys = [
        reuse_key(base, "e", "sha256:0", known, "box"),
        reuse_key(base, "e", "sha256:1", known, "box"),
        reuse_key(base, "other", "sha256:0", known, "box"),
        reuse_key(base, "e", "sha256:0", known, "another box"),
        reuse_key(base, "e", "sha256:0", models(tmp_path, "y"), "box"),
        reuse_key(larger, "e", "sha256:0", known, "box"),
        reuse_key(rule(tmp_path, rubric="y"), "e", "sha256:0", known, "box"),
        reuse_key(rule(tmp_path, samples=3), "e", "sha256:0", known, "box"),
    ]
    assert len(set(keys)) == len(keys)


def test_the_same_comes_to_the_same_key(tmp_path: Path) -> None:
    known = models(tmp_path)
    first = reuse_key(rule(tmp_path), "e", "sha256:0", known, "box")
    again = reuse_key(rule(tmp_path, description="for people"), "e", "sha256:0", known, "box")
    assert first == again


def test_a_gate_only_rule_does_not_depend_on_models_names_or_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "gate.json").write_text('[{"type": "file_present", "path": "x"}]')
    gate = load_rule(tmp_path / "gate.json")
    assert reuse_key(gate, "a", "sha256:0", {}, "") == reuse_key(gate, "b", "sha256:0", {}, "box")


def test_the_versions_cover_sources_and_prompts() -> None:
    assert len(gate_version()) == len(judge_version()) == 64
    assert gate_version() != judge_version()
