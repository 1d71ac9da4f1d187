"""What `prune` removes and what it never removes, on both databases."""

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from judge_bundles.store.records import Judged, RuleRef
from judge_bundles.store.retention import prune
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict
from tests.support.store_history import Past, about, change, rows
from tests.support.store_records import OTHER_RULE, RULE, begin, entry, error, trace

OTHER = {"rule": OTHER_RULE.name, "rule_digest": OTHER_RULE.digest}


@pytest.fixture
def past(store: Store, store_url: str) -> Past:
    return Past(store_url, store)


def test_a_run_whose_bundles_were_all_judged_again_goes_with_everything_it_had(past: Past) -> None:
    broken = error("", "a", "model_unreachable", **OTHER)
    past.run(Judged(about("a"), "key", (trace("look"), trace("other"))), broken)
    new = past.run(Judged(about("a"), "key", (trace("look", "again"),)), broken, ago_days=1)
    done = prune(past.url, keep_days=5)
    assert (done.runs, done.thinned, done.verdicts, done.kept) == (1, 0, 2, 0)
    assert past.places() == {new: ["a"]}
    assert past.store.trace(new, "a", RULE.name) == (trace("look", "again"),)
    assert rows(past.url) == {
        "runs": 1,
        "rules": 2,
        "run_rules": 2,
        "entries": 1,
        "verdicts": 2,
        "traces": 1,
        "steps": 2,
        "calls": 2,
        "call_settings": 1,
    }


def test_texts_that_only_old_runs_used_go_with_them(past: Past) -> None:
    past.run(about("a"), rules=(RuleRef(RULE.name, "e" * 64, {"rubric": "Earlier words."}),))
    past.run(about("a"), rules=(RULE,), ago_days=1)
    prune(past.url, keep_days=5)
    assert rows(past.url)["rules"] == 1


def test_the_newest_verdict_of_a_bundle_stays_however_old_it_is(past: Past) -> None:
    run_id = past.run(about("a"), about("b", "d", status="fail"), ago_days=4_000)
    done = prune(past.url, keep_days=0)
    assert (done.runs, done.thinned, done.verdicts, done.kept) == (0, 0, 0, 2)
    assert past.places() == {run_id: ["a", "b"]}


def test_a_run_keeps_what_is_newest_and_is_a_whole_run_of_that(past: Past) -> None:
    old = past.run(about("a"), about("b", "d"), about("c", "e"), rules=(RULE,))
    new = past.run(about("b", "d"), rules=(RULE,), ago_days=1)
    done = prune(past.url, keep_days=5)
    assert (done.runs, done.thinned, done.verdicts, done.kept) == (0, 1, 1, 2)
    assert past.places() == {old: ["a", "c"], new: ["b"]}
    record = past.store.run(old)
    assert (record.counts.expected, record.counts.pending, record.pruned_entries) == (2, 0, 1)
    assert past.store.find_resumable(sources=["runs"], rule_digests=[RULE.digest]) is None


def test_what_a_run_has_spent_is_not_forgotten_with_its_bundles(past: Past) -> None:
    old = past.run(about("a", cost_usd=1.5), about("b", "d", cost_usd=0.25))
    past.run(about("a"), ago_days=1)
    prune(past.url, keep_days=5)
    assert past.store.counts(old).cost_usd == 0.25
    assert float(past.store.spent(old)) == 1.75


def test_a_run_that_was_thinned_can_be_resumed_with_what_it_lost(past: Past) -> None:
    old = past.run(about("a"), about("b", "d"), about("c", "e"), rules=(RULE,))
    past.run(about("a"), about("b", "d"), rules=(RULE,), ago_days=1)
    prune(past.url, keep_days=5)
    store = past.store
    store.resume_run(old)
    assert store.add_entries(old, [entry(name) for name in "abc"]) == 2
    assert [one.entry_id for one in store.entries(old)] == ["c", "a", "b"]
    store.save(Judged(replace(about("a"), run_id=old)))
    assert store.pending(old) == {("b", RULE.name)}


