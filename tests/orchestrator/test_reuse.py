import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge_bundles import judges
from judge_bundles.agent.budget import RunBudget
from judge_bundles.judges import Bundle
from judge_bundles.judges.baseline import Baseline, EarlierBundle
from judge_bundles.judges.code.runner import CodeRunner
from judge_bundles.models.base import Model
from judge_bundles.models.resolve import resolve
from judge_bundles.reuse import gate_version, judge_version, reuse_key
from judge_bundles.rules.load import load_rule
from judge_bundles.rules.model import AgentJudgeSpec, Rule, SandboxLimits
from judge_bundles.sandboxes import none_needed


@dataclass(frozen=True)
class OneBundle:
    """A baseline that had a bundle of this digest for every entry, or none at all."""

    digest: str | None

    def find(self, rule: str, entry_id: str) -> EarlierBundle | None:
        if self.digest is None:
            return None
        return EarlierBundle(entry_id, rule, "/before", "folder", self.digest)

    def take(self, earlier: EarlierBundle) -> AbstractAsyncContextManager[Bundle]:
        raise AssertionError(f"a key does not look into {earlier.source}")


def rule(folder: Path, **changes: Any) -> Rule:
    document = {"name": "r", "rubric": "x", "model": f"script:{folder}/s.yaml"} | changes
    (folder / "rule.json").write_text(json.dumps(document))
    return load_rule(folder / "rule.json", project_root=folder)


def with_judges(folder: Path, *entries: Mapping[str, Any]) -> Rule:
    document = {"name": "r", "model": f"script:{folder}/s.yaml", "judges": list(entries)}
    (folder / "rule.json").write_text(json.dumps(document))
    return load_rule(folder / "rule.json", project_root=folder)


def means(folder: Path, say: str = "x", baseline: Baseline | None = None) -> judges.Means:
    script = {"conversations": [{"turns": [{"say": say}]}]}
    (folder / "s.yaml").write_text(json.dumps(script))
    name = f"script:{folder}/s.yaml"
    models: dict[str, Model] = {name: resolve(name, concurrency=1)}
    code = CodeRunner([], project_root=folder, size=1)
    return judges.Means(models, none_needed, RunBudget(), code, baseline)


def test_everything_that_can_change_a_verdict_changes_the_key(tmp_path: Path) -> None:
    known = means(tmp_path)
    base = rule(tmp_path)
    agent = base.judges[0]
    assert isinstance(agent, AgentJudgeSpec)
    larger = replace(base, judges=(replace(agent, sandbox=SandboxLimits(pids=99)),))
    keys = [
        reuse_key(base, "e", "sha256:0", known, "box"),
        reuse_key(base, "e", "sha256:1", known, "box"),
        reuse_key(base, "other", "sha256:0", known, "box"),
        reuse_key(base, "e", "sha256:0", known, "another box"),
        reuse_key(base, "e", "sha256:0", means(tmp_path, "y"), "box"),
        reuse_key(larger, "e", "sha256:0", known, "box"),
        reuse_key(rule(tmp_path, rubric="y"), "e", "sha256:0", known, "box"),
        reuse_key(rule(tmp_path, samples=3), "e", "sha256:0", known, "box"),
    ]
    assert len(set(keys)) == len(keys)


def test_the_same_comes_to_the_same_key(tmp_path: Path) -> None:
    known = means(tmp_path)
    first = reuse_key(rule(tmp_path), "e", "sha256:0", known, "box")
    again = reuse_key(rule(tmp_path, description="for people"), "e", "sha256:0", known, "box")
    assert first == again


def test_a_gate_only_rule_does_not_depend_on_models_names_or_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "gate.json").write_text('[{"type": "file_present", "path": "x"}]')
    gate, known = load_rule(tmp_path / "gate.json"), means(tmp_path)
    assert reuse_key(gate, "a", "sha256:0", known, "") == reuse_key(
        gate, "b", "sha256:0", known, "box"
    )


def test_judges_in_python_depend_on_their_text_and_on_no_name_model_or_sandbox(
    tmp_path: Path,
) -> None:
    known = means(tmp_path)
    checked = with_judges(tmp_path, {"name": "c", "check": "return True"})
    other = with_judges(tmp_path, {"name": "c", "check": "return False"})
    key = reuse_key(checked, "a", "sha256:0", known, "")
    assert key == reuse_key(checked, "b", "sha256:0", means(tmp_path, "y"), "box")
    assert key != reuse_key(other, "a", "sha256:0", known, "")


def test_a_judge_in_a_module_depends_on_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "judging.py").write_text("def judge(outputs):\n    return True\n")
    found = with_judges(tmp_path, {"name": "c", "module": "own.judging", "function": "judge"})
    known = means(tmp_path)
    before = reuse_key(found, "a", "sha256:0", known, "")
    assert before == reuse_key(found, "a", "sha256:0", known, "")
    (tmp_path / "own" / "words.py").write_text("BAD = ()\n")
    assert before != reuse_key(found, "a", "sha256:0", known, "")


def test_an_llm_judge_depends_on_its_model_and_not_on_the_sandbox(tmp_path: Path) -> None:
    found = with_judges(tmp_path, {"name": "q", "prompt": "Score it. {{ outputs }}"})
    known = means(tmp_path)
    key = reuse_key(found, "a", "sha256:0", known, "")
    assert key == reuse_key(found, "a", "sha256:0", known, "box")
    assert key != reuse_key(found, "b", "sha256:0", known, "")  # a script goes by names
    assert key != reuse_key(found, "a", "sha256:0", means(tmp_path, "y"), "")


def test_a_comparison_depends_on_what_it_compares_with(tmp_path: Path) -> None:
    pairwise = {"name": "pairwise", "prompt": "Which is better?"}
    compared = with_judges(tmp_path, {"name": "c", "check": "return True"}, pairwise)
    baselines = (None, OneBundle(None), OneBundle("sha256:8"), OneBundle("sha256:9"))
    keys = [
        reuse_key(compared, "a", "sha256:0", means(tmp_path, baseline=baseline), "")
        for baseline in baselines
    ]
    assert len(set(keys)) == len(keys)


def test_the_versions_cover_sources_and_prompts() -> None:
    assert len(gate_version()) == len(judge_version()) == 64
    assert gate_version() != judge_version()
