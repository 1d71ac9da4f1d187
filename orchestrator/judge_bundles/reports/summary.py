"""Count the verdicts of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from judge_bundles.verdict import Usage, Verdict


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals of one run. `cost_usd` is None when the price of some model is not known."""

    passed: int
    failed: int
    errored: int
    unjudged: int
    reused: int
    cost_usd: float | None
    usage: Usage
    scripted: bool
    """True when the embedded offline model answered for at least one verdict."""


def summarise(verdicts: Sequence[Verdict], *, unjudged: int = 0) -> Summary:
    """Return the totals."""
    costs = [verdict.cost_usd for verdict in verdicts]
    return Summary(
        passed=sum(verdict.status == "pass" for verdict in verdicts),
        failed=sum(verdict.status == "fail" for verdict in verdicts),
        errored=sum(verdict.status == "error" for verdict in verdicts),
        unjudged=unjudged,
        reused=sum(verdict.reused_from is not None for verdict in verdicts),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        usage=sum((verdict.usage for verdict in verdicts), Usage()),
        scripted=any(verdict.model_scripted for verdict in verdicts),
    )
