import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles.scoring import BundleOutcome, Comparison, Failure, compare
from tests.orchestrator.scoring.scoring_cases import bundle


def entries(failures: tuple[Failure, ...]) -> list[str]:
    return [f"{failure.entry_id}/{failure.judge}" for failure in failures]


def test_failures_are_paired_by_entry_and_judge() -> None:
    before = [
        bundle("a", safe="F", tests="P"),
        bundle("b", safe="P", tests="F"),
        bundle("c", safe="F", tests="P"),
        bundle("gone", safe="F", tests="P"),
    ]
    now = [
        bundle("b", safe="F", tests="F"),
        bundle("a", safe="F", tests="P"),
        bundle("c", safe="P", tests="P"),
        bundle("more", safe="F", tests="P"),
    ]
    comparison = compare(now, before)
    assert entries(comparison.new) == ["b/safe", "more/safe"]
    assert entries(comparison.still) == ["a/safe", "b/tests"]
    assert entries(comparison.fixed) == ["c/safe"]
    assert entries(comparison.not_judged) == ["gone/safe"]
    assert (comparison.only_candidate, comparison.only_baseline) == (("more",), ("gone",))
    assert comparison.newly_failing == ("b", "more")
    assert comparison.still_failing == ("a",)
    assert comparison.fixed_bundles == ("c",)


@pytest.mark.parametrize(
    ("before", "now", "field"),
    [
        ("P", "F", "new"),
        ("E", "F", "new"),
        ("-", "F", "new"),
        ("4", "F", "new"),
        ("F", "F", "still"),
        ("F", "P", "fixed"),
        ("F", "E", "not_judged"),
        ("F", "-", "not_judged"),
        ("F", "4", "not_judged"),
        ("P", "P", None),
        ("P", "E", None),
        ("E", "P", None),
        ("1", "5", None),
        ("5", "1", None),
    ],
)
def test_only_a_judgement_fails_and_only_a_pass_fixes(
    before: str, now: str, field: str | None
) -> None:
    comparison = compare([bundle("a", safe=now)], [bundle("a", safe=before)])
    for name in ("new", "still", "fixed", "not_judged"):
        assert entries(getattr(comparison, name)) == (["a/safe"] if name == field else [])


def test_the_gate_counts_as_a_judge() -> None:
    before = [bundle("a", gate="F", safe="-"), bundle("b", safe="F")]
    now = [bundle("a", safe="F"), bundle("b", gate="F", safe="-")]
    comparison = compare(now, before)
    assert entries(comparison.new) == ["a/safe", "b/gate"]
    assert entries(comparison.fixed) == ["a/gate"]
    assert entries(comparison.not_judged) == ["b/safe"]
    assert comparison.fixed_bundles == ()


def test_without_a_baseline_every_failure_is_new() -> None:
    comparison = compare([bundle("a", safe="F"), bundle("b", safe="P")], [])
    assert comparison.newly_failing == ("a",)
    assert comparison.only_candidate == ("a", "b")


BUNDLES = st.dictionaries(
    st.sampled_from("abcd"), st.tuples(*[st.sampled_from("PFE-4")] * 2), max_size=4
).map(lambda said: [bundle(entry, safe=one, tests=two) for entry, (one, two) in said.items()])


def all_failures(comparison: Comparison) -> list[Failure]:
    return [
        *comparison.new,
        *comparison.still,
        *comparison.fixed,
        *comparison.not_judged,
    ]


@given(BUNDLES, BUNDLES, st.integers())
def test_every_failure_is_in_one_place_whatever_the_order(
    now: list[BundleOutcome], before: list[BundleOutcome], seed: int
) -> None:
    comparison = compare(now, before)
    failures = all_failures(comparison)
    assert len(failures) == len(set(failures))
    assert set(failures) == {
        Failure(one.entry_id, outcome.judge)
        for one in (*now, *before)
        for outcome in one.all
        if outcome.status == "fail"
    }
    shuffle = random.Random(seed)
    mixed = compare(shuffle.sample(now, len(now)), shuffle.sample(before, len(before)))
    assert mixed == comparison


@given(BUNDLES)
def test_a_run_beside_itself_has_nothing_new_and_nothing_fixed(
    bundles: list[BundleOutcome],
) -> None:
    comparison = compare(bundles, bundles)
    assert (comparison.new, comparison.fixed, comparison.not_judged) == ((), (), ())
    assert (comparison.only_candidate, comparison.only_baseline) == ((), ())
