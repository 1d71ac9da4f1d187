"""Write rule files for tests, and get the message a wrong one is refused with."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.rules import AgentJudgeSpec, Overrides, Rule, load_rule


def write(folder: Path, name: str, content: Any) -> Path:
    """Write bytes and text as they are, anything else as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def load(folder: Path, content: Any, name: str = "rule.json", *, model: str | None = None) -> Rule:
    """Write one rule file and load it, with `folder` as the project root."""
    path = write(folder, name, content)
    return load_rule(path, project_root=folder, overrides=Overrides(model))


def agent_judge(rule: Rule) -> AgentJudgeSpec:
    """Return the first judge of the rule, which is an agent."""
    judge = rule.judges[0]
    assert isinstance(judge, AgentJudgeSpec)
    return judge


def refusal(folder: Path, content: Any, name: str = "rule.json") -> list[str]:
    """Return the lines of the error, without the folder in front of the file's name."""
    with pytest.raises(RuleError) as caught:
        load(folder, content, name)
    return str(caught.value).replace(f"{folder}/", "").split("\n")
