"""When a verdict may stand in for another: everything that could change it must be the same."""

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import judge_prechecks
from judge_bundles import __version__, agent, judge_code, judges, record, resources
from judge_bundles.judges import Means
from judge_bundles.models.base import Model
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PairwiseSpec, PythonJudgeSpec
from judge_bundles.rules.model import AskedJudge, Rule

_LIBRARIES: Final = ("jinja2", "pyyaml")
"""What the record and prompts are made with beside our own code."""


def reuse_key(rule: Rule, entry_id: str, bundle_digest: str, means: Means, sandbox_key: str) -> str:
    """Return the digest of all that a full verdict depends on.

    A script counts by its content, and its answers depend on the names of bundle and rule as well;
    an image counts by its sources and base. `sandbox_key` also stands for the tools in it.
    """
    names = [rule.name, entry_id]
    parts = {
        "version": __version__,
        "gate": gate_version(),
        "bundle": bundle_digest,
        "rule": rule.digest,
        "judges": [
            _judge(judge, names, means, sandbox_key)
            for judge in rule.asked(compared=means.baseline is not None)
        ],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def gate_version() -> str:
    """Return a digest of the gate's sources."""
    return _digest([Path(judge_prechecks.__path__[0])], "*.py")


@cache
def judge_version() -> str:
    """Return a digest of everything that tells a judge what to do and weighs what it says."""
    packages = [Path(part.__path__[0]) for part in (agent, judges, judge_code, record)]
    sources = _digest([*packages, resources.folder("rubrics")], "*.py", "*.md")
    libraries = ",".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return hashlib.sha256(f"{sources} {libraries}".encode()).hexdigest()


def _judge(judge: AskedJudge, names: list[str], means: Means, sandbox_key: str) -> dict[str, Any]:
    parts: dict[str, Any] = {"judge": judge_version()}
    if isinstance(judge, PythonJudgeSpec):
        return parts | {"python": platform.python_version(), "module": _module(judge)}
    assert judge.model is not None, "a plan without its models is refused"
    parts |= _model(means.models[judge.model], names)
    if isinstance(judge, PairwiseSpec):
        assert means.baseline is not None
        earlier = means.baseline.find(*names)
        return parts | {"baseline": None if earlier is None else [earlier.digest]}
    if isinstance(judge, LlmJudgeSpec):
        return parts
    return parts | {"sandbox": [sandbox_key, asdict(judge.sandbox)]}


def _model(model: Model, names: list[str]) -> dict[str, Any]:
    return {"model": model.identity, "names": names if model.scripted else None}


def _module(judge: PythonJudgeSpec) -> str | None:
    """Return a digest of the files beside a judge's module, which it may import.

    The module itself is in the rule's digest. What it imports from elsewhere is not seen.
    """
    if judge.module is None or judge.file is None:
        return None
    folder = Path(judge.file).parent
    return _digest_of((file.name, file) for file in sorted(folder.glob("*.py")))


def _digest(folders: Iterable[Path], *patterns: str) -> str:
    """Return a digest over the files below folders that fit a pattern."""
    return _digest_of(
        (str(file.relative_to(folder)), file)
        for folder in folders
        for pattern in patterns
        for file in sorted(folder.rglob(pattern))
    )


def _digest_of(files: Iterable[tuple[str, Path]]) -> str:
    """Return a digest over the names and contents of files, in their order."""
    found = hashlib.sha256()
    for name, file in files:
        found.update(f"{name}\0".encode("utf-8", "surrogateescape"))
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()
