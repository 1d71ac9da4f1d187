"""Deterministic prechecks of what an agent run left behind: a pure library without model or Docker.

gate = load("prechecks.json")
for outcome in gate.run("runs/2026-11-30"):
    print(outcome.held, outcome.message)
"""

from judge_prechecks.document import Document
from judge_prechecks.gate import Gate, load
from judge_prechecks.outcome import CheckCrashedError, Held, Outcome, UnmetError
from judge_prechecks.parameters import (
    Amount,
    FileName,
    Glob,
    JsonPath,
    Marker,
    Optional,
    Parameters,
    Strict,
    left_out,
)
from judge_prechecks.registry import precheck
from judge_prechecks.schema import schema
from judge_prechecks.spec_errors import PrecheckSpecError, Problem
from judge_prechecks.strict_json import InvalidJsonError, JsonOptions
from judge_prechecks.tree import File, Skipped, Tree
from judge_prechecks.view import View

__all__ = [
    "Amount",
    "CheckCrashedError",
    "Document",
    "File",
    "FileName",
    "Gate",
    "Glob",
    "Held",
    "InvalidJsonError",
    "JsonOptions",
    "JsonPath",
    "Marker",
    "Optional",
    "Outcome",
    "Parameters",
    "PrecheckSpecError",
    "Problem",
    "Skipped",
    "Strict",
    "Tree",
    "UnmetError",
    "View",
    "left_out",
    "load",
    "precheck",
    "schema",
]
