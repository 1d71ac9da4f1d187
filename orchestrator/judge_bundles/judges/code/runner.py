"""Ask worker processes to run a rule's own Python and templates on bundles.

A hang, a crash or a huge allocation of that code is its judge's error on that bundle and nothing
more. What comes back has been near a bundle: it is text and numbers, and is never run or rendered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from judge_bundles import log
from judge_bundles.errors import JudgementError
from judge_bundles.judges.bundle import Bundle
from judge_bundles.limits import (
    JUDGE_CODE_FILE_BYTES,
    JUDGE_CODE_MEMORY_BYTES,
    JUDGE_CODE_OPEN_FILES,
    JUDGE_CODE_TIME_S,
)
from judge_bundles.rules.judge_specs import (
    PAIRWISE_JUDGE,
    LlmJudgeSpec,
    PairwiseSpec,
    PythonJudgeSpec,
)
from judge_bundles.rules.model import JudgeSpec, Rule
from judge_bundles.workers.failure import WorkerCrash, WorkerFailure
from judge_bundles.workers.limits import WorkerLimits
from judge_bundles.workers.pool import Pool

Side = Literal["candidate", "baseline"]

LIMITS: Final = WorkerLimits(
    memory_bytes=JUDGE_CODE_MEMORY_BYTES,
    cpu_s=round(JUDGE_CODE_TIME_S),
    wall_s=JUDGE_CODE_TIME_S,
    file_bytes=JUDGE_CODE_FILE_BYTES,
    open_files=JUDGE_CODE_OPEN_FILES,
)
_PROGRAM: Final = "judge_bundles.judge_code.program"
_NOT_THE_CODES_FAULT: Final = frozenset({"killed", "start"})


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """What a judge in Python said; `value` fits its declared range. `notes` are printable lines."""

    value: bool | float
    rationale: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt, context included; `notes` say what in it was missing or cut."""

    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairPrompts:
    """The same comparison in both orders: A is the candidate in one prompt, the baseline in the other.

    `empty` names the sides that left no output at all.
    """

    candidate_first: str
    baseline_first: str
    empty: tuple[Side, ...]
    notes: tuple[str, ...]


class CodeRunner:
    """Runs the code of one run's rules. Starts no process before it is asked.

    As a context manager it ends its processes on the way out. Every method raises `JudgementError`:
    of kind `judge_code` for what the rule's author wrote, `worker_died` and `internal` for the rest.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        project_root: Path,
        size: int,
        limits: WorkerLimits = LIMITS,
    ) -> None:
        self._conditions = {rule.name: _conditions(rule) for rule in rules}
        setup = {
            "project_root": str(project_root.resolve()),
            "rules": {rule.name: _travelling(rule) for rule in rules},
        }
        self._limits = limits
        self._pool = Pool(_PROGRAM, setup, limits, size=size)

    async def holds(self, rule: str, judge: str, bundle: Bundle) -> bool:
        """Return whether the judge's `if` holds for the bundle; asks a process only if it must."""
        condition = self._conditions[rule][judge]
        if isinstance(condition, bool):
            return condition
        answer: bool = await self._ask("holds", rule, judge, bundle=_located(bundle))
        return answer

    async def evaluate(self, rule: str, judge: str, bundle: Bundle) -> CodeAnswer:
        """Return the answer of a judge in Python, whatever its `if` says."""
        answer = await self._ask("evaluate", rule, judge, bundle=_located(bundle))
        return CodeAnswer(answer["value"], answer["rationale"], tuple(answer["notes"]))

    async def prompt(self, rule: str, judge: str, bundle: Bundle) -> Prompt:
        """Return the prompt of an LLM judge, rendered for the bundle."""
        answer = await self._ask("prompt", rule, judge, bundle=_located(bundle))
        return Prompt(answer["text"], tuple(answer["notes"]))

    async def pair(self, rule: str, candidate: Bundle, baseline: Bundle) -> PairPrompts:
        """Return the prompts of the rule's pairwise judge for two bundles of one entry."""
        sides = {"candidate": _located(candidate), "baseline": _located(baseline)}
        answer = await self._ask("pair", rule, PAIRWISE_JUDGE, **sides)
        return PairPrompts(
            candidate_first=answer["candidate_first"],
            baseline_first=answer["baseline_first"],
            empty=tuple(answer["empty"]),
            notes=tuple(answer["notes"]),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._pool.__aexit__(exc_type, exc, traceback)

    async def _ask(self, operation: str, rule: str, judge: str, **bundles: Any) -> Any:
        request = {"rule": rule, "judge": judge, **bundles}
        try:
            return await self._pool.ask(operation, request, wall_s=self._limits.wall_s)
        except WorkerFailure as failure:
            raise _error(failure) from failure
        except WorkerCrash as crash:
            log.get_logger().error("worker_crashed", error=str(crash), traceback=crash.traceback)
            raise JudgementError("internal", str(crash)) from crash


def _error(failure: WorkerFailure) -> JudgementError:
    if failure.kind in _NOT_THE_CODES_FAULT:
        return JudgementError("worker_died", f"the judge's code did not answer: {failure}")
    return JudgementError(
        "judge_code", f"the judge's code did not answer: {failure}", retryable=False
    )


def _conditions(rule: Rule) -> Mapping[str, bool | str]:
    return {judge.name: judge.condition for judge in rule.judges}


def _travelling(rule: Rule) -> dict[str, Any]:
    """Return of a rule what a process needs, as JSON."""
    judges = {judge.name: _judge(judge) for judge in rule.judges}
    if rule.pairwise is not None:
        judges[PAIRWISE_JUDGE] = {"condition": True, "template": _template(rule.pairwise)}
    return {"record": asdict(rule.record), "judges": judges}


def _judge(judge: JudgeSpec) -> dict[str, Any]:
    if isinstance(judge, PythonJudgeSpec):
        return {"condition": judge.condition, "python": _python(judge)}
    if isinstance(judge, LlmJudgeSpec):
        return {"condition": judge.condition, "template": _template(judge)}
    return {"condition": judge.condition}


def _python(judge: PythonJudgeSpec) -> dict[str, Any]:
    return {
        "type": judge.type,
        "builtin": judge.builtin,
        "source": judge.source,
        "file": judge.file,
        "module": judge.module,
        "function": judge.function,
        "project_root": judge.project_root,
        "arguments": dict(judge.arguments),
        "score_range": judge.score_range,
    }


def _template(judge: LlmJudgeSpec | PairwiseSpec) -> dict[str, Any]:
    return {
        "template": judge.template,
        "arguments": dict(judge.arguments),
        "context": [asdict(file) for file in judge.context],
    }


def _located(bundle: Bundle) -> dict[str, Any]:
    """Return where a bundle lies and what is in it, as JSON; paths keep their odd bytes."""
    tree = bundle.tree
    return {
        "root": str(tree.root),
        "files": [(file.path, file.size) for file in tree.files],
        "skipped": [(member.path, member.kind) for member in tree.skipped],
    }
