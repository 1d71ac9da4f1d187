import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.judges.samples import Drawn, draw
from judge_bundles.verdict import JudgeResult, VerdictError


@dataclass(frozen=True)
class Sample:
    number: int
    result: JudgeResult


def result(letter: str, number: int) -> JudgeResult:
    """A pass, a fail, an error (`E`, or `B` for one of the budget), or a number as a score."""
    words = f"sample {number}"
    if letter in "EB":
        kind: ErrorKind = "budget" if letter == "B" else "no_verdict"
        return JudgeResult("j", "llm", "error", error=VerdictError(kind, words, retryable=True))
    if letter in "PF":
        status: Any = "pass" if letter == "P" else "fail"
        return JudgeResult("j", "llm", status, letter == "P", words)
    return JudgeResult("j", "llm", "scored", float(letter), words)


def drawn(letters: str, requested: int | None = None) -> Drawn[Sample]:
    """Draw samples that come out like `letters`; asking for more than these would fail."""
    waiting: Iterator[str] = iter(letters)

    async def ask(number: int) -> Sample:
        return Sample(number, result(next(waiting), number))

    return asyncio.run(draw(ask, requested or len(letters)))


@pytest.mark.parametrize(
    ("letters", "requested", "status", "stable"),
    [
        ("FPP", 3, "pass", False),
        ("PP", 3, "pass", True),
        ("FPE", 3, "error", False),
        ("EPP", 3, "pass", False),
        ("EE", 3, "error", False),
        ("PF", 2, "fail", False),
        ("PE", 2, "error", False),
        ("PPFF", 4, "fail", False),
        ("PPFE", 4, "error", False),
        ("PPP", 5, "pass", True),
        ("345", 3, "scored", False),
        ("444", 3, "scored", True),
        ("3E4", 3, "scored", False),
    ],
)
def test_more_than_half_of_those_requested_decide(
    letters: str, requested: int, status: str, *, stable: bool
) -> None:
    outcome = drawn(letters, requested)
    assert outcome.result.status == status
    assert outcome.result.stability is not None
    assert outcome.result.stability.stable is stable
    assert (outcome.result.error is not None) is (status == "error")


@pytest.mark.parametrize("requested", [1, 2, 3, 4, 5])
def test_stopping_early_never_changes_the_result(requested: int) -> None:
    for letters in product("PFE", repeat=requested):
        whole = "".join(letters)
        outcome = drawn(whole, requested)
        passes, fails = whole.count("P"), whole.count("F")
        expected = "error"
        if 2 * passes > requested:
            expected = "pass"
        elif 2 * fails > requested or passes == fails == requested / 2:
            expected = "fail"
        assert outcome.result.status == expected, whole


def test_the_words_are_those_of_a_sample_that_says_so_and_the_spread_is_told() -> None:
    passed = drawn("FPP")
    assert passed.chosen.number == 2
    assert passed.result.rationale == "sample 2 (samples: 2 pass, 1 fail, 0 error of 3)"
    tie = drawn("PF")
    assert tie.result.rationale == (
        "sample 2 (a tie of the samples is a fail: 1 pass, 1 fail, 0 error of 2)"
    )
    scored = drawn("3E5")
    assert (scored.result.value, scored.chosen.number) == (3, 1)
    assert scored.result.rationale == "sample 1 (samples: 3, 5, 1 error of 3)"
    assert scored.result.stability is not None
    assert scored.result.stability.values == (3, 5)


def test_an_error_says_how_many_there_were_and_why() -> None:
    outcome = drawn("FPE")
    assert outcome.chosen.number == 3
    assert outcome.result.error == VerdictError(
        "no_verdict",
        "no majority among the samples (1 of 3 ended in error): sample 3",
        retryable=True,
    )


def test_a_single_sample_is_the_result_itself() -> None:
    for letter in "PFE4":
        outcome = drawn(letter)
        assert outcome.result == result(letter, 1)
        assert outcome.samples == (outcome.chosen,)


def test_nothing_is_asked_again_that_would_end_in_the_same_way() -> None:
    outcome = drawn("PB", 5)
    assert [one.number for one in outcome.samples] == [1, 2]
    assert outcome.result.error is not None
    assert outcome.result.error.kind == "budget"
