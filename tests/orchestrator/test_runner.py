import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from judge_bundles import runner
from judge_bundles.bundles.discover import discover
from judge_bundles.errors import StoreError
from judge_bundles.plan import Plan
from judge_bundles.rules.load import load_rule
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict
from tests.support.judging import write_bundle


@dataclass
class Heard:
    """Remembers what a run said; can refuse to hear a verdict."""

    run_id: str = ""
    pending: int = 0
    verdicts: list[Verdict] = field(default_factory=list)
    fault: Exception | None = None

    def started(self, run_id: str, pending: int) -> None:
        self.run_id, self.pending = run_id, pending

    def judged(self, verdict: Verdict) -> None:
        if self.fault is not None:
            raise self.fault
        self.verdicts.append(verdict)


def plan(folder: Path, bundles: int = 5) -> Plan:
    for index in range(bundles):
        write_bundle(folder / "r" / f"b{index}", {"report.md": f"{index}"})
    (folder / "gate.json").write_text(json.dumps([{"type": "file_present", "path": "report.md"}]))
    return Plan(
        ("r",),
        discover([str(folder / "r")]).entries,
        (load_rule(folder / "gate.json"),),
        concurrency=3,
        workspace_parent=folder,
    )


def test_every_bundle_has_its_verdict_in_the_store_before_it_is_reported(tmp_path: Path) -> None:
    heard = Heard()
    with Store.open(f"sqlite:///{tmp_path}/s.db") as store:
        result = asyncio.run(runner.run(plan(tmp_path), store, {}, progress=heard))
        assert (result.status, result.unjudged, heard.pending) == ("completed", 0, 5)
        assert heard.run_id == result.run_id
        kept = store.verdicts(result.run_id)
        assert {one.entry_id for one in heard.verdicts} == {one.entry_id for one in kept}
        assert store.run(result.run_id).status == "completed"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["r"]


def test_a_store_that_fails_ends_the_run_with_its_own_words(tmp_path: Path) -> None:
    heard = Heard(fault=StoreError("the disk is full"))
    with Store.open(f"sqlite:///{tmp_path}/s.db") as store:
        with pytest.raises(StoreError, match="the disk is full"):
            asyncio.run(runner.run(plan(tmp_path), store, {}, progress=heard))
        (record,) = store.runs()
        assert record.status == "interrupted"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["r"]


def test_a_resumed_run_judges_what_is_missing_and_nothing_twice(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/s.db") as store:
        planned = plan(tmp_path)
        broken = Heard(fault=StoreError("x"))
        with pytest.raises(StoreError):
            asyncio.run(runner.run(planned, store, {}, progress=broken))
        run_id = store.runs()[0].run_id
        missing = store.counts(run_id).pending
        heard = Heard()
        result = asyncio.run(runner.run(planned, store, {}, progress=heard, resume=run_id))
        assert result.run_id == run_id
        assert len(heard.verdicts) == heard.pending == missing
        assert store.counts(run_id).passed == 5
        assert all(len(store.attempts(run_id, f"b{index}")) == 1 for index in range(5))
