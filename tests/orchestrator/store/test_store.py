"""What a store keeps and gives back, on every database it is tried on."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from judge_bundles.errors import StoreError
from judge_bundles.store.records import EntryRef, Judged, RuleRef, RunCounts
from judge_bundles.store.store import Store
from judge_bundles.verdict import (
    Coverage,
    CriterionResult,
    Evidence,
    FileCoverage,
    InjectionFlag,
    JudgeResult,
    PrecheckResult,
    Stability,
)
from tests.support.store_records import (
    OTHER_RULE,
    RULE,
    begin,
    entry,
    error,
    trace,
    verdict,
)


def test_a_run_reads_back_as_it_was_begun(store: Store) -> None:
    options = {"concurrency": 4, "model": None}
    run_id = begin(store, "a", "b", rules=(RULE, OTHER_RULE), options=options, name="nightly")
    run = store.run(run_id)
    assert (run.run_id, run.name, run.status) == (run_id, "nightly", "running")
    assert (run.sources, run.options, run.finished_at) == (("runs",), options, None)
    assert [(rule.name, rule.digest) for rule in run.rules] == [
        ("audit", RULE.digest),
        ("style", OTHER_RULE.digest),
    ]
    assert run.counts == RunCounts(expected=4)
    assert store.entries(run_id) == [entry("a"), entry("b")]
    assert store.rules(run_id) == [RULE, OTHER_RULE]


def test_a_run_id_sorts_by_time_and_is_unique(store: Store) -> None:
    ids = [begin(store, "a") for _ in range(20)]
    assert len(set(ids)) == 20
    assert [run_id[:15] for run_id in ids] == sorted(run_id[:15] for run_id in ids)
    assert [run.run_id for run in store.runs(limit=3, offset=1)] == ids[-2:-5:-1]


def test_an_old_run_keeps_the_rule_text_it_used(store: Store) -> None:
    old = begin(store, "a")
    changed = RuleRef(RULE.name, "e" * 64, {"rubric": "Something else."})
    begin(store, "a", rules=(changed,))
    assert store.rules(old) == [RULE]


def test_a_verdict_with_everything_in_it_reads_back_equal(store: Store) -> None:
    run_id = begin(store, "a")
    evidence = Evidence("r.md", 1, 2, "quote", verified=True, corrected=True)
    rich = verdict(
        run_id,
        "a",
        "fail",
        prechecks=(
            PrecheckResult(0, "json_valid", held=False, message="no", observed={"a": [1, 2.5]}),
        ),
        judges=(
            JudgeResult(
                "rubric",
                "agent",
                "fail",
                value=False,
                criteria=(CriterionResult("c1", "because", (evidence,), met=False),),
                stability=Stability(3, 1, 2, 0, stable=False),
            ),
        ),
        coverage=Coverage((FileCoverage("r.md", 10, 5),), ("x",), 1),
        injection_suspected=(InjectionFlag("r.md", 3, "ignore all"),),
        skipped_members=("link (symlink)",),
        warnings=("careful",),
    )
    store.save(Judged(rich))
    assert store.verdict(run_id, "a") == rich


def test_verdicts_come_in_the_order_of_entries_whatever_finished_first(store: Store) -> None:
    run_id = begin(store, "b", "a", "c", rules=(RULE, OTHER_RULE))
    for name, rule in (("c", RULE), ("a", OTHER_RULE), ("b", RULE), ("a", RULE)):
        store.save(Judged(verdict(run_id, name, rule=rule.name, rule_digest=rule.digest)))
    found = [(one.entry_id, one.rule) for one in store.verdicts(run_id)]
    assert found == [("b", "audit"), ("a", "audit"), ("a", "style"), ("c", "audit")]
    page = store.verdicts(run_id, limit=2, offset=1)
    assert [(one.entry_id, one.rule) for one in page] == found[1:3]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, "abcd"),
        ({"status": "pass"}, "a"),
        ({"status": "error"}, "cd"),
        ({"passed": True}, "a"),
        ({"passed": False}, "b"),
        ({"passed": False, "status": "error"}, ""),
        ({"rule": "audit", "limit": 1}, "a"),
    ],
)
def test_verdicts_are_filtered(store: Store, filters: dict[str, object], names: str) -> None:
    run_id = begin(store, *"abcd")
    store.save_many(
        [
            Judged(verdict(run_id, "a")),
            Judged(verdict(run_id, "b", "fail")),
            Judged(error(run_id, "c", "model_server")),
            Judged(error(run_id, "d", "intake")),
        ]
    )
    found = store.verdicts(run_id, **filters)  # type: ignore[arg-type] # a table of keywords
    assert "".join(one.entry_id for one in found) == names


def test_counts_keep_errors_apart_and_add_up_every_attempt(store: Store) -> None:
    run_id = begin(store, *"abc", rules=(RULE, OTHER_RULE))
    store.save(Judged(error(run_id, "a", "model_server", cost_usd=0.5)))
    store.save(Judged(verdict(run_id, "a", cost_usd=0.25)))
    store.save(Judged(verdict(run_id, "b", "fail", rule="style", cost_usd=0.0)))
    store.save(Judged(error(run_id, "c", "intake", cost_usd=0.0)))
    counts = store.counts(run_id)
    assert counts == RunCounts(expected=6, passed=1, failed=1, errored=1, cost_usd=0.75)
    assert (counts.judged, counts.pending) == (3, 3)
    assert store.run(run_id).counts == counts
    assert store.counts(run_id, rule="style") == RunCounts(expected=3, failed=1)


def test_a_cost_that_is_not_known_is_not_added_up_as_nothing(store: Store) -> None:
    run_id = begin(store, *"ab")
    store.save_many([Judged(verdict(run_id, "a")), Judged(verdict(run_id, "b", cost_usd=None))])
    assert store.counts(run_id).cost_usd is None


def test_every_attempt_stays_as_history_and_the_last_one_counts(store: Store) -> None:
    run_id = begin(store, "a")
    first = error(run_id, "a", "sandbox_died")
    second = error(run_id, "a", "timeout")
    last = verdict(run_id, "a")
    for one in (first, second, last):
        store.save(Judged(one))
    assert store.attempts(run_id, "a") == [first, second, last]
    assert store.verdict(run_id, "a") == last
    assert store.verdicts(run_id) == [last]


def test_two_attempts_in_one_batch_are_kept_in_their_order(store: Store) -> None:
    run_id = begin(store, "a", "b")
    first, last = error(run_id, "a", "timeout"), verdict(run_id, "a")
    other = verdict(run_id, "b", "fail")
    store.save_many([Judged(first), Judged(other), Judged(last)])
    assert store.attempts(run_id, "a") == [first, last]
    assert store.verdicts(run_id) == [last, other]


def test_what_is_missing_or_retryable_is_pending(store: Store) -> None:
    run_id = begin(store, "passed", "failed", "lasting", "retryable", "missing", "recovered")
    store.save(Judged(verdict(run_id, "passed")))
    store.save(Judged(verdict(run_id, "failed", "fail")))
    store.save(Judged(error(run_id, "lasting", "intake")))
    store.save(Judged(error(run_id, "retryable", "model_overloaded")))
    store.save(Judged(error(run_id, "recovered", "model_overloaded")))
    store.save(Judged(verdict(run_id, "recovered")))
    assert store.pending(run_id) == {("retryable", "audit"), ("missing", "audit")}


def test_pending_is_per_rule(store: Store) -> None:
    run_id = begin(store, "a", rules=(RULE, OTHER_RULE))
    store.save(Judged(verdict(run_id, "a")))
    assert store.pending(run_id) == {("a", "style")}


def test_a_failed_batch_keeps_none_of_it(store: Store) -> None:
    run_id = begin(store, "a")
    with pytest.raises(StoreError, match="no entry elsewhere"):
        store.save_many([Judged(verdict(run_id, "a")), Judged(verdict(run_id, "elsewhere"))])
    assert store.verdicts(run_id) == []


def test_a_verdict_of_a_rule_the_run_does_not_have_is_refused(store: Store) -> None:
    run_id = begin(store, "a")
    with pytest.raises(StoreError, match="with a rule other"):
        store.save(Judged(verdict(run_id, "a", rule="other")))


def test_a_large_batch_is_kept_whole(store: Store) -> None:
    names = [f"e{number:04d}" for number in range(1201)]
    run_id = begin(store, *names)
    store.save_many([Judged(verdict(run_id, name)) for name in reversed(names)])
    assert [one.entry_id for one in store.verdicts(run_id)] == names
    store.save_many([Judged(verdict(run_id, name, "fail")) for name in names])
    assert store.counts(run_id).failed == 1201
    assert len(store.attempts(run_id, names[0])) == 2


def test_one_entry_twice_in_a_run_is_refused_by_name(store: Store) -> None:
    with pytest.raises(StoreError, match="the entry same"):
        begin(store, "same", "same")
    with pytest.raises(StoreError, match="the rule audit"):
        begin(store, "a", rules=(RULE, replace(RULE, digest="f" * 64)))
    assert store.runs() == []


def test_a_run_without_entries_can_be_finished(store: Store) -> None:
    run_id = begin(store)
    store.save_many([])
    store.finish_run(run_id, status="completed")
    assert store.run(run_id).counts == RunCounts(expected=0)


def test_finishing_sets_status_time_and_error(store: Store) -> None:
    run_id = begin(store, "a")
    store.finish_run(run_id, status="failed", error="the money was spent")
    run = store.run(run_id)
    assert (run.status, run.error) == ("failed", "the money was spent")
    assert run.finished_at is not None
    assert run.finished_at >= run.created_at


@pytest.mark.parametrize("given", ["latest", "whole", "beginning"])
def test_a_run_is_found_by_what_people_type(store: Store, given: str) -> None:
    begin(store, "a")
    run_id = begin(store, "b")
    written = {"whole": run_id, "latest": "latest", "beginning": run_id[:-1]}[given]
    assert store.run(written).run_id == run_id
    assert store.entries(written) == [entry("b")]


def test_an_ambiguous_or_unknown_run_says_what_to_do(store: Store) -> None:
    with pytest.raises(StoreError, match="no run latest"):
        store.run("latest")
    assert store.latest_run() is None
    assert store.run_count() == 0
    ids = [begin(store, "a"), begin(store, "a")]
    with pytest.raises(StoreError, match="several runs") as caught:
        store.run("20")
    assert all(run_id in str(caught.value) for run_id in ids)
    for unknown in ("1999", "", "%", "20_"):
        with pytest.raises(StoreError, match="no run"):
            store.run(unknown)
    assert store.run_count() == 2
    newest = store.latest_run()
    assert newest is not None
    assert newest.run_id == ids[1]


def test_an_unknown_entry_or_rule_says_so(store: Store) -> None:
    run_id = begin(store, "a", rules=(RULE, OTHER_RULE))
    with pytest.raises(StoreError, match="no entry b"):
        store.verdict(run_id, "b", "audit")
    with pytest.raises(StoreError, match=r"no rule x\. Name one of: audit, style"):
        store.verdict(run_id, "a", "x")
    with pytest.raises(StoreError, match="several rules"):
        store.verdict(run_id, "a")
    assert store.verdict(run_id, "a", "style") is None


def test_traces_read_back_with_whole_requests(store: Store) -> None:
    run_id = begin(store, "a", "b")
    made = (trace("look " * 100, "again", "more"), trace("once", judge="tone", sample=2))
    store.save(Judged(verdict(run_id, "a"), traces=made))
    store.save(Judged(verdict(run_id, "b"), traces=(trace("other"),)))
    assert store.trace(run_id, "a") == made


def test_each_attempt_has_its_own_trace(store: Store) -> None:
    run_id = begin(store, "a")
    store.save(Judged(error(run_id, "a", "timeout"), traces=(trace("first"),)))
    store.save(Judged(verdict(run_id, "a"), traces=(trace("second"),)))
    assert store.trace(run_id, "a") == (trace("second"),)
    assert store.trace(run_id, "a", attempt=1) == (trace("first"),)
    assert store.trace(run_id, "a", attempt=3) == ()


def test_a_verdict_without_judges_has_no_trace(store: Store) -> None:
    run_id = begin(store, "a", "b")
    store.save(Judged(verdict(run_id, "a", "fail", stage="precheck")))
    assert store.trace(run_id, "a") == ()
    assert store.trace(run_id, "b") == ()


def test_a_transcript_shows_each_message_once(store: Store) -> None:
    run_id = begin(store, "a")
    store.save(Judged(verdict(run_id, "a"), traces=(trace("one", "two"), replace(trace()))))
    (told,) = store.transcript(run_id, "a")
    roles = [message["role"] for message in told.messages]
    texts = [message["content"][0]["text"] for message in told.messages]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert texts == ["one", "answer 1", "two", "answer 2"]
    assert told.system == [{"type": "text", "text": "You judge. " * 50}]


def test_a_judgement_is_reused_by_its_key(store: Store) -> None:
    run_id = begin(store, "a", "b")
    judged = verdict(run_id, "a", "fail")
    store.save(Judged(judged, reuse_key="k1"))
    assert store.reusable("k1") == judged
    assert store.reusable("k2") is None


def test_the_newest_judgement_is_reused(store: Store) -> None:
    for reason in ("older", "newer"):
        run_id = begin(store, "a")
        store.save(Judged(verdict(run_id, "a", reason=reason), reuse_key="k"))
    found = store.reusable("k")
    assert found is not None
    assert found.reason == "newer"


def test_errors_and_verdicts_without_a_key_are_never_reused(store: Store) -> None:
    run_id = begin(store, "a", "b")
    store.save(Judged(error(run_id, "a", "timeout"), reuse_key="k"))
    store.save(Judged(verdict(run_id, "b")))
    assert store.reusable("k") is None


def test_verdicts_of_a_gate_only_run_are_never_reused(store: Store) -> None:
    gate_only = begin(store, "a", options={"prechecks_only": True})
    store.save(Judged(verdict(gate_only, "a"), reuse_key="k"))
    assert store.reusable("k") is None


def test_an_original_is_reused_before_its_copy_and_the_copy_shows_its_trace(store: Store) -> None:
    first = begin(store, "a")
    original = verdict(first, "a")
    store.save(Judged(original, reuse_key="k", traces=(trace("look"),)))
    second = begin(store, "moved/a")
    copy = replace(original, run_id=second, entry_id="moved/a", reused_from=first, cost_usd=0.0)
    store.save(Judged(copy, reuse_key="k"))
    assert store.reusable("k") == original
    assert store.trace(second, "moved/a") == (trace("look"),)


def test_the_run_to_resume_is_the_newest_unfinished_or_errored_of_the_same_job(
    store: Store,
) -> None:
    job: dict[str, Any] = {
        "sources": ["runs", "more"],
        "rule_digests": [RULE.digest, OTHER_RULE.digest],
    }
    both = (OTHER_RULE, RULE)
    assert store.find_resumable(**job) is None

    interrupted = begin(store, "a", rules=both, sources=["more", "runs"])
    store.finish_run(interrupted, status="interrupted")
    assert store.find_resumable(**job) == interrupted

    errored = begin(store, "a", rules=both, sources=["runs", "more"])
    store.save(Judged(error(errored, "a", "timeout")))
    store.finish_run(errored, status="completed")
    assert store.find_resumable(**job) == errored

    done = begin(store, "a", rules=both, sources=["runs", "more"])
    store.save(Judged(error(done, "a", "timeout")))
    store.save(Judged(verdict(done, "a")))
    store.finish_run(done, status="completed")
    assert store.find_resumable(**job) == errored

    for changed in (
        {**job, "sources": ["runs"]},
        {**job, "rule_digests": [RULE.digest]},
        {**job, "rule_digests": [RULE.digest, "0" * 64]},
        {**job, "prechecks_only": True},
    ):
        assert store.find_resumable(**changed) is None


def test_many_threads_write_and_read_at_once(store: Store) -> None:
    names = [f"e{number}" for number in range(60)]
    run_id = begin(store, *names)

    def work(name: str) -> int:
        store.save(Judged(verdict(run_id, name), traces=(trace("look", "again"),)))
        store.heartbeat(run_id)
        return store.counts(run_id).passed

    with ThreadPoolExecutor(16) as threads:
        seen = list(threads.map(work, names))
    assert max(seen) == 60
    assert store.counts(run_id).passed == 60
    assert all(store.trace(run_id, name) for name in names)


def test_it_is_used_from_worker_threads_of_an_event_loop(store: Store) -> None:
    run_id = begin(store, *"abcdefgh")

    async def judge_all() -> None:
        saves = (
            asyncio.to_thread(store.save, Judged(verdict(run_id, name))) for name in "abcdefgh"
        )
        await asyncio.gather(*saves)

    asyncio.run(judge_all())
    assert store.pending(run_id) == frozenset()


def test_an_entry_id_may_be_longer_than_an_index_can_hold(store: Store) -> None:
    long = "/".join(f"{number:08x}{number * 7919:08x}" for number in range(900))
    run_id = store.begin_run(
        sources=["runs"], rules=[RULE], entries=[EntryRef(long, "runs", "folder")], options={}
    )
    store.save(Judged(verdict(run_id, long)))
    found = store.verdict(run_id, long)
    assert found is not None
    assert found.entry_id == long


def test_a_closed_store_says_so(store_url: str) -> None:
    store = Store.open(store_url)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="has been closed"):
        store.runs()
