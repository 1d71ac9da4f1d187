"""Put together what a judge said when it saw two runs' outputs of one bundle in both orders.

A judge that always prefers what it reads first says nothing: a win needs both orders to agree.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from judge_bundles.scoring.samples import combined_error
from judge_bundles.verdict import JSON, VerdictError

Preferred = Literal["A", "B", "tie"]
Winner = Literal["candidate", "baseline", "tie"]
Side = Literal["candidate", "baseline"]

_CANDIDATE_FIRST: Final[dict[Preferred, Winner]] = {
    "A": "candidate",
    "B": "baseline",
    "tie": "tie",
}
_BASELINE_FIRST: Final[dict[Preferred, Winner]] = {
    "A": "baseline",
    "B": "candidate",
    "tie": "tie",
}


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """The answer to one order: which output is better, or why nobody can tell.

    Exactly one of `preferred` and `error` is set. A is the output that was shown first.
    """

    preferred: Preferred | None
    reasoning: str = ""
    error: VerdictError | None = None

    def __post_init__(self) -> None:
        if (self.preferred is None) != (self.error is not None):
            raise ValueError("an answer is a preference or an error")


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """One bundle compared. `winner` is None when the comparison ended in `error`.

    `reasoning` holds both orders' words, the order with the candidate first leading; it is empty
    when nothing was asked. `consistent` is False for a tie that came about because the orders
    disagreed.
    """

    entry_id: str
    winner: Winner | None
    reasoning: tuple[str, ...] = ()
    consistent: bool = True
    error: VerdictError | None = None


@dataclass(frozen=True, slots=True)
class PairwiseSummary:
    """The comparison of a run with its baseline, seen from the run: `wins` are its own."""

    wins: int
    losses: int
    ties: int
    errors: int
    pairs: tuple[PairOutcome, ...]

    @property
    def exact_win_rate(self) -> Fraction | None:
        """Wins and half of the ties, over the bundles that were compared; None without any."""
        compared = self.wins + self.losses + self.ties
        return Fraction(2 * self.wins + self.ties, 2 * compared) if compared else None

    @property
    def win_rate(self) -> float | None:
        """`exact_win_rate`, rounded."""
        return None if self.exact_win_rate is None else float(self.exact_win_rate)

    @property
    def exact_error_rate(self) -> Fraction | None:
        """Errors over all bundles of the comparison; None without any."""
        return Fraction(self.errors, len(self.pairs)) if self.pairs else None

    def record(self) -> dict[str, JSON]:
        """Return the counts as a JSON object, without the bundles."""
        return {
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "errors": self.errors,
            "win_rate": self.win_rate,
        }


def judge_pair(
    entry_id: str, candidate_first: OrderAnswer, baseline_first: OrderAnswer
) -> PairOutcome:
    """Return who wins a bundle: whoever both orders prefer, else it is a tie.

    One failed call makes the bundle an error, since the other order alone may be position bias.
    """
    reasoning = (candidate_first.reasoning, baseline_first.reasoning)
    first, second = candidate_first.preferred, baseline_first.preferred
    if first is None or second is None:
        errors = [one for one in (candidate_first.error, baseline_first.error) if one]
        error = combined_error(errors, f"{len(errors)} of 2 orders ended in error")
        return PairOutcome(entry_id, None, reasoning, error=error)
    winners = (_CANDIDATE_FIRST[first], _BASELINE_FIRST[second])
    agreed = winners[0] == winners[1]
    return PairOutcome(entry_id, winners[0] if agreed else "tie", reasoning, consistent=agreed)


def without_output(entry_id: str, sides: Sequence[Side]) -> PairOutcome:
    """Return the error of a bundle that has nothing to compare on one or both `sides`."""
    message = f"there is no output of the {' and the '.join(sides)} to compare"
    return PairOutcome(entry_id, None, error=VerdictError("not_judged", message, retryable=False))


def summarise(pairs: Sequence[PairOutcome]) -> PairwiseSummary:
    """Count the bundles of a comparison; `pairs` are kept in the order of their entry ids."""
    counts = Counter(pair.winner for pair in pairs)
    return PairwiseSummary(
        wins=counts["candidate"],
        losses=counts["baseline"],
        ties=counts["tie"],
        errors=counts[None],
        pairs=tuple(sorted(pairs, key=lambda pair: pair.entry_id)),
    )
