"""What a rule's digest covers, and the digest.

Covered is everything that can change a judgement, with defaults filled in and every text in full;
so neither the order of keys nor JSON or YAML nor the name of a file shows. Not covered: the rule's
name and description, and the sandbox's size, which can only turn a judgement into an error.
"""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from judge_bundles.rules.model import AgentJudgeSpec
from judge_prechecks import Gate, JsonOptions

_FORM: Final = 1
"""Raised when the form of the resolved rule changes, so that old digests never match new ones."""
_SCRIPT: Final = "script:"


def resolved_rule(
    gate: Gate, json_options: JsonOptions, judges: Sequence[AgentJudgeSpec]
) -> dict[str, Any]:
    """Return the rule as the JSON object that its digest is made of."""
    resolved: dict[str, Any] = json.loads(
        json.dumps(
            {
                "form": _FORM,
                "prechecks": gate.dump(),
                "json": {"duplicate_keys": json_options.duplicate_keys},
                "judges": [_resolved_judge(judge) for judge in judges],
            }
        )
    )  # there and back: tuples become lists, as a store gives them back
    return resolved


def digest(resolved: dict[str, Any]) -> str:
    """Return `sha256:` and the hexadecimal SHA-256 of `resolved` in its one canonical writing."""
    canonical = json.dumps(resolved, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _resolved_judge(judge: AgentJudgeSpec) -> dict[str, Any]:
    plain = dataclasses.asdict(judge)
    del plain["sandbox"]
    plain["model"] = _covered_model(judge.model)
    plain["limits"]["max_cost_usd"] = _covered_money(judge.limits.max_cost_usd)
    return {"type": judge.type, **plain}


def _covered_model(model: str | None) -> str | None:
    """Leave out a script's path: its content, compared beside the digest, is what answers."""
    return _SCRIPT if model is not None and model.startswith(_SCRIPT) else model


def _covered_money(dollars: Decimal | None) -> str | None:
    return None if dollars is None else f"{dollars.normalize():f}"
