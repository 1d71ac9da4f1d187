"""The nouns of the store: what goes in beside a verdict, and what comes out beside one.

Frozen records without behaviour, importable without the database library. Timestamps are ISO 8601
in UTC with microseconds, so that text order is time order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from judge_bundles.verdict import JSON, Usage, Verdict

RunStatus = Literal["queued", "running", "completed", "failed", "cancelled", "interrupted"]
FinalStatus = Literal["completed", "failed", "cancelled", "interrupted"]

ShownRange = tuple[str, int, int]
"""File in its printable form, first byte shown, and the byte after the last one shown."""


@dataclass(frozen=True, slots=True)
class RuleRef:
    """A rule as a run used it. `resolved` is everything `digest` covers: texts and overrides."""

    name: str
    digest: str
    resolved: JSON


@dataclass(frozen=True, slots=True)
class RuleName:
    """A rule of a run without its text."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class EntryRef:
    """One bundle of a run: its id, where it came from, and its form (`folder`, `zip`, …)."""

    entry_id: str
    source: str
    kind: str


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How far a run is. An error is neither a pass nor a fail."""

    expected: int
    """Verdicts the run owes: entries times rules."""
    passed: int = 0
    failed: int = 0
    errored: int = 0
    cost_usd: float | None = 0.0
    """US dollars of every attempt, superseded ones included; null when one has no known price."""

    @property
    def judged(self) -> int:
        """Verdicts there are, errors included."""
        return self.passed + self.failed + self.errored

    @property
    def pending(self) -> int:
        """Verdicts still missing."""
        return self.expected - self.judged


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. A run whose process is gone without having finished it reads as `interrupted`."""

    run_id: str
    name: str | None
    status: RunStatus
    created_at: str
    finished_at: str | None
    sources: tuple[str, ...]
    rules: tuple[RuleName, ...]
    options: JSON
    counts: RunCounts
    tool_version: str
    error: str | None = None
    host: str | None = None
    pid: int | None = None
    pruned_entries: int = 0
    """Bundles of the run that `prune` has removed with their verdicts."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One tool call of an agent judge; `exploration` is false for calls that look at nothing."""

    turn: int
    tool: str
    target: str
    arguments: JSON = None
    result_sha256: str | None = None
    result_bytes: int | None = None
    duration_ms: float = 0.0
    error_kind: str | None = None
    cut: bool = False
    shown: tuple[ShownRange, ...] = ()
    exploration: bool = True


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model call. `request` is the whole body as sent; `response` is null when none came."""

    turn: int
    request: Mapping[str, Any]
    response: Mapping[str, Any] | None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    latency_ms: int = 0
    attempts: int = 1
    request_id: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeTrace:
    """Everything one judge did in one of its independent judgements (`sample`, from 1)."""

    judge: str
    sample: int = 1
    steps: tuple[TraceStep, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict to be kept. Without a `reuse_key` no later run can reuse it."""

    verdict: Verdict
    reuse_key: str | None = None
    traces: tuple[JudgeTrace, ...] = ()


@dataclass(frozen=True, slots=True)
class Pruned:
    """What retention removed, or would remove. Sizes are None where the store is no single file."""

    runs: int
    """Runs of which nothing is left."""
    thinned: int
    """Runs of which only what must be kept is left."""
    verdicts: int
    """Attempts at verdicts removed, with their traces and transcripts."""
    kept: int
    """Current verdicts in old runs that stay, since nothing newer stands in for them."""
    bytes_before: int | None = None
    bytes_after: int | None = None
    not_reclaimed: str | None = None
    """Why the space was not given back to the file system, if it was not."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One judge's conversation as a person reads it: each message once, in order."""

    judge: str
    sample: int
    model: str | None
    system: JSON
    messages: tuple[Mapping[str, Any], ...]
