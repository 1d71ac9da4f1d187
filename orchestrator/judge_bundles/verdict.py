"""What is known about one bundle under one rule once it is over.

Plain frozen records without behaviour beyond turning into JSON and back. File names in here are in
the printable form of `judge_prechecks.names.show`; text is what the model or the gate said, not yet
escaped for any sink.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from judge_bundles.error_kinds import ErrorKind

JSON = None | bool | int | float | str | list[Any] | dict[str, Any]

Status = Literal["pass", "fail", "error"]
Stage = Literal["intake", "precheck", "judge"]
JudgeStatus = Literal["pass", "fail", "scored", "skipped", "error"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or many model calls. Input excludes what was read from or written to a cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    calls: int = 0

    @property
    def total_tokens(self) -> int:
        """All tokens, cached ones included."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            *(getattr(self, f.name) + getattr(other, f.name) for f in dataclasses.fields(self))
        )


@dataclass(frozen=True, slots=True)
class PrecheckResult:
    """The outcome of one precheck of the rule, by its position `index` (from 0) in the array."""

    index: int
    type: str
    held: bool
    message: str
    file: str | None = None
    path: str | None = None
    observed: JSON = None
    expected: JSON = None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InspectedStep:
    """One look of an agent judge into the bundle. Parallel calls share their turn (from 1)."""

    turn: int
    tool: str
    target: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place a judge rests a criterion on, after the host has looked it up itself.

    Text carries lines (1-based, inclusive) and the quote; images and PDFs carry a page instead.
    """

    file: str
    line_start: int | None = None
    line_end: int | None = None
    quote: str | None = None
    page: int | None = None
    verified: bool = False
    corrected: bool = False
    """The quote was found, though on other lines than the judge said."""
    addresses_evaluator: bool = False
    """The quoted text speaks to whoever evaluates the bundle."""


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A judge's answer to one criterion."""

    id: str
    explanation: str
    evidence: tuple[Evidence, ...]
    met: bool


@dataclass(frozen=True, slots=True)
class VerdictError:
    """Why nobody judged. `kind` is one of `error_kinds.ErrorKind`."""

    kind: ErrorKind
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Stability:
    """How N independent judgements of one judge were spread.

    `passes` and `fails` count the answers of a pass/fail judge; `values` holds every answer, in the
    order of the samples. `stable` means that all that ran gave the same answer and none errored.
    """

    requested: int
    passes: int
    fails: int
    errors: int
    stable: bool
    values: tuple[bool | float, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """What one judge of the rule said. `value` is a bool, a number or null."""

    name: str
    type: str
    status: JudgeStatus
    value: bool | float | None = None
    rationale: str = ""
    inspected: tuple[InspectedStep, ...] = ()
    criteria: tuple[CriterionResult, ...] = ()
    cost_usd: float | None = 0.0
    stability: Stability | None = None
    error: VerdictError | None = None


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How much of one opened file an agent judge was shown, in bytes."""

    file: str
    size: int
    shown_bytes: int

    @property
    def fraction(self) -> float:
        """Share of the file that was shown, from 0 to 1; an empty file is wholly shown."""
        return 1.0 if self.size == 0 else self.shown_bytes / self.size


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an agent judge opened, and what it never did (`never_opened` may be cut: see `_total`)."""

    opened: tuple[FileCoverage, ...] = ()
    never_opened: tuple[str, ...] = ()
    never_opened_total: int = 0


@dataclass(frozen=True, slots=True)
class InjectionFlag:
    """A place in the bundle that addresses the evaluator."""

    file: str
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Exactly one per (bundle, rule) of a run."""

    run_id: str
    entry_id: str
    bundle_digest: str | None
    rule: str
    rule_digest: str
    status: Status
    reason: str
    stage: Stage
    prechecks: tuple[PrecheckResult, ...] = ()
    judges: tuple[JudgeResult, ...] = ()
    inspected: tuple[InspectedStep, ...] = ()
    coverage: Coverage | None = None
    injection_suspected: tuple[InjectionFlag, ...] = ()
    skipped_members: tuple[str, ...] = ()
    """Links and special files of the bundle, each as `path (kind)`; none was followed."""
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    """US dollars; null when the price of the model is not known."""
    model: str | None = None
    model_scripted: bool = False
    """True when the embedded offline model answered: no model judged."""
    image_id: str | None = None
    latency_ms: int = 0
    started_at: str = ""
    """ISO 8601, UTC."""
    finished_at: str = ""
    reused_from: str | None = None
    """The run whose verdict this is, when it was reused."""
    error: VerdictError | None = None
    reward: float | None = None
    """One number for training or ranking, of a rule that declares `judges` or a `reward`."""

    @property
    def passed(self) -> bool | None:
        """True or false for a judgement, null when nobody judged."""
        return None if self.status == "error" else self.status == "pass"

    @property
    def score(self) -> float | None:
        """1.0, 0.0, or null when nobody judged."""
        return None if self.passed is None else float(self.passed)


_RECORD_ORDER = ("run_id", "entry_id", "bundle_digest", "rule", "rule_digest", "status")


def to_record(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as the JSON object of the documented record."""
    plain = _plain(verdict)
    head = {key: plain.pop(key) for key in _RECORD_ORDER}
    record = {**head, "passed": verdict.passed, "score": verdict.score, **plain}
    if verdict.coverage is not None:
        for shown, file in zip(record["coverage"]["opened"], verdict.coverage.opened, strict=True):
            shown["fraction"] = round(file.fraction, 6)
    return record


def from_record(record: Mapping[str, Any]) -> Verdict:
    """Return the verdict a record was made from; derived keys are ignored."""
    verdict = _build(Verdict, record)
    assert isinstance(verdict, Verdict)
    return verdict


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _build(hint: Any, value: Any) -> Any:
    """Rebuild the dataclass or tuple that `hint` names from JSON; anything else is kept."""
    if value is None:
        return None
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        named = [arm for arm in typing.get_args(hint) if _is_structured(arm)]
        return _build(named[0], value) if named else value
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        return tuple(_build(item, element) for element in value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = _hints(hint)
        return hint(**{name: _build(hints[name], value[name]) for name in hints if name in value})
    return value


def _is_structured(hint: Any) -> bool:
    return typing.get_origin(hint) is tuple or dataclasses.is_dataclass(hint)