def test_the_original_behind_a_copy_stays_with_its_trace(past: Past) -> None:
    first = past.run(Judged(about("a"), "key", (trace("look"),)), about("b", "d"), rules=(RULE,))
    copy = Judged(about("a", reused_from=first, cost_usd=0.0), "key")
    for ago_days in (8, 7, 1):
        last = past.run(copy, about("b", "d"), rules=(RULE,), ago_days=ago_days)
    done = prune(past.url, keep_days=5)
    assert (done.runs, done.thinned) == (2, 1)
    assert past.places() == {first: ["a"], last: ["a", "b"]}
    assert past.store.trace(last, "a") == (trace("look"),)
    found = past.store.reusable("key")
    assert found is not None
    assert found.reused_from is None


def test_the_original_of_an_old_copy_that_stays_stays_too(past: Past) -> None:
    first = past.run(Judged(about("a"), "key", (trace("look"),)), rules=(RULE,), ago_days=30)
    copy = Judged(about("a", reused_from=first, cost_usd=0.0), "key")
    middle = past.run(copy, rules=(RULE,), ago_days=20)
    last = past.run(copy, rules=(RULE,), ago_days=10)
    assert prune(past.url, keep_days=0).runs == 1
    assert list(past.places()) == [first, last]
    assert middle not in past.places()


@pytest.mark.parametrize(
    ("newest", "settings"),
    [
        (error("", "a", "model_unreachable", bundle_digest="c" * 64), {}),
        (about("a"), {"options": {"prechecks_only": True}}),
    ],
)
def test_what_a_run_can_reuse_stays_when_the_newest_verdict_cannot_be_reused(
    past: Past, newest: Verdict, settings: dict[str, object]
) -> None:
    judged = past.run(Judged(about("a"), "key"))
    past.run(Judged(newest, "key"), ago_days=1, **settings)
    assert prune(past.url, keep_days=0).runs == 0
    assert judged in past.places()
    assert past.store.reusable("key") is not None


def test_content_that_moved_and_content_that_changed_are_both_newest(past: Past) -> None:
    here = past.run(about("a", "c"), rules=(RULE,))
    changed = past.run(about("a", "d"), rules=(RULE,))
    moved = past.run(about("elsewhere", "c"), rules=(RULE,))
    assert prune(past.url, keep_days=0).runs == 1
    assert list(past.places()) == [changed, moved]
    assert here not in past.places()


def test_a_bundle_that_no_rule_could_take_in_is_known_by_its_place(past: Past) -> None:
    refused = error("", "a", "intake", bundle_digest=None)
    other_folder = past.run(refused, sources=["elsewhere"])
    past.run(refused)
    last = past.run(refused)
    assert prune(past.url, keep_days=0).runs == 1
    assert list(past.places()) == [other_folder, last]


def test_each_rule_has_a_newest_verdict_of_its_own(past: Past) -> None:
    audit = past.run(about("a"))
    past.run(about("a", **OTHER))
    style = past.run(about("a", **OTHER))
    prune(past.url, keep_days=0)
    assert list(past.places()) == [audit, style]


@pytest.mark.parametrize(("ago_days", "gone"), [(3.001, True), (2.999, False)])
def test_a_run_is_old_from_the_day_on(past: Past, ago_days: float, *, gone: bool) -> None:
    run_id = past.run(about("a"), ago_days=ago_days)
    past.run(about("a"), ago_days=1)
    prune(past.url, keep_days=3)
    assert (run_id not in past.places()) is gone


def test_a_run_that_is_executed_is_never_touched(past: Past) -> None:
    running = begin(past.store, "a", "b")
    past.store.save(Judged(replace(about("a"), run_id=running)))
    past.end(running, ago_days=100)
    past.run(about("a"))
    done = prune(past.url, keep_days=0)
    assert (done.runs, done.thinned, done.verdicts) == (0, 0, 0)
    past.store.save(Judged(replace(about("b", "d"), run_id=running)))
    assert past.store.counts(running).judged == 2


