import asyncio
import json
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judge_bundles import runner
from judge_bundles.bundles.discover import discover
from judge_bundles.errors import StoreError
from judge_bundles.plan import Plan, resolve_models
from judge_bundles.rules.load import load_rule
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict
from tests.support.judging import PRICES, write_bundle


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


JUDGES = [
    {"name": "checked", "check": "return True, 'checked'"},
    {"name": "quality", "prompt": "Score it. {{ outputs }}"},
    {"name": "pairwise", "prompt": "Which is better?"},
]
SCRIPT = {
    "prices": PRICES,
    "conversations": [
        {"judge": "quality", "turns": [{"score": {"rationale": "so", "score": 4}}]},
        {"judge": "pairwise", "turns": [{"compare": {"reasoning": "so", "winner": "A"}}]},
    ],
}


def judging_plan(folder: Path, bundles: int = 3, **options: Any) -> Plan:
    """A plan whose rule has judges that need no container."""
    (folder / "s.json").write_text(json.dumps(SCRIPT))
    (folder / "rule.json").write_text(
        json.dumps({"model": f"script:{folder}/s.json", "judges": JUDGES})
    )
    rules = (load_rule(folder / "rule.json"),)
    return replace(plan(folder, bundles), rules=rules, project_root=folder, **options)


def run(planned: Plan, store: Store, heard: Heard) -> runner.RunResult:
    return asyncio.run(runner.run(planned, store, resolve_models(planned), progress=heard))


def test_judges_without_a_container_need_no_engine_and_a_later_run_is_compared(
    tmp_path: Path,
) -> None:
    with Store.open(f"sqlite:///{tmp_path}/s.db") as store:
        first = run(judging_plan(tmp_path), store, Heard())
        heard = Heard()
        second = run(judging_plan(tmp_path, baseline=first.run_id), store, heard)
        assert (first.status, second.status) == ("completed", "completed")
        for verdict in heard.verdicts:
            assert [(one.name, one.value) for one in verdict.judges] == [
                ("checked", True),
                ("quality", 4.0),
                ("pairwise", 0.5),
            ]
        options = store.run(second.run_id).options
        assert isinstance(options, dict)
        assert options["baseline"] == first.run_id
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["r"]


def test_a_run_whose_money_ends_has_failed_whatever_else_a_bundle_ended_in(
    tmp_path: Path,
) -> None:
    planned = judging_plan(tmp_path, bundles=2, max_cost=Decimal("0.000001"))
    broken = {"name": "broken", "check": "return 1 / 0"}
    (tmp_path / "rule.json").write_text(
        json.dumps({"model": f"script:{tmp_path}/s.json", "judges": [*JUDGES, broken]})
    )
    planned = replace(planned, rules=(load_rule(tmp_path / "rule.json"),), concurrency=1)
    heard = Heard()
    with Store.open(f"sqlite:///{tmp_path}/s.db") as store:
        assert run(planned, store, heard).status == "failed"
    spent, starved = heard.verdicts
    assert [one.status for one in spent.judges] == ["pass", "scored", "error"]
    assert [one.error and one.error.kind for one in starved.judges] == [
        None,
        "budget",
        "judge_code",
    ]
