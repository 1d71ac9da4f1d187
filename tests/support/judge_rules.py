"""Write rules of one judge for tests, and say what a loaded one is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.rules import Overrides, Rule, load_rule
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PythonJudgeSpec
from tests.support.rule_files import refusal, write

CHECK = {"name": "a_check", "check": "return True"}
"""A judge with which a rule has something to do."""


def load_judges(
    folder: Path,
    *entries: Any,
    overrides: Overrides | None = None,
    judges_dirs: Sequence[Path] = (),
    **keys: Any,
) -> Rule:
    """Load a rule with these entries of `judges` and other keys; `folder` is the project root."""
    path = write(folder, "rule.json", {"judges": list(entries), **keys})
    return load_rule(
        path, project_root=folder, overrides=overrides or Overrides(), judges_dirs=judges_dirs
    )


def problems(folder: Path, *entries: Any, **keys: Any) -> list[str]:
    """Return what a rule with these entries is refused for, without file and line."""
    lines = refusal(folder, {"judges": list(entries), **keys})
    assert all(line.startswith("rule.json:1: ") for line in lines)
    return [line.removeprefix("rule.json:1: ") for line in lines]


def python_judge(rule: Rule, index: int = 0) -> PythonJudgeSpec:
    """Return a judge of the rule, which is in Python."""
    judge = rule.judges[index]
    assert isinstance(judge, PythonJudgeSpec)
    return judge


def llm_judge(rule: Rule, index: int = 0) -> LlmJudgeSpec:
    """Return a judge of the rule, which asks a model once."""
    judge = rule.judges[index]
    assert isinstance(judge, LlmJudgeSpec)
    return judge


def catalogue_refusal(folder: Path, *judges_dirs: Path) -> list[str]:
    """Return what folders of builtin judges are refused for, without the folder in front."""
    with pytest.raises(RuleError) as caught:
        load_judges(folder, CHECK, judges_dirs=judges_dirs)
    return str(caught.value).replace(f"{folder}/", "").split("\n")
