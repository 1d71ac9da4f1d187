import io
import json
from decimal import Decimal
from pathlib import Path

from judge_bundles.bundles.discover import discover
from judge_bundles.plan import Plan
from judge_bundles.reports.dry_run import MAX_ENTRIES, plan_as_json, print_plan
from judge_bundles.reports.style import console
from judge_bundles.rules.load import load_rules
from tests.support.judging import write_bundle
from tests.support.reports import ci_commands

KEY = "sk-ant-api03-CANARYcanary0123456789"


def planned(folder: Path, *bundles: str, rule: object, prechecks_only: bool = False) -> Plan:
    for name in bundles:
        write_bundle(folder / "runs" / name, {"report.md": "x"})
    (folder / "rule.json").write_text(json.dumps(rule))
    return Plan(
        sources=("runs",),
        entries=discover([str(folder / "runs")]).entries,
        rules=load_rules([folder / "rule.json"]),
        prechecks_only=prechecks_only,
    )


def shown(plan: Plan, most: Decimal | None) -> str:
    stream = io.StringIO()
    print_plan(console(stream), plan, most)
    return stream.getvalue()


RUBRIC = {
    "rubric": "x",
    "model": "script:answers.yaml",
    "samples": 3,
    "prechecks": [{"type": "file_present", "path": "report.md"}],
    "limits": {"max_turns": 1, "timeout_s": 30},
}


def test_it_says_what_would_be_judged_and_at_what_cost(tmp_path: Path) -> None:
    plan = planned(tmp_path, "a", "b", rule=RUBRIC)
    text = shown(plan, Decimal("12.345"))
    assert text.splitlines()[:3] == [
        "2 bundles, 1 rule; nothing was run",
        "  folder  a",
        "  folder  b",
    ]
    assert "rule rule: 1 precheck\n" in text
    assert (
        "agent judge rubric: model script:answers.yaml, at most 1 turn and 30 s, 3 samples" in text
    )
    assert "cost: at most $12.3" in text


def test_an_unknown_price_and_a_run_without_a_model_are_told_apart(tmp_path: Path) -> None:
    assert "the price of the model is not known" in shown(planned(tmp_path, "a", rule=RUBRIC), None)
    gate = planned(tmp_path, "a", rule=RUBRIC, prechecks_only=True)
    assert "cost: nothing, no model is asked" in shown(gate, Decimal(0))
    assert "agent judge" not in shown(gate, Decimal(0))


def test_only_the_first_bundles_are_named(tmp_path: Path) -> None:
    names = [f"b{index:02}" for index in range(MAX_ENTRIES)]
    assert "more" not in shown(planned(tmp_path, *names, rule=RUBRIC), None)
    text = shown(planned(tmp_path, *names, "c1", "c2", rule=RUBRIC), None)
    assert "and 2 more" in text
    assert "c1" not in text


def test_hostile_names_and_keys_in_them_are_not_shown_as_they_are(tmp_path: Path) -> None:
    hostile = [
        "::error::x",
        "new\nline",
        "\x1b[31mred",
        f"x {KEY}",
        "##vso[x]",
        f"{'y' * 150} ::e::",
    ]
    plan = planned(tmp_path, *hostile, rule=RUBRIC)
    (tmp_path / "runs" / "link").symlink_to(tmp_path)
    for text in (shown(plan, None), plan_as_json(plan, None, lines=False)):
        assert "\x1b" not in text
        assert not ci_commands(text)
    assert KEY not in shown(plan, None)


def test_for_machines_it_is_one_object(tmp_path: Path) -> None:
    plan = planned(tmp_path, "a", rule=RUBRIC)
    for lines in (False, True):
        text = plan_as_json(plan, Decimal("1.5"), lines=lines)
        assert (text.count("\n") == 1) is lines
        document = json.loads(text)
        assert document["dry_run"] is True
        assert document["entries"] == [{"entry_id": "a", "kind": "folder", "refused": None}]
        assert document["rules"][0]["judges"][0]["model"] == "script:answers.yaml"
        assert document["max_cost_usd"] == 1.5
    assert json.loads(plan_as_json(plan, None, lines=True))["max_cost_usd"] is None
