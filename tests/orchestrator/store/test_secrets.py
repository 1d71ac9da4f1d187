"""No credential reaches the database, whatever field it stands in; and odd text does no harm."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import NullPool, create_engine, select

from judge_bundles.store import location
from judge_bundles.store.records import CallRecord, EntryRef, Judged, JudgeTrace, RuleRef, TraceStep
from judge_bundles.store.schema import metadata
from judge_bundles.store.store import Store
from judge_bundles.verdict import (
    Coverage,
    CriterionResult,
    Evidence,
    FileCoverage,
    InjectionFlag,
    InspectedStep,
    JudgeResult,
    PrecheckResult,
    Verdict,
    VerdictError,
)

CANARY = "sk-ant-JBCANARY-0123456789abcdef"
ODD = "n\0l \udcff\ud800 é 日本 \x1b[31m"


def fill(store: Store, text: str) -> tuple[str, Verdict]:
    """Keep one run in which every text that can be given is `text`."""
    anything: dict[str, Any] = {text: [text, {"deep": text}]}
    rule = RuleRef(text, "a" * 64, anything)
    run_id = store.begin_run(
        sources=[text],
        rules=[rule],
        entries=[EntryRef(text, text, "folder")],
        options=anything,
        name=text,
    )
    problem = VerdictError("internal", text, retryable=True)
    evidence = Evidence(text, 1, 2, text)
    judge = JudgeResult(
        text,
        text,
        "error",
        rationale=text,
        inspected=(InspectedStep(1, text, text),),
        criteria=(CriterionResult(text, text, (evidence,), met=True),),
        error=problem,
    )
    verdict = Verdict(
        run_id=run_id,
        entry_id=text,
        bundle_digest="b" * 64,
        rule=text,
        rule_digest="a" * 64,
        status="error",
        reason=text,
        stage="judge",
        prechecks=(PrecheckResult(0, text, True, text, text, text, anything, anything, (text,)),),
        judges=(judge,),
        inspected=(InspectedStep(1, text, text),),
        coverage=Coverage((FileCoverage(text, 1, 1),), (text,), 1),
        injection_suspected=(InjectionFlag(text, 1, text),),
        skipped_members=(text,),
        warnings=(text,),
        model=text,
        image_id=text,
        error=problem,
    )
    long = text * 50
    request = {"system": text, "messages": [{"role": text, "content": long}], "headers": anything}
    step = TraceStep(1, text, text, anything, error_kind=text, shown=((text, 0, 1),))
    call = CallRecord(1, request, {"content": long, text: text}, request_id=text, error=text)
    trace = JudgeTrace(text, 1, (step,), (call,), text)
    store.save(Judged(verdict, None, (trace,)))
    store.finish_run(run_id, status="failed", error=text)
    return run_id, verdict


def everything(url: str) -> Iterator[str]:
    """Yield every cell of the database; packed ones unpacked."""
    with create_engine(location.find(url).url, poolclass=NullPool).connect() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(select(table)):
                yield from (repr(cell) for cell in row)


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    return CANARY


@pytest.mark.parametrize("secret", ["key shaped", "only known from the environment"])
def test_a_secret_reaches_no_cell(
    store_url: str, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CANARY if secret == "key shaped" else "correct horse battery"
    if text != CANARY:
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", text)
    with Store.open(store_url) as store:
        fill(store, f"before {text} after")
    cells = list(everything(store_url))
    assert len(cells) > 80
    assert not [cell for cell in cells if text in cell]
    assert sum("before [redacted] after" in cell for cell in cells) > 20


def test_a_secret_is_not_in_the_bytes_of_the_files(
    sqlite_url: str, canary: str, tmp_path: Path
) -> None:
    store = Store.open(sqlite_url)
    fill(store, f"marker {canary}")
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert {file.suffix for file in files} >= {".db", ".db-wal"}  # also before the log is folded in
    assert any(b"marker [redacted]" in file.read_bytes() for file in files)
    assert not any(canary.encode() in file.read_bytes() for file in files)
    store.close()
    left = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert list(left) == ["verdicts.db"]
    assert canary.encode() not in left["verdicts.db"]


def test_two_bundles_named_like_keys_stay_two(store_url: str, canary: str) -> None:
    names = [f"{canary}{number}" for number in range(2)]
    with Store.open(store_url) as store:
        run_id = store.begin_run(
            sources=["runs"],
            rules=[RuleRef("r", "a" * 64, {})],
            entries=[EntryRef(name, "runs", "folder") for name in names],
            options={},
        )
        for name in names:
            judged = Verdict(run_id, name, None, "r", "a" * 64, "pass", f"of {name[-1]}", "judge")
            store.save(Judged(judged))
        kept = store.verdicts(run_id)
        assert [one.reason for one in kept] == ["of 0", "of 1"]
        for name, one in zip(names, kept, strict=True):
            assert canary not in one.entry_id
            assert store.verdict(run_id, name) == one  # found by the name it had
            assert store.verdict(run_id, one.entry_id) == one  # and by the one that is shown
        assert store.pending(run_id) == frozenset()


def test_text_that_databases_refuse_is_kept_in_escaped_form(store_url: str) -> None:
    with Store.open(store_url) as store:
        run_id, given = fill(store, ODD)
        (kept,) = store.verdicts(run_id)
        assert store.verdict(run_id, ODD, ODD) == kept
        assert store.pending(run_id) == {(kept.entry_id, kept.rule)}
        assert kept.reason == given.reason.replace("\udcff\ud800", "\\udcff\\ud800")
        (trace,) = store.trace(run_id, ODD)
        assert trace.calls[0].request["system"] == kept.reason
        assert trace.steps[0].arguments == {kept.reason: [kept.reason, {"deep": kept.reason}]}
        assert store.run(run_id).name == "n\\u0000l \\udcff\\ud800 é 日本 \x1b[31m"


@pytest.mark.postgres
def test_postgresql_itself_would_refuse_such_text(postgres_server: Any) -> None:
    with psycopg.connect(f"host={postgres_server.folder} user=postgres") as connection:
        for refused in ("n\0l", "\udcff"):
            with pytest.raises((psycopg.DataError, UnicodeEncodeError)):
                connection.execute("SELECT %s", (refused,))
            connection.rollback()
