from itertools import product
from statistics import median_low

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.error_kinds import RETRYABLE, ErrorKind
from judge_bundles.limits import MAX_SAMPLES
from judge_bundles.scoring import Reduction, Stability, Value, decided, reduce
from judge_bundles.scoring.samples import combined_error
from judge_bundles.verdict import VerdictError
from tests.orchestrator.scoring.scoring_cases import NUMBERS

LETTERS = {"P": True, "F": False}


def failure(kind: ErrorKind = "model_server", message: str = "it broke") -> VerdictError:
    return VerdictError(kind, message, RETRYABLE[kind])


def split(letters: str) -> tuple[list[Value], list[VerdictError]]:
    values: list[Value] = [
        LETTERS[one] if one in LETTERS else int(one) for one in letters if one != "E"
    ]
    return values, [failure()] * letters.count("E")


def reduced(letters: str, requested: int) -> Reduction:
    values, errors = split(letters)
    return reduce(values, errors, requested)


def is_decided(letters: str, requested: int) -> bool:
    values, errors = split(letters)
    return decided(values, len(errors), requested)


@pytest.mark.parametrize(
    ("letters", "requested", "status"),
    [
        ("P", 1, "pass"),
        ("F", 1, "fail"),
        ("E", 1, "error"),
        ("FPP", 3, "pass"),
        ("PP", 3, "pass"),
        ("FPE", 3, "error"),
        ("PPE", 3, "pass"),
        ("EE", 3, "error"),
        ("PF", 2, "fail"),
        ("PE", 2, "error"),
        ("PPFF", 4, "fail"),
        ("PPFE", 4, "error"),
        ("PPPEE", 5, "pass"),
        ("PPEEE", 5, "error"),
        ("P", 3, "error"),
        ("", 3, "error"),
        ("3", 1, "scored"),
        ("345", 3, "scored"),
        ("34E", 3, "scored"),
        ("3EE", 3, "error"),
        ("34EE", 4, "error"),
        ("345E", 4, "scored"),
        ("P3P", 3, "error"),
    ],
)
def test_more_than_half_of_those_requested_decide(
    letters: str, requested: int, status: str
) -> None:
    assert reduced(letters, requested).status == status


@pytest.mark.parametrize(
    ("letters", "value", "chosen"),
    [("FPP", True, 1), ("PF", False, 1), ("52345", 4, 3), ("2345", 3, 1), ("5E4", 4, 1)],
)
def test_the_answer_is_one_that_a_sample_gave(letters: str, value: Value, chosen: int) -> None:
    result = reduced(letters, len(letters))
    assert (result.value, result.chosen) == (value, chosen)


@pytest.mark.parametrize(
    ("letters", "stability"),
    [
        ("FPP", Stability(3, 2, 1, 0, stable=False, values=(False, True, True))),
        ("PPE", Stability(3, 2, 0, 1, stable=False, values=(True, True))),
        ("PP", Stability(3, 2, 0, 0, stable=True, values=(True, True))),
        ("344", Stability(3, 0, 0, 0, stable=False, values=(3, 4, 4))),
        ("444", Stability(3, 0, 0, 0, stable=True, values=(4, 4, 4))),
        ("1P1", Stability(3, 1, 0, 0, stable=False, values=(1, True, 1))),
        ("EEE", Stability(3, 0, 0, 3, stable=False)),
    ],
)
def test_the_spread_is_kept_and_a_split_is_unstable(letters: str, stability: Stability) -> None:
    assert reduced(letters, 3).stability == stability


@pytest.mark.parametrize(
    ("letters", "requested", "stop"),
    [
        ("", 3, False),
        ("P", 2, False),
        ("PP", 3, True),
        ("PF", 3, False),
        ("EF", 3, False),
        ("EE", 3, True),
        ("E", 2, True),
        ("PFE", 4, True),
        ("3", 3, False),
        ("33", 3, True),
        ("34", 3, False),
        ("333", 5, True),
        ("3334", 5, True),
        ("2334", 5, True),
        ("2344", 5, False),
        ("3E", 3, False),
        ("EE3", 5, False),
        ("P4", 5, True),
    ],
)
def test_sampling_ends_once_nothing_can_change(letters: str, requested: int, stop: bool) -> None:
    assert is_decided(letters, requested) == stop


