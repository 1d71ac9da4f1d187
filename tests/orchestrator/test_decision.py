from collections.abc import Sequence
from typing import Any

import pytest

from judge_bundles.decision import Decision, decide
from judge_bundles.limits import MAX_FURTHER_REASON_CHARACTERS
from judge_bundles.verdict import JudgeResult, VerdictError

STATUSES: dict[str, Any] = {"P": "pass", "F": "fail", "E": "error", "S": "skipped"}


def said(name: str, letter: str) -> JudgeResult:
    """A result for a letter, or a score for a number; `e` is an error that can be tried again."""
    if letter.upper() == "E":
        error = VerdictError("timeout", f"{name} was late", retryable=letter == "e")
        return JudgeResult(name, "llm", "error", error=error)
    if letter in STATUSES:
        value = {"P": True, "F": False}.get(letter)
        return JudgeResult(name, "llm", STATUSES[letter], value, f"{name} says")
    return JudgeResult(name, "llm", "scored", float(letter), f"{name} says")


def decided(letters: Sequence[str], prechecks: int = 0) -> Decision:
    results = [said(name, letter) for name, letter in zip("abcdef", letters, strict=False)]
    return decide(results, prechecks=prechecks)


@pytest.mark.parametrize(
    ("letters", "status", "reason"),
    [
        ("P", "pass", "a says"),
        ("F", "fail", "a says"),
        ("E", "error", "a was late"),
        (["4"], "pass", "a 4: a says"),
        ("PP", "pass", "a, b passed"),
        ("PF", "fail", "b: b says"),
        ("FPF", "fail", "a: a says; c: c says"),
        ("FEP", "error", "b: b was late"),
        ("EFe", "error", "a: a was late; c: c was late"),
        (["4", "3.5"], "pass", "a 4, b 3.5"),
        (["4", "P", "S", "0.1"], "pass", "b passed; a 4, d 0.1; c skipped"),
        ("SP", "pass", "b passed; a skipped"),
        ("SF", "fail", "b: b says"),
        ("SE", "error", "b: b was late"),
        (["1", "F"], "fail", "b: b says"),
    ],
)
def test_an_error_outweighs_a_no_a_no_outweighs_a_yes_and_numbers_decide_nothing(
    letters: Sequence[str], status: str, reason: str
) -> None:
    decision = decided(letters)
    assert (decision.status, decision.reason, decision.stage) == (status, reason, "judge")
    assert (decision.error is not None) is (status == "error")


def test_where_every_judge_was_skipped_the_prechecks_decide() -> None:
    assert decided("SS", 2) == Decision(
        "pass", "all 2 prechecks held; every judge was skipped", "precheck"
    )
    assert decided("S", 1).reason == "the precheck held; every judge was skipped"
    nobody = decided("SS")
    assert nobody.status == "error"
    assert nobody.error is not None
    assert (nobody.error.kind, nobody.error.retryable) == ("not_judged", False)


@pytest.mark.parametrize(("letters", "again"), [("ee", True), ("eE", False), ("Ee", False)])
def test_a_bundle_is_tried_again_only_if_every_error_may_pass(letters: str, *, again: bool) -> None:
    error = decided(letters).error
    assert error is not None
    assert error.retryable is again


def test_the_first_words_are_whole_and_further_ones_are_cut() -> None:
    long = "x" * (MAX_FURTHER_REASON_CHARACTERS + 1)
    results = [JudgeResult(name, "llm", "fail", value=False, rationale=long) for name in "ab"]
    first, second = decide(results, prechecks=0).reason.split("; ")
    assert first == f"a: {long}"
    assert len(second) == MAX_FURTHER_REASON_CHARACTERS
    assert second.endswith("…")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "better than the baseline"),
        (0.5, "as good as the baseline"),
        (0.0, "worse than the baseline"),
    ],
)
def test_a_comparison_is_told_in_words(value: float, words: str) -> None:
    compared = JudgeResult("pairwise", "pairwise", "scored", value, "why")
    assert decide([said("a", "P"), compared], prechecks=0).reason == f"a passed; {words}"
    assert decide([compared], prechecks=0).reason == f"{words}: why"
