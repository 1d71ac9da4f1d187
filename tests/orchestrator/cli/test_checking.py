"""The machine and rules looked at; what is not there is said, and the rest is looked at all the same."""

import json
from pathlib import Path

import pytest

from judge_bundles.cli.app import run
from tests.support.reports import ci_commands


@pytest.fixture(autouse=True)
def no_engine(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{place}/no-engine.sock")


def looked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, tuple[str, str]]:
    """Return what doctor says: by subject, `ok` or `problem` and the text."""
    assert run(["doctor", *arguments]) == 3  # there is no engine
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = [line.split(maxsplit=2) for line in captured.out.splitlines() if line[0] != " "]
    return {subject: (mark, text) for mark, subject, text in lines}


def test_without_an_engine_the_rest_is_looked_at_all_the_same(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "answers.yaml").write_text("conversations: [{turns: [{say: x}]}]")
    found = looked(capsys, "--model", "script:answers.yaml")
    assert found["store"][0] == "ok"
    assert found["store"][1].startswith("none yet at ")
    assert found["sandbox"][0] == "problem"
    assert "no-engine.sock" in found["sandbox"][1]
    assert found["model"][0] == "ok"
    assert "no model judges" in found["model"][1]


@pytest.mark.parametrize("options", [[], ["--sandbox"], ["--runtime", "runsc"]])
def test_machines_are_told_the_same_and_nothing_is_attacked_without_an_engine(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert run(["doctor", "--format", "json", *options]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [(check["subject"], check["fine"]) for check in found["checks"]] == [
        ("store", True),
        ("sandbox", False),
    ]
    assert "no-engine.sock" in found["checks"][1]["text"]
    assert found["attacks"] == []


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("sqlite:///broken.db", "broken.db"),
        ("sqlite:///folder", "folder"),
        ("nonsense://user:secretpw@host/db", "nonsense"),
    ],
)
def test_a_broken_store_is_a_problem_and_not_the_end(
    place: Path, capsys: pytest.CaptureFixture[str], url: str, named: str
) -> None:
    (place / "broken.db").write_text("no database\n" * 1000)
    (place / "folder").mkdir()
    found = looked(capsys, "--store", url)
    assert found["store"][0] == "problem"
    assert named in found["store"][1]
    assert "secretpw" not in str(found)
    assert found["sandbox"][0] == "problem"


def test_a_model_that_is_not_known_or_has_no_key_is_a_problem(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert looked(capsys, "--model", "no/such/model")["model"][0] == "problem"
    assert looked(capsys, "--model", "script:none.yaml")["model"][0] == "problem"
    assert "model" not in looked(capsys)


def test_what_is_named_on_the_line_is_harmless_when_it_is_named_back(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for length in range(30, 200, 9):
        hostile = f"{'x' * length} ::error::x\x1b[31m"
        run(["doctor", "--model", hostile, "--store", f"sqlite:///{hostile}/{hostile}.db"])
        run(["check-rule", hostile])
    captured = capsys.readouterr()
    for text in (captured.out, captured.err):
        assert "\x1b" not in text
        assert not ci_commands(text)


def test_a_rule_is_described_harmlessly_and_in_columns(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = f"{'x ' * 75}::error::x {'y ' * 40}"
    (place / "rule.json").write_text(json.dumps({"rubric": "x", "description": about}))
    assert run(["check-rule", "rule.json", "gate.json", "--no-color"]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[0] == "rule      rule"
    assert lines[1].startswith("about     x x x ")
    assert lines[2].startswith(" " * 8 + "· ::error::x y")
    assert [line for line in lines if line == "rule      gate"]
    assert not ci_commands(text)
