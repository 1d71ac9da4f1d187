import json
from pathlib import Path

import pytest

from judge_bundles.cli.app import run
from judge_bundles.limits import MAX_KEEP_DAYS
from judge_bundles.store.store import Store
from tests.support.judging import write_bundle
from tests.support.store_history import Past

STORE = "sqlite:///s.db"


@pytest.fixture
def nightly(place: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A store with three runs over the same two bundles, the first two of them old."""
    for name in ("a", "b"):
        write_bundle(place / "r" / name, {"report.md": f"{name} END"})
    for _ in range(3):
        assert run(["r", "--rule", "gate.json", "-q", "--fresh", "--store", STORE]) == 0
    with Store.open(STORE) as store:
        past = Past(STORE, store)
        for ago_days, record in zip((30, 20), reversed(store.runs()), strict=False):
            past.end(record.run_id, ago_days)
    capsys.readouterr()
    return place


def test_it_says_what_it_would_remove_and_then_what_it_removed(
    nightly: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["prune", "--keep-days", "25", "--store", STORE]
    assert run([*command, "--dry-run"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "would remove 2 verdicts with their traces: 1 whole run, and parts of 0 more",
        "kept 0 older verdicts that no newer one stands in for",
    ]
    assert run(command) == 0
    did, kept, size = capsys.readouterr().out.splitlines()
    assert did == said[0].replace("would remove", "removed")
    assert kept == said[1]
    assert size.startswith("store: ")
    assert run(["runs", "--store", STORE, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_nothing_kept_by_days_still_keeps_the_newest_verdicts(
    nightly: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prune", "--keep-days", "0", "--store", STORE, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dry_run"], told["runs"], told["verdicts"], told["kept"]) == (False, 2, 4, 2)
    assert run(["r", "--rule", "gate.json", "-q", "--store", STORE, "--format", "json"]) == 0
    assert all(record["reused_from"] for record in json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--keep-days", "-1"],
        ["--keep-days", "soon"],
        ["--keep-days", "1.5"],
        ["--keep-days", str(MAX_KEEP_DAYS + 1)],
    ],
)
def test_days_that_make_no_sense_are_exit_code_2_and_remove_nothing(
    nightly: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(["prune", *arguments, "--store", STORE]) == 2
    assert "--keep-days" in capsys.readouterr().err
    with Store.open(STORE) as store:
        assert store.run_count() == 3


def test_the_longest_time_is_taken(nightly: Path) -> None:
    assert run(["prune", "--keep-days", str(MAX_KEEP_DAYS), "--store", STORE]) == 0


def test_a_store_that_is_not_there_is_exit_code_2_and_is_not_made(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prune", "--keep-days", "0"]) == 2
    assert "There is no store at" in capsys.readouterr().err
    assert not (place / ".judge-bundles").exists()
