"""A rule once it is resolved: every text read, every default filled in, nothing left to look up.

Plain frozen records. They do not read files, ask the environment or judge.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal

from judge_bundles import limits
from judge_bundles.record import RecordPaths
from judge_bundles.rules.judge_specs import Condition, LlmJudgeSpec, PairwiseSpec, PythonJudgeSpec
from judge_bundles.scoring import JudgeScale, RewardSpec, ScoreRange, Threshold
from judge_prechecks import Gate, JsonOptions

Effort = Literal["low", "medium", "high", "xhigh", "max"]
EvidencePolicy = Literal["error", "flag"]
ModelSource = Literal["--model", "rule", "models.judge", "EVAL_JUDGE_MODEL"]


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line puts in place of the rule's own words. None leaves the rule as it is."""

    model: str | None = None
    runtime: str | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question the judge answers on its own; `id` is unique within the rule."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class MustRead:
    """A file pattern and the share (above 0, up to 1) of each match a pass must have seen."""

    path: str
    min_coverage: float = 1.0


@dataclass(frozen=True, slots=True)
class JudgementLimits:
    """What one bundle may cost. None is no limit of that kind."""

    max_turns: int = limits.DEFAULT_MAX_TURNS
    timeout_s: float = limits.DEFAULT_TIMEOUT_S
    max_tokens_total: int | None = None
    max_cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one container may use. `runtime` is the engine's name of one, None its default."""

    memory_bytes: int = limits.SANDBOX_MEMORY_BYTES
    cpus: float = limits.SANDBOX_CPUS
    pids: int = limits.SANDBOX_PIDS
    runtime: str | None = None


@dataclass(frozen=True, slots=True)
class AgentJudgeSpec:
    """One sandboxed agent judge. `model` is already the strongest of all that name one."""

    type: ClassVar[Literal["agent"]] = "agent"

    name: str
    rubric: str
    criteria: tuple[Criterion, ...] = ()
    model: str | None = None
    effort: Effort | None = None
    thinking: dict[str, Any] | None = None
    """In the form of the Messages API; None leaves it to the server."""
    max_tokens: int = limits.DEFAULT_MAX_TOKENS
    samples: int = 1
    limits: JudgementLimits = field(default_factory=JudgementLimits)
    evidence: EvidencePolicy = "error"
    must_read: tuple[MustRead, ...] = ()
    sandbox: SandboxLimits = field(default_factory=SandboxLimits)
    description: str = ""
    condition: Condition = True


JudgeSpec = AgentJudgeSpec | LlmJudgeSpec | PythonJudgeSpec
AskedJudge = JudgeSpec | PairwiseSpec


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, ready to judge with.

    `digest` is `sha256:` and 64 hexadecimal digits over `resolved`, the JSON that holds everything
    that can change a judgement. `source` is the file as it was named.
    """

    name: str
    description: str
    gate: Gate
    json_options: JsonOptions
    judges: tuple[JudgeSpec, ...]
    model: str | None
    model_source: ModelSource | None
    digest: str
    resolved: dict[str, Any]
    source: Path
    warnings: tuple[str, ...] = ()
    pairwise: PairwiseSpec | None = None
    """Not among `judges`: it is asked only in a run that has a baseline."""
    thresholds: tuple[Threshold, ...] = ()
    """Empty when the rule has none; else with the default of the gate."""
    reward: RewardSpec | None = None
    """None: the default reward."""
    scoring: dict[str, Any] = field(default_factory=dict)
    """`thresholds` and `reward` as the file has them, without those it has not. Neither changes a
    judgement, so they are not in `resolved`; with both, a run can be scored again."""
    record: RecordPaths = field(default_factory=RecordPaths)

    @property
    def scales(self) -> tuple[JudgeScale, ...]:
        """What is known of each judge's answers before it runs, in the order of `judges`."""
        return tuple(scale_of(judge) for judge in self.judges)

    def asked(self, *, compared: bool) -> tuple[AskedJudge, ...]:
        """Return who judges a bundle, in order; `compared` in a run that has a baseline."""
        pairwise = () if self.pairwise is None or not compared else (self.pairwise,)
        return (*self.judges, *pairwise)


def scale_of(judge: JudgeSpec) -> JudgeScale:
    """Return what is known of a judge's answers before it runs."""
    if isinstance(judge, AgentJudgeSpec):
        return JudgeScale(judge.name, "pass_fail")
    if isinstance(judge, PythonJudgeSpec):
        declared = judge.score_range
        return JudgeScale(judge.name, None, ScoreRange(*declared) if declared else None)
    if judge.pass_fail:
        return JudgeScale(judge.name, "pass_fail")
    return JudgeScale(judge.name, "numeric", ScoreRange(*judge.score_range))
