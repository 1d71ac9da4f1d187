"""When a verdict may stand in for another: everything that could change it must be the same."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from judge_bundles.agent import prompt
from judge_bundles.models.base import Model
from judge_bundles.rules.model import Rule

FORMAT: Final = 1
"""To be raised when the gate or the judges come to different verdicts for the same input."""


def reuse_key(rule: Rule, bundle_digest: str, models: Mapping[str, Model], sandbox_key: str) -> str:
    """Return the digest of all that a full verdict depends on.

    A script counts by its content, an image by its sources and base. `sandbox_key` also stands for
    the tools that run in it.
    """
    identities = [
        models[spec.model].identity if spec.model is not None else None for spec in rule.judges
    ]
    parts = {
        "format": FORMAT,
        "bundle": bundle_digest,
        "rule": rule.digest,
        "models": identities,
        "prompt": prompt.version() if rule.judges else None,
        "sandbox": sandbox_key if rule.judges else None,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
