"""What was saved survives the process; and no two processes execute one run."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, func, select, text

from judge_bundles.errors import StoreError
from judge_bundles.limits import STORE_BUSY_TIMEOUT_S, STORE_HEARTBEAT_STALE_S
from judge_bundles.store import location
from judge_bundles.store.contents import insert_missing
from judge_bundles.store.database import Database
from judge_bundles.store.process import Owner, is_alive, this_process
from judge_bundles.store.records import Judged
from judge_bundles.store.schema import call_settings
from judge_bundles.store.store import Store
from tests.support import postgres
from tests.support.store_history import change
from tests.support.store_records import RULE, begin, error, trace, verdict
from tests.support.store_saver import ENTRIES, saver


@pytest.mark.parametrize("after", [0, 1, 20, 77])
def test_what_was_saved_before_a_kill_is_there_and_the_rest_is_pending(
    store_url: str, after: int
) -> None:
    with saver(store_url) as (process, run_id):
        assert process.stdout is not None
        promised = [line.strip() for line in islice(process.stdout, after)]
        process.send_signal(signal.SIGKILL)
        promised += [line.strip() for line in process.stdout if line.endswith("\n")]
        assert len(promised) < ENTRIES
        with Store.open(store_url) as store:
            kept = [one.entry_id for one in store.verdicts(run_id)]
            # A verdict may have been committed and the process killed before it could say so.
            assert kept[: len(promised)] == promised
            assert len(kept) <= len(promised) + 1
            assert all(store.trace(run_id, name) == (trace("look", "again"),) for name in kept)
            assert len(store.pending(run_id)) == ENTRIES - len(kept)
            # Killed and not yet reaped by us: a zombie executes nothing.
            assert store.run(run_id).status == "interrupted"
            assert store.find_resumable(sources=["runs"], rule_digests=[RULE.digest]) == run_id
            assert store.resume_run(run_id).status == "running"
            store.save(Judged(verdict(run_id, "e499")))


def test_a_run_that_a_living_process_executes_is_not_resumed(store_url: str) -> None:
    with saver(store_url) as (process, run_id), Store.open(store_url) as store:
        for _ in range(2):  # refused again, also by the very same process
            with pytest.raises(StoreError, match=f"executed by process {process.pid} on"):
                store.resume_run(run_id)
        assert store.run(run_id).status == "running"
        with pytest.raises(StoreError, match="nothing was written"):
            store.save(Judged(verdict(run_id, "e499")))


def test_what_a_killed_process_had_booked_is_spent(store_url: str) -> None:
    program = """if True:
        import sys
        from decimal import Decimal
        from judge_bundles.store.records import Judged
        from judge_bundles.store.store import Store
        from tests.support.store_records import begin, verdict
        store = Store.open(sys.argv[1])
        run_id = begin(store, "a", "b")
        store.save(Judged(verdict(run_id, "a", cost_usd=0.25)))
        store.book(run_id, Decimal("0.75"))
        print(run_id, flush=True)
        sys.stdin.readline()
    """
    with subprocess.Popen(
        [sys.executable, "-c", program, store_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        run_id = process.stdout.readline().strip()
        process.kill()
    with Store.open(store_url) as store:
        assert store.counts(run_id).cost_usd == 0.25
        assert store.spent(run_id) == Decimal("0.75")
        store.resume_run(run_id)
        assert store.spent(run_id) == Decimal("0.75")


def test_what_was_booked_is_settled_downwards_but_never_below_the_verdicts(
    store_url: str,
) -> None:
    with Store.open(store_url) as store:
        run_id = begin(store, "a")
        assert store.spent(run_id) == 0
        store.book(run_id, Decimal(2))
        assert store.spent(run_id) == 2
        store.save(Judged(verdict(run_id, "a", cost_usd=0.25)))
        store.book(run_id, Decimal("0.5"))
        assert store.spent(run_id) == Decimal("0.5")
        store.book(run_id, Decimal("0.1"))
        assert store.spent(run_id) == Decimal("0.25")
        store.finish_run(run_id, status="completed")
        with pytest.raises(StoreError, match="no longer"):
            store.book(run_id, Decimal(9))
        assert store.spent(run_id) == Decimal("0.25")


def test_a_run_of_this_process_is_not_resumed_twice(store_url: str) -> None:
    with Store.open(store_url) as first, Store.open(store_url) as second:
        run_id = begin(first, "a")
        with pytest.raises(StoreError, match=f"executed by process {os.getpid()}"):
            second.resume_run(run_id)
        with pytest.raises(StoreError, match="is being executed"):
            first.resume_run(run_id)
        first.finish_run(run_id, status="interrupted")
        assert second.resume_run(run_id).status == "running"
        with pytest.raises(StoreError, match="no longer"):
            first.save(Judged(verdict(run_id, "a")))
        with pytest.raises(StoreError, match="no longer"):
            first.heartbeat(run_id)
        with pytest.raises(StoreError, match="no longer"):
            first.finish_run(run_id, status="completed")
        second.save(Judged(verdict(run_id, "a")))
        assert second.run(run_id).counts.passed == 1


def test_closing_a_store_gives_up_its_run(store_url: str) -> None:
    with Store.open(store_url) as store:
        run_id = begin(store, "a")
        done = begin(store, "a")
        store.finish_run(done, status="completed")
    with Store.open(store_url) as store:
        assert store.run(run_id).status == "interrupted"
        assert store.run(done).status == "completed"
        resumed = store.resume_run(run_id)
        assert (resumed.status, resumed.finished_at) == ("running", None)


def test_a_finished_run_can_be_resumed_for_its_errors(store_url: str) -> None:
    with Store.open(store_url) as store:
        run_id = begin(store, "a")
        store.save(Judged(error(run_id, "a", "model_unreachable")))
        store.finish_run(run_id, status="failed", error="no network")
        resumed = store.resume_run(run_id[:-1])
        assert (resumed.run_id, resumed.status, resumed.error) == (run_id, "running", None)
        store.save(Judged(verdict(run_id, "a")))
        store.finish_run(run_id, status="completed")
        assert store.pending(run_id) == frozenset()


@pytest.mark.parametrize(
    ("age_s", "resumable"),
    [(STORE_HEARTBEAT_STALE_S - 5, False), (STORE_HEARTBEAT_STALE_S + 1, True)],
)
def test_of_another_machine_only_the_heartbeat_is_known(
    store_url: str, age_s: float, *, resumable: bool
) -> None:
    with Store.open(store_url) as theirs, Store.open(store_url) as store:
        run_id = begin(theirs, "a")
        change(
            store_url,
            "UPDATE runs SET owner_boot = 'other', owner_host = 'far', "
            f"heartbeat_at = {time.time() - age_s}",
        )
        if resumable:
            assert store.run(run_id).status == "interrupted"
            store.resume_run(run_id)
        else:
            assert store.run(run_id).status == "running"
            told = r"on far, heard of \d+ s ago\. .* silent for 60 s"
            with pytest.raises(StoreError, match=told):
                store.resume_run(run_id)


def test_a_heartbeat_keeps_a_run_of_another_machine(store_url: str) -> None:
    with Store.open(store_url) as theirs, Store.open(store_url) as store:
        run_id = begin(theirs, "a")
        change(store_url, "UPDATE runs SET owner_boot = 'other', heartbeat_at = 0")
        assert store.run(run_id).status == "interrupted"
        theirs.heartbeat(run_id)
        assert store.run(run_id).status == "running"


@pytest.mark.postgres
def test_machines_with_different_clocks_agree_on_who_is_alive(
    postgres_server: postgres.Server,
) -> None:
    url = postgres_server.new_schema()
    name = url.rpartition("=")[2]
    # A clock of the server's own, an hour ahead of this machine.
    change(
        url,
        f"CREATE FUNCTION {name}.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
        "AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$",
    )
    url += ",pg_catalog"  # named last, the built-in function gives way
    with Store.open(url) as theirs, Store.open(url) as store:
        run_id = begin(theirs, "a")
        change(url, "UPDATE runs SET owner_boot = 'other'")
        assert store.run(run_id).status == "running"
        change(url, "UPDATE runs SET heartbeat_at = heartbeat_at - 3600")  # by our clock: now
        assert store.run(run_id).status == "interrupted"
        theirs.heartbeat(run_id)
        assert store.run(run_id).status == "running"


@pytest.mark.parametrize(
    ("changes", "alive"),
    [
        ({}, True),
        ({"started": "1"}, False),  # the id was given to a later process
        ({"pid": 2**22 + 1}, False),  # more than the kernel gives out
        ({"namespace": "pid:[1]"}, False),  # not visible from here, and silent
        ({"boot": ""}, False),  # nothing known, and silent
    ],
)
def test_a_process_is_known_by_more_than_its_id(changes: dict[str, object], *, alive: bool) -> None:
    me = this_process()
    fields = {name: getattr(me, name) for name in ("host", "pid", "boot", "namespace", "started")}
    assert is_alive(Owner(**{**fields, **changes}), silent_s=1e9) is alive


def test_a_store_that_another_process_locks_for_too_long_says_so(sqlite_url: str) -> None:
    Store.open(sqlite_url).close()
    impatient = f"{sqlite_url}?timeout=0.1"
    with create_engine(sqlite_url, poolclass=NullPool).connect() as blocker:
        blocker.exec_driver_sql("BEGIN IMMEDIATE")
        with Store.open(impatient) as store:  # a reader waits for no writer
            assert store.runs() == []
            with pytest.raises(StoreError, match=r"locked\. Another process has been writing"):
                begin(store, "a")
            blocker.rollback()
            assert begin(store, "a")


@pytest.mark.postgres
def test_nobody_waits_for_ever_for_a_process_that_hangs_in_a_transaction(
    postgres_server: postgres.Server,
) -> None:
    database = Database(location.find(postgres_server.url()))
    with database.read("look") as connection:
        lock, idle = (
            connection.scalar(text(f"SHOW {name}"))
            for name in ("lock_timeout", "idle_in_transaction_session_timeout")
        )
    database.close()
    assert (lock, idle) == (f"{STORE_BUSY_TIMEOUT_S:.0f}s", "1min")
    assert STORE_HEARTBEAT_STALE_S == 60


@pytest.mark.postgres
def test_a_lock_that_is_held_for_too_long_says_so(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_schema()
    with Store.open(url) as store:
        run_id = begin(store, "a")
        database = Database(location.find(url))

        def write_impatiently() -> None:
            with database.write("wait") as connection:
                connection.execute(text("SET LOCAL lock_timeout = '100ms'"))
                connection.execute(text("UPDATE runs SET name = 'x'"))

        with database.read("look") as blocker:
            blocker.execute(text("SELECT * FROM runs FOR UPDATE"))
            told = r"lock timeout\. Another process has been writing"
            with pytest.raises(StoreError, match=told):
                write_impatiently()
        store.heartbeat(run_id)
        database.close()


def test_a_store_that_is_being_created_for_too_long_says_so(
    sqlite_url: str, tmp_path: Path
) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match=r"created by another process for more than 0\.1 s"):
        Store.open(f"{sqlite_url}?timeout=0.1")
    os.close(folder)
    Store.open(f"{sqlite_url}?timeout=0.1").close()


@pytest.mark.postgres
def test_two_writers_of_the_same_content_both_succeed(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_schema()
    Store.open(url).close()
    first, second = (Database(location.find(url)) for _ in range(2))
    content = {"d" * 64: {"model": "m"}}

    def write_too() -> None:
        with second.write("write") as connection:
            insert_missing(connection, call_settings, "body", content)

    with ThreadPoolExecutor(1) as threads, first.read("look") as watcher:
        with first.write("write") as connection:
            insert_missing(connection, call_settings, "body", content)
            written = threads.submit(write_too)
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            while not watcher.scalar(text(waiting)) and not written.done():
                pass  # until the second writer waits for what the first has not yet committed
            assert not written.done()
        written.result(timeout=30)
        assert watcher.scalar(select(func.count()).select_from(call_settings)) == 1
    first.close()
    second.close()
