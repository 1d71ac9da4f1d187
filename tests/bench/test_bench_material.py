"""What is judged in a bench is what both sides say it is."""

import json
from http.client import HTTPConnection
from pathlib import Path

import pytest

from bench import floors
from bench.material import (
    CALLS,
    PRECHECKS,
    kept_bundles,
    turns,
    write_agent_rule,
    write_bundles,
    write_script,
)
from bench.model_server import answers, model_server
from judge_bundles.models.script.load import load
from judge_bundles.rules.load import load_rules
from judge_bundles.rules.model import Overrides
from judge_prechecks import Gate


def test_the_gate_and_the_plain_check_agree_on_every_fault(tmp_path: Path) -> None:
    bundle = next(write_bundles(tmp_path, 1).iterdir())
    gate = Gate.parse(PRECHECKS)
    faults = {
        "report.md": "# Report\n",
        "state.json": '{"total": 6}',
        "scan.json": '{"files": [], "status": {}}',
        "findings.json": json.dumps({"findings": [{"file": "src/part0.py"}] * 5}),
    }

    assert floors.check(str(bundle))
    assert all(outcome.held for outcome in gate.run(bundle))
    for name, content in faults.items():
        sound = (bundle / name).read_bytes()
        (bundle / name).write_text(content)
        assert not floors.check(str(bundle)), name
        assert not all(outcome.held for outcome in gate.run(bundle)), name
        (bundle / name).write_bytes(sound)


def test_bundles_are_many_and_no_two_alike(tmp_path: Path) -> None:
    bundles = sorted(write_bundles(tmp_path, 3).iterdir())

    assert len({(bundle / "report.md").read_bytes() for bundle in bundles}) == 3
    assert floors.read_hash_parse(tmp_path) == 12


def test_kept_bundles_are_written_once(tmp_path: Path) -> None:
    kept = kept_bundles(tmp_path, 2)
    (kept / "mark").touch()

    assert kept_bundles(tmp_path, 2) == kept
    assert sorted(path.name for path in kept.iterdir()) == ["mark", "run-00000", "run-00001"]
    assert list(tmp_path.iterdir()) == [kept]
    assert kept_bundles(tmp_path, 1) != kept


def test_script_and_server_play_the_same_conversation(tmp_path: Path) -> None:
    load(write_script(tmp_path / "script.json", delay_s=0.2))  # raises if it is no script
    served = [json.loads(body) for body in answers()]

    assert len(served) == len(turns()) == len(CALLS) + 1
    called = [{call["name"]: call["input"]} for message in served for call in message["content"]]
    assert called[:-1] == CALLS
    assert called[-1] == {"submit_verdict": turns()[-1]["submit"]}


def test_all_calls_can_share_a_turn() -> None:
    looks, verdict = turns(calls_a_turn=len(CALLS), delay_s=1.0)

    assert looks == {"calls": CALLS, "delay_s": 1.0}
    assert "submit" in verdict


def test_the_agent_rule_is_a_rule(tmp_path: Path) -> None:
    path = write_agent_rule(tmp_path / "rule.json")

    (rule,) = load_rules([path], overrides=Overrides(model="script:script.json"))

    assert len(rule.gate.specs) == len(PRECHECKS)
    assert [judge.type for judge in rule.judges] == ["agent"]


def test_the_server_answers_by_how_much_was_said_and_ends_with_who_started_it() -> None:
    with model_server() as environment:
        address = environment["ANTHROPIC_BASE_URL"].removeprefix("http://")
        client = HTTPConnection(address, timeout=20)
        for given in (0, 3, len(CALLS)):
            messages = [{"role": "user"}, *[{"role": "assistant"}, {"role": "user"}] * given]
            client.request("POST", "/v1/messages", json.dumps({"messages": messages}))
            assert client.getresponse().read() == answers()[given]
        client.close()

    with pytest.raises(ConnectionRefusedError):
        HTTPConnection(address, timeout=20).connect()
