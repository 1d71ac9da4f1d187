"""When a verdict may stand in for another: everything that could change it must be the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

import judge_prechecks
from judge_bundles import __version__, agent, judges, resources
from judge_bundles.models.base import Model
from judge_bundles.rules.model import AgentJudgeSpec, Rule


def reuse_key(
    rule: Rule,
    entry_id: str,
    bundle_digest: str,
    models: Mapping[str, Model],
    sandbox_key: str,
) -> str:
    """Return the digest of all that a full verdict depends on.

    A script counts by its content, and its answers depend on the names of bundle and rule as well;
    an image counts by its sources and base. `sandbox_key` also stands for the tools in it.
    """
    parts = {
        "version": __version__,
        "gate": gate_version(),
        "bundle": bundle_digest,
        "rule": rule.digest,
        "judges": [_judge(spec, rule, entry_id, models, sandbox_key) for spec in rule.judges],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def gate_version() -> str:
    """Return a digest of the gate's sources."""
    return _digest(Path(judge_prechecks.__file__).parent, "*.py")


@cache
def judge_version() -> str:
    """Return a digest of everything that tells a judge what to do and weighs what it says."""
    folders = (Path(agent.__file__).parent, Path(judges.__file__).parent)
    parts = [_digest(folder, "*.py") for folder in folders]
    parts.append(_digest(resources.folder("rubrics"), "*.md"))
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _judge(
    spec: AgentJudgeSpec,
    rule: Rule,
    entry_id: str,
    models: Mapping[str, Model],
    sandbox_key: str,
) -> dict[str, object]:
    assert spec.model is not None
    model = models[spec.model]
    return {
        "judge": judge_version(),
        "model": model.identity,
        "sandbox": [sandbox_key, asdict(spec.sandbox)],
        "names": [rule.name, entry_id] if model.scripted else None,
    }


def _digest(folder: Path, pattern: str) -> str:
    """Return a digest over the names and contents of the files below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        found.update(f"{path.relative_to(folder)}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
