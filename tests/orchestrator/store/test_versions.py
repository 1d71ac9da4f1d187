"""Opening stores of this version, of older ones, of newer ones, and what is no store at all."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from judge_bundles.errors import StoreError
from judge_bundles.store import location, versions
from judge_bundles.store.database import Database
from judge_bundles.store.records import Judged
from judge_bundles.store.retention import prune
from judge_bundles.store.schema import metadata
from judge_bundles.store.store import Store
from tests.support import store_v0001
from tests.support.store_history import connect
from tests.support.store_records import RULE, begin, trace, verdict

OPENERS = 4


def on_disk(connection: Connection) -> tuple[str | None, Sequence[Any]]:
    """Return the revision of a database and how its tables differ from the declared ones."""
    options = {"compare_type": True, "compare_server_default": True, "include_object": ours}
    context = MigrationContext.configure(
        connection, opts={"version_table": versions.VERSION_TABLE, **options}
    )
    return context.get_current_revision(), compare_metadata(context, metadata)


def ours(_item: object, name: str | None, kind: str, *_: object) -> bool:
    return not (kind == "table" and name == versions.VERSION_TABLE)


def test_every_revision_is_one_shipped_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(versions.MIGRATIONS))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    shipped = [one.revision for one in script.walk_revisions()]
    assert tuple(reversed(shipped)) == versions.REVISIONS
    assert script.get_heads() == [versions.CURRENT]


def test_a_fresh_store_has_exactly_the_declared_tables(store_url: str) -> None:
    Store.open(store_url).close()
    with connect(store_url) as connection:
        assert on_disk(connection) == (versions.CURRENT, [])


@pytest.mark.parametrize("revision", versions.REVISIONS)
def test_a_store_of_each_earlier_version_is_migrated(store_url: str, revision: str) -> None:
    place = location.find(store_url)
    location.prepare(place, create=True)
    database = Database(place)
    with database.create() as connection:
        versions.migrate(connection, revision)
    database.close()
    with Store.open(store_url) as store:
        run_id = begin(store, "a")
        assert store.run(run_id).status == "running"
    with connect(store_url) as connection:
        assert on_disk(connection) == (versions.CURRENT, [])


def test_what_a_run_of_the_first_version_wrote_is_read_resumed_and_pruned(store_url: str) -> None:
    store_v0001.write(store_url)
    with Store.open(store_url) as store:
        later, run = store.runs()
        assert (run.name, run.status, run.host) == ("nightly", "interrupted", "build-7")
        assert (run.counts.judged, run.counts.pending, run.pruned_entries) == (3, 3, 0)
        statuses = [one.status for one in store.attempts(run.run_id, "a", RULE.name)]
        assert statuses == ["error", "pass"]
        assert store.trace(later.run_id, "a") == (trace("look", "again"),)
        assert store.spent(run.run_id) == 1
        store.resume_run(run.run_id)
        store.save(Judged(verdict(run.run_id, "c")))
        store.book(run.run_id, Decimal("1.5"))
        store.finish_run(run.run_id, status="completed")
        assert store.spent(run.run_id) == Decimal("1.5")
    assert prune(store_url, keep_days=0).verdicts == 0
    with connect(store_url) as connection:
        assert on_disk(connection) == (versions.CURRENT, [])


def test_a_newer_store_is_refused_and_left_alone(store_url: str) -> None:
    Store.open(store_url).close()
    with connect(store_url) as connection:
        connection.execute(text(f"UPDATE {versions.VERSION_TABLE} SET version_num = '9999'"))
        connection.commit()
    with pytest.raises(StoreError, match=r"newer .*schema is 9999.* Upgrade judge-bundles"):
        Store.open(store_url)
    with connect(store_url) as connection:
        found = connection.scalar(text(f"SELECT version_num FROM {versions.VERSION_TABLE}"))
    assert found == "9999"


def test_a_database_of_another_program_is_refused_and_left_alone(store_url: str) -> None:
    location.prepare(location.find(store_url), create=True)
    with connect(store_url) as connection:
        connection.execute(text("CREATE TABLE runs (theirs INTEGER)"))
        connection.commit()
    with pytest.raises(StoreError, match="already has a table named runs"):
        Store.open(store_url)
    with connect(store_url) as connection:
        assert inspect(connection).get_table_names() == ["runs"]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are notes, not a database\n" * 100)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"not a database\. The file is something else"):
        Store.open(f"sqlite:///{file}")
    assert file.read_bytes() == before


def test_a_half_made_store_is_not_possible(store_url: str) -> None:
    place = location.find(store_url)
    location.prepare(place, create=True)
    database = Database(place)
    with suppress(ZeroDivisionError), database.create() as connection:
        versions.migrate(connection, versions.CURRENT)
        assert inspect(connection).has_table("verdicts")
        raise ZeroDivisionError
    with database.read("look") as connection:
        assert inspect(connection).get_table_names() == []
    database.close()


def test_opening_a_current_store_does_not_import_the_migration_tool(sqlite_url: str) -> None:
    program = """if True:
        import sys
        from judge_bundles.store.store import Store
        Store.open(sys.argv[1]).close()
        print("alembic" in sys.modules)
    """
    outcomes = [
        subprocess.run(
            [sys.executable, "-c", program, sqlite_url], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outcomes == ["True\n", "False\n"]


def test_records_can_be_imported_without_the_database_library() -> None:
    program = "import sys, judge_bundles.store.records; print('sqlalchemy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_several_processes_create_one_store_at_once(store_url: str) -> None:
    program = """if True:
        import sys
        from judge_bundles.store.store import Store
        from tests.support.store_records import begin, verdict
        from judge_bundles.store.records import Judged
        print("ready", flush=True)
        sys.stdin.readline()
        with Store.open(sys.argv[1]) as store:
            run_id = begin(store, *"abc")
            for name in "abc":
                store.save(Judged(verdict(run_id, name)))
            store.finish_run(run_id, status="completed")
    """
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", program, store_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(OPENERS)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:  # now, all at once
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    complaints = [opener.communicate(timeout=60)[1] for opener in openers]
    assert complaints == [""] * OPENERS
    with Store.open(store_url) as store:
        assert [run.counts.passed for run in store.runs()] == [3] * OPENERS
    with connect(store_url) as connection:
        assert on_disk(connection) == (versions.CURRENT, [])
