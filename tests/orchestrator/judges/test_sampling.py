from itertools import product

import pytest

from judge_bundles.judges.sampling import Outcome, decided, stability

LETTERS: dict[str, Outcome] = {"P": "pass", "F": "fail", "E": "error"}


def outcomes(letters: str) -> list[Outcome]:
    return [LETTERS[letter] for letter in letters]


@pytest.mark.parametrize(
    ("letters", "requested", "status"),
    [
        ("P", 1, "pass"),
        ("F", 1, "fail"),
        ("E", 1, "error"),
        ("FPP", 3, "pass"),
        ("PP", 3, "pass"),
        ("FPE", 3, "error"),
        ("EPP", 3, "pass"),
        ("EE", 3, "error"),
        ("EF", 3, None),
        ("PF", 2, "fail"),
        ("P", 2, None),
        ("PE", 2, "error"),
        ("PPFF", 4, "fail"),
        ("PPFE", 4, "error"),
        ("PPP", 5, "pass"),
        ("", 3, None),
    ],
)
def test_more_than_half_of_those_requested_decide(
    letters: str, requested: int, status: Outcome | None
) -> None:
    assert decided(outcomes(letters), requested) == status


@pytest.mark.parametrize("requested", [1, 2, 3, 4, 5])
def test_stopping_early_never_changes_the_status(requested: int) -> None:
    for letters in product("PFE", repeat=requested):
        whole = outcomes("".join(letters))
        final = decided(whole, requested)
        assert final is not None
        for ran in range(requested):
            assert decided(whole[:ran], requested) in {None, final}


def test_a_split_is_unstable() -> None:
    assert stability(outcomes("FPP"), 3).stable is False
    assert stability(outcomes("EPP"), 3).stable is False
    assert stability(outcomes("PP"), 3).stable is True
