"""What the tests of scoring share: short ways to write outcomes, and strategies that make them.

One letter is one outcome: P pass, F fail, E error, - skipped. A digit is that score.
"""

from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st

from judge_bundles.limits import MAX_SCORE_SIZE
from judge_bundles.scoring import GATE, BundleOutcome, Outcome, ScoringSpecError, Value
from judge_bundles.verdict import JudgeStatus, Status

STATUSES: Final[dict[str, JudgeStatus]] = {"P": "pass", "F": "fail", "E": "error", "-": "skipped"}
VALUES: Final = {"P": True, "F": False}


def outcome(judge: str, letter: str) -> Outcome:
    if letter in STATUSES:
        return Outcome(judge, STATUSES[letter], VALUES.get(letter))
    return Outcome(judge, "scored", float(letter))


def outcomes(judge: str, letters: str) -> list[Outcome]:
    return [outcome(judge, letter) for letter in letters]


def bundle(entry_id: str, gate: str = "P", **judges: str) -> BundleOutcome:
    """Return a bundle whose verdict follows from its outcomes, as the product gives it."""
    letters = [gate, *judges.values()]
    status: Status = "error" if "E" in letters else "fail" if "F" in letters else "pass"
    said = tuple(outcome(judge, letter) for judge, letter in judges.items())
    return BundleOutcome(entry_id, status, outcome(GATE, gate), said)


def run(judges: Mapping[str, str], gate: str = "") -> list[BundleOutcome]:
    """Return bundles b0, b1, …: one letter of each text is for one of them."""
    count = max(len(letters) for letters in (gate, *judges.values()))
    return [
        bundle(
            f"b{index}",
            gate[index] if gate else "P",
            **{judge: letters[index] for judge, letters in judges.items()},
        )
        for index in range(count)
    ]


def problems(error: ScoringSpecError) -> list[tuple[str, str]]:
    """Return each problem as its dotted path and its message."""
    return [(".".join(map(str, one.path)), one.message) for one in error.problems]


NUMBERS: Final = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(-100, 100, allow_nan=False),
    st.floats(-MAX_SCORE_SIZE, MAX_SCORE_SIZE, allow_nan=False),
    st.sampled_from([0.1, 0.7, 1 / 3, 1e-300, -0.0]),
)


def value_outcome(value: Value) -> Outcome:
    if isinstance(value, bool):
        return Outcome("judge", "pass" if value else "fail", value)
    return Outcome("judge", "scored", value)


WITHOUT_VALUE: Final = st.sampled_from([Outcome("judge", "error"), Outcome("judge", "skipped")])
ANY_OUTCOME: Final = st.one_of(
    WITHOUT_VALUE, st.booleans().map(value_outcome), NUMBERS.map(value_outcome)
)