@pytest.mark.parametrize("requested", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("alphabet", ["PFE", "12E", "135E"])
def test_ending_early_never_changes_the_answer(alphabet: str, requested: int) -> None:
    for letters in product(alphabet, repeat=requested):
        whole = "".join(letters)
        final = reduced(whole, requested)
        assert is_decided(whole, requested)
        for ran in range(requested):
            if is_decided(whole[:ran], requested):
                early = reduced(whole[:ran], requested)
                assert (early.status, early.value) == (final.status, final.value)


@pytest.mark.parametrize("requested", [2, 3, 4, 5])
@pytest.mark.parametrize(("so_far", "to_come"), [("PFE", "PFE"), ("234E", "06E")])
def test_sampling_goes_on_as_long_as_an_answer_can_change(
    so_far: str, to_come: str, requested: int
) -> None:
    for ran in range(1, requested):
        for letters in product(so_far, repeat=ran):
            begun = "".join(letters)
            if not set(begun) - {"E"}:
                continue  # whether bools or numbers are to come is not known yet
            ends = {
                reduced(begun + "".join(rest), requested).value
                for rest in product(to_come, repeat=requested - ran)
            }
            assert is_decided(begun, requested) == (len(ends) == 1)


@pytest.mark.parametrize(
    ("errors", "kind", "message", "retryable"),
    [
        ([failure("timeout", "slow")], "timeout", "slow", True),
        ([failure("refusal", "no")], "refusal", "no", False),
        (
            [failure("timeout", "slow"), failure("refusal", "no"), failure("refusal", "never")],
            "refusal",
            "no",
            True,
        ),
        ([failure("model_server", "500"), failure("refusal", "no")], "refusal", "no", True),
    ],
)
def test_the_most_frequent_kind_of_error_stands_for_all(
    errors: list[VerdictError], kind: ErrorKind, message: str, retryable: bool
) -> None:
    assert combined_error(errors, "") == VerdictError(kind, message, retryable)
    assert combined_error(errors[::-1], "").kind == kind


@pytest.mark.parametrize(
    ("letters", "requested", "error"),
    [
        ("E", 1, failure()),
        (
            "FPE",
            3,
            failure(
                message="no majority among the samples (1 of 3 ended in error): it broke",
            ),
        ),
        ("P", 3, VerdictError("interrupted", "only 1 of 3 samples ran", retryable=True)),
        (
            "P3P",
            3,
            VerdictError(
                "invalid_verdict",
                "some samples answered pass or fail and some gave a number",
                retryable=True,
            ),
        ),
    ],
)
def test_an_error_says_why_no_answer_was_reached(
    letters: str, requested: int, error: VerdictError
) -> None:
    assert reduced(letters, requested).error == error


@settings(deadline=None)
@given(
    st.lists(NUMBERS, max_size=MAX_SAMPLES),
    st.integers(0, MAX_SAMPLES),
    st.integers(1, MAX_SAMPLES),
)
def test_a_score_is_the_lower_median_within_the_scores(
    values: list[float], errors: int, requested: int
) -> None:
    result = reduce(values, [failure()] * errors, requested)
    if 2 * len(values) > requested:
        assert result.value == median_low(values)
        assert result.chosen is not None
        assert values[result.chosen] == result.value
    else:
        assert (result.status, result.value, result.chosen) == ("error", None, None)


@given(
    st.lists(st.one_of(st.booleans(), NUMBERS), max_size=9), st.integers(0, 9), st.integers(1, 9)
)
def test_no_samples_make_it_raise_and_errors_come_with_a_reason(
    values: list[Value], errors: int, requested: int
) -> None:
    result = reduce(values, [failure()] * errors, requested)
    assert (result.error is None) == (result.status != "error") == (result.value is not None)
    decided(values, errors, requested)


@given(
    st.one_of(st.lists(st.booleans(), max_size=9), st.lists(NUMBERS, max_size=9)),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_the_order_of_the_samples_does_not_matter(
    values: list[Value], errors: int, requested: int
) -> None:
    failures = [failure()] * errors
    for mixed in (sorted(values), values[::-1]):
        assert reduce(mixed, failures, requested).value == reduce(values, failures, requested).value
