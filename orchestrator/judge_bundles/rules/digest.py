"""What a rule's digest covers, and the digest.

Covered is everything that can change a judgement, with defaults filled in and every text in full;
so neither the order of keys nor JSON or YAML nor the name of a file shows. Not covered: the rule's
name and description; the sandbox's size, which can only turn a judgement into an error; thresholds
and reward, which only count what was judged; where the text of a judge stands. Of a judge in a
module its file is covered, not what that file imports.

What came to rules later (judges, the record's paths) stands in the resolved rule only where it is
not at its default, so that the digests of older rules stay what they are.
"""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from judge_bundles.record import RecordPaths
from judge_bundles.rules.judge_specs import (
    Condition,
    LlmJudgeSpec,
    PairwiseSpec,
    PythonJudgeSpec,
)
from judge_bundles.rules.model import AgentJudgeSpec, JudgeSpec
from judge_prechecks import Gate, JsonOptions

_FORM: Final = 1
"""Raised when the form of the resolved rule changes, so that old digests never match new ones."""
_SCRIPT: Final = "script:"


def resolved_rule(
    gate: Gate,
    json_options: JsonOptions,
    judges: Sequence[JudgeSpec],
    pairwise: PairwiseSpec | None = None,
    record: RecordPaths | None = None,
) -> dict[str, Any]:
    """Return the rule as the JSON object that its digest is made of."""
    paths = {
        key: value for key, value in dataclasses.asdict(record or RecordPaths()).items() if value
    }
    resolved: dict[str, Any] = json.loads(
        json.dumps(
            {
                "form": _FORM,
                "prechecks": gate.dump(),
                "json": {"duplicate_keys": json_options.duplicate_keys},
                "judges": [_resolved_judge(judge) for judge in judges],
                **({"pairwise": _resolved_pairwise(pairwise)} if pairwise else {}),
                **({"record": paths} if paths else {}),
            }
        )
    )  # there and back: tuples become lists, as a store gives them back
    return resolved


def digest(resolved: dict[str, Any]) -> str:
    """Return `sha256:` and the hexadecimal SHA-256 of `resolved` in its one canonical writing."""
    canonical = json.dumps(resolved, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _resolved_judge(judge: JudgeSpec) -> dict[str, Any]:
    if isinstance(judge, AgentJudgeSpec):
        return _resolved_agent(judge)
    return _resolved_python(judge) if isinstance(judge, PythonJudgeSpec) else _resolved_llm(judge)


def _resolved_agent(judge: AgentJudgeSpec) -> dict[str, Any]:
    plain = dataclasses.asdict(judge)
    for key in ("sandbox", "description", "condition"):
        del plain[key]
    plain["model"] = _covered_model(judge.model)
    plain["limits"]["max_cost_usd"] = _covered_money(judge.limits.max_cost_usd)
    described = {"description": judge.description} if judge.description else {}
    return {"type": judge.type, **plain, **described, **_covered_condition(judge.condition)}


def _resolved_python(judge: PythonJudgeSpec) -> dict[str, Any]:
    plain = dataclasses.asdict(judge)
    for key in ("description", "condition", "file", "project_root"):
        del plain[key]
    return {**plain, **_covered_condition(judge.condition)}


def _resolved_llm(judge: LlmJudgeSpec) -> dict[str, Any]:
    plain = dataclasses.asdict(judge)
    del plain["condition"]
    if judge.pass_fail:
        del plain["score_range"]
    plain["model"] = _covered_model(judge.model)
    return {**plain, **_covered_condition(judge.condition)}


def _resolved_pairwise(pairwise: PairwiseSpec) -> dict[str, Any]:
    return {**dataclasses.asdict(pairwise), "model": _covered_model(pairwise.model)}


def _covered_condition(condition: Condition) -> dict[str, Condition]:
    return {} if condition is True else {"if": condition}


def _covered_model(model: str | None) -> str | None:
    """Leave out a script's path: its content, compared beside the digest, is what answers."""
    return _SCRIPT if model is not None and model.startswith(_SCRIPT) else model


def _covered_money(dollars: Decimal | None) -> str | None:
    return None if dollars is None else f"{dollars.normalize():f}"
