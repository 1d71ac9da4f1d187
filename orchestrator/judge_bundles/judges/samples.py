"""Ask one stochastic judge for as many independent judgements as it takes to decide."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar

from judge_bundles import scoring
from judge_bundles.scoring import Reduction, Value
from judge_bundles.verdict import JudgeResult, Stability, VerdictError

POINTLESS_TO_REPEAT: Final = frozenset({"budget", "model_auth"})
"""What ended one sample would end the next one in the same way."""


class Sample(Protocol):
    """One judgement; its result is a pass, a fail, a score or an error."""

    @property
    def result(self) -> JudgeResult:
        """What it came to."""


S = TypeVar("S", bound=Sample)


@dataclass(frozen=True, slots=True)
class Drawn(Generic[S]):
    """All samples that ran, what they amount to, and the one whose words stand for all."""

    result: JudgeResult
    chosen: S
    samples: tuple[S, ...]


async def draw(ask: Callable[[int], Awaitable[S]], requested: int) -> Drawn[S]:
    """Call `ask` with 1, 2, … until no further sample can change the result."""
    samples: list[S] = []
    values: list[Value] = []
    errors: list[VerdictError] = []
    while not scoring.decided(values, len(errors), requested):
        samples.append(await ask(len(samples) + 1))
        result = samples[-1].result
        if result.error is None:
            assert result.value is not None
            values.append(result.value)
            continue
        errors.append(result.error)
        if result.error.kind in POINTLESS_TO_REPEAT:
            break
    reduction = scoring.reduce(values, errors, requested)
    chosen = _chosen(samples, reduction)
    result = chosen.result if requested == 1 else _reduced(chosen.result, reduction)
    return Drawn(result, chosen, tuple(samples))


def _chosen(samples: Sequence[S], reduction: Reduction) -> S:
    """Return the first sample that says what all of them amount to, else the last."""
    if reduction.chosen is not None:
        return [one for one in samples if one.result.error is None][reduction.chosen]
    kind = reduction.error.kind if reduction.error else None
    alike = (one for one in samples if one.result.error and one.result.error.kind == kind)
    return next(alike, samples[-1])


def _reduced(result: JudgeResult, reduction: Reduction) -> JudgeResult:
    return replace(
        result,
        status=reduction.status,
        value=reduction.value,
        rationale=f"{result.rationale} ({_spread(reduction.stability)})".strip(),
        stability=reduction.stability,
        error=reduction.error,
    )


def _spread(spread: Stability) -> str:
    if spread.passes + spread.fails == len(spread.values):
        tie = spread.passes == spread.fails and 2 * spread.fails == spread.requested
        note = "a tie of the samples is a fail" if tie else "samples"
        counts = f"{spread.passes} pass, {spread.fails} fail"
    else:
        note = "samples"
        counts = ", ".join(f"{value:g}" for value in spread.values)
    return f"{note}: {counts}, {spread.errors} error of {spread.requested}"
