"""docs/store.md is about the store there is: its tables, its queries, its way to make a copy."""

import re
import sqlite3
from pathlib import Path

import pytest

from judge_bundles.store import versions
from judge_bundles.store.location import VARIABLE
from judge_bundles.store.records import Judged
from judge_bundles.store.schema import metadata
from judge_bundles.store.store import Store
from tests.support.store_records import begin, verdict

GUIDE = (Path(__file__).parents[3] / "docs" / "store.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize("name", [*metadata.tables, versions.VERSION_TABLE, VARIABLE])
def test_the_guide_names_it(name: str) -> None:
    assert f"`{name}`" in GUIDE or f"`{name}=" in GUIDE


@pytest.mark.parametrize("query", QUERIES)
def test_the_queries_of_the_guide_work(tmp_path: Path, query: str) -> None:
    file = tmp_path / "store.db"
    with Store.open(f"sqlite:///{file}") as store:
        run_id = begin(store, "a", "b")
        store.save(Judged(verdict(run_id, "b", "fail", cost_usd=0.5)))
    connection = sqlite3.connect(file)
    rows = connection.execute(query).fetchall()
    connection.close()
    assert rows in ([("b", "fail", "b was judged.")], [(run_id, 1, 0.5)])


def test_a_copy_made_while_a_run_writes_holds_what_was_saved(tmp_path: Path) -> None:
    file, copy = tmp_path / "store.db", tmp_path / "backup.db"
    statement = re.search(r'"(VACUUM INTO .*?)"', GUIDE)
    assert statement is not None
    with Store.open(f"sqlite:///{file}") as store:
        run_id = begin(store, "a")
        store.save(Judged(verdict(run_id, "a")))
        connection = sqlite3.connect(file)
        connection.execute(statement[1].replace("backup.db", str(copy)))
        connection.close()
    with Store.open(f"sqlite:///{copy}") as store:
        assert store.verdict(run_id, "a") == verdict(run_id, "a")
