"""Pruning while others write, being killed in the middle, and giving the space back."""

import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from judge_bundles.errors import StoreUsageError
from judge_bundles.store import location
from judge_bundles.store.contents import insert_missing
from judge_bundles.store.database import Database
from judge_bundles.store.records import Judged
from judge_bundles.store.retention import prune
from judge_bundles.store.schema import call_settings
from judge_bundles.store.store import Store
from judge_bundles.store.traces import write as write_traces
from tests.support import postgres
from tests.support.store_history import Past, about, connect, rows
from tests.support.store_records import RULE, trace
from tests.support.store_saver import ENTRIES, PAUSE_BEFORE, saver

OLD_RUNS = 12
BUNDLES = 10
TURNS = tuple(f"{number} " + "a long text. " * 40 for number in range(4))
PRUNE = """if True:
    import sys
    from judge_bundles.store.retention import prune
    print("ready", flush=True)
    done = prune(sys.argv[1], keep_days=0)
    print(done.runs, done.verdicts, flush=True)
"""


@pytest.fixture
def past(store: Store, store_url: str) -> Past:
    """A store with many old runs that the last one stands in for."""
    past = Past(store_url, store)
    names = [f"b{number}" for number in range(BUNDLES)]
    for _ in range(OLD_RUNS + 1):
        judged = [Judged(about(name, name[-1]), name, (trace(*TURNS),)) for name in names]
        past.run(*judged, rules=(RULE,))
    return past


def test_a_run_that_writes_meanwhile_loses_nothing_and_is_not_held_up(past: Past) -> None:
    with saver(past.url) as (process, run_id):
        assert process.stdout is not None
        assert process.stdout.readline() == "e0\n"
        done = prune(past.url, keep_days=0)
        written = past.store.counts(run_id).judged
        assert (done.runs, done.verdicts) == (OLD_RUNS, OLD_RUNS * BUNDLES)
        assert written <= PAUSE_BEFORE
        assert process.stdin is not None
        process.stdin.write("go on\n")
        process.stdin.flush()
        assert next(line for line in process.stdout if line == f"e{ENTRIES - 1}\n")
        kept = past.store.verdicts(run_id)
        assert len(kept) == ENTRIES
        assert past.store.trace(run_id, "e7") == (trace("look", "again"),)


def test_a_store_is_never_half_pruned_whenever_the_process_is_killed(past: Past) -> None:
    killed = 0
    done = False
    while not done:
        with subprocess.Popen(
            [sys.executable, "-c", PRUNE, past.url], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(killed * 0.04)  # later each time, until it is through
            process.kill()
            done = bool(process.stdout.readline())
        killed += not done
        assert all(len(names) == BUNDLES for names in past.places().values())
        assert rows(past.url)["traces"] == BUNDLES * len(past.places())
    assert len(past.places()) == 1
    assert killed, "no process was killed in the middle"
    (last,) = past.places()
    assert past.store.trace(last, "b3") == (trace(*TURNS),)
    assert _is_sound(past.url)


def test_the_file_shrinks_unless_a_run_would_have_to_wait(past: Past) -> None:
    file = location.find(past.url).file
    with saver(past.url) as (process, _):
        assert process.stdout is not None
        assert process.stdout.readline()
        done = prune(past.url, keep_days=0)
        if file is None:  # a server sees to its space itself
            assert (done.not_reclaimed, done.bytes_before, done.bytes_after) == (None, None, None)
            return
        assert done.not_reclaimed == "a run is being executed and would have to wait"
    before = prune(past.url, keep_days=0, dry_run=True).bytes_before
    done = prune(past.url, keep_days=30)
    assert (done.verdicts, done.not_reclaimed, done.bytes_before) == (0, None, before)
    assert done.bytes_after is not None
    assert done.bytes_before is not None
    assert done.bytes_after == file.stat().st_size < done.bytes_before
    assert _is_sound(past.url)


def test_two_prunes_at_once_remove_everything_once(past: Past) -> None:
    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(prune, past.url, keep_days=0) for _ in range(2)]
    done = [one.result() for one in both]
    assert sum(one.verdicts for one in done) == OLD_RUNS * BUNDLES
    assert len(past.places()) == 1


def test_a_run_that_is_removed_while_it_is_looked_up_is_said_to_be_gone(past: Past) -> None:
    first = next(iter(past.places()))
    prune(past.url, keep_days=0)
    with pytest.raises(StoreUsageError, match=f"no run {first}"):
        past.store.resume_run(first)


@pytest.mark.postgres
def test_settings_that_a_writer_is_about_to_refer_to_stay(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_schema()
    with Store.open(url) as store:
        past = Past(url, store)
        past.run(Judged(about("a"), "key", (trace("look"),)), rules=(RULE,))
        last = past.run(Judged(about("a"), "key"), rules=(RULE,))
        with connect(url) as connection:
            digest = connection.scalar(text("SELECT digest FROM call_settings"))
            verdict_id = connection.scalar(text("SELECT max(verdict_id) FROM verdicts"))
        writer = Database(location.find(url))
        with (
            ThreadPoolExecutor(1) as threads,
            writer.read("look") as watcher,
            writer.write("write") as connection,
        ):
            insert_missing(connection, call_settings, "body", {digest: {}})  # it is there already
            pruned = threads.submit(prune, url, keep_days=0)
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not watcher.scalar(waiting) and not pruned.done():
                pass  # until pruning waits for the writer
            assert not pruned.done()
            write_traces(connection, int(verdict_id or 0), (trace("look"),))
        pruned.result(timeout=30)
        writer.close()
        assert store.trace(last, "a") == (trace("look"),)


def _is_sound(url: str) -> bool:
    file = location.find(url).file
    if file is None:
        return True
    connection = sqlite3.connect(file)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and (
            connection.execute("PRAGMA foreign_key_check").fetchall() == []
        )
    finally:
        connection.close()