@pytest.mark.parametrize(("silent_days", "gone"), [(4, True), (2, False)])
def test_a_run_whose_process_is_gone_is_as_old_as_its_last_sign_of_life(
    past: Past, silent_days: float, *, gone: bool
) -> None:
    with Store.open(past.url) as killed:
        run_id = begin(killed, "a")
        killed.save(Judged(replace(about("a"), run_id=run_id)))
        change(past.url, f"UPDATE runs SET owner_pid = {2**22 + 1} WHERE run_id = '{run_id}'")
        past.end(run_id, silent_days)
        past.run(about("a"), ago_days=1)
        prune(past.url, keep_days=3)
        assert (run_id not in past.places()) is gone


def test_attempts_of_a_bundle_that_stays_are_its_history_and_stay(past: Past) -> None:
    run_id = past.run(error("", "a", "model_unreachable"), about("a"))
    prune(past.url, keep_days=0)
    assert [one.status for one in past.store.attempts(run_id, "a", RULE.name)] == ["error", "pass"]


def test_a_dry_run_says_what_would_go_and_changes_nothing(past: Past) -> None:
    past.run(about("a"), about("b", "d"))
    past.run(about("a"))
    past.run(about("a"), ago_days=1)
    before = rows(past.url)
    said = prune(past.url, keep_days=5, dry_run=True)
    assert rows(past.url) == before
    done = prune(past.url, keep_days=5)
    assert (said.runs, said.thinned, said.verdicts, said.kept) == (1, 1, 2, 1)
    assert (done.runs, done.thinned, done.verdicts, done.kept) == (1, 1, 2, 1)


def test_an_empty_store_has_nothing_to_prune(past: Past) -> None:
    assert prune(past.url, keep_days=0).verdicts == 0


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happened_before_what_must_stay_stays(past: Past, seed: int) -> None:
    chance = random.Random(seed)
    saved: list[tuple[str, Verdict, str | None]] = []
    for ago_days in range(12, 0, -1):
        judged = [
            _random_judged(chance, name, saved)
            for name in chance.sample("abcdef", chance.randint(1, 6))
        ]
        run_id = past.run(*judged, ago_days=ago_days, rules=(RULE,))
        saved += [(run_id, one.verdict, one.reuse_key) for one in judged]
    keep_days = chance.choice([0, 4, 8])
    prune(past.url, keep_days=keep_days)
    left = {(run, name) for run, names in past.places().items() for name in names}
    for last in (_last(saved, _content), _last(saved, _place), _last(saved, _content, _can_reuse)):
        assert {(run, one.entry_id) for run, one, _ in last} <= left
    by_run = {(run, one.entry_id): one for run, one, _ in saved}
    originals = {(run, key) for run, one, key in saved if (run, one.entry_id) in left}
    for run, name in left:
        if (source := by_run[run, name].reused_from) is not None:
            key = next(key for at, one, key in saved if (at, one.entry_id) == (run, name))
            assert (source, key) in originals
            assert past.store.trace(run, name)
    # Nothing that is old is left without one of these reasons.
    assert prune(past.url, keep_days=keep_days).verdicts == 0


def _random_judged(
    chance: random.Random, name: str, saved: list[tuple[str, Verdict, str | None]]
) -> Judged:
    content = chance.choice("xyz")
    key = f"{name}{content}"
    if chance.random() < 0.2:
        return Judged(error("", name, "model_unreachable", bundle_digest=content * 64))
    originals = [run for run, one, of in saved if of == key and one.reused_from is None]
    if originals and chance.random() < 0.7:
        return Judged(about(name, content, reused_from=originals[-1], cost_usd=0.0), key)
    return Judged(about(name, content), key, (trace(name, content),))


def _content(one: Verdict) -> str | None:
    return one.bundle_digest


def _place(one: Verdict) -> str | None:
    return one.entry_id


def _can_reuse(key: str | None) -> bool:
    return key is not None


def _last(
    saved: Iterable[tuple[str, Verdict, str | None]],
    of: Callable[[Verdict], str | None],
    wanted: Callable[[str | None], bool] = lambda _key: True,
) -> list[tuple[str, Verdict, str | None]]:
    return list({of(one): (run, one, key) for run, one, key in saved if wanted(key)}.values())
