"""Every attack of `doctor --sandbox` is held, one test each; and `doctor` says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.cli.app import run
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.proof.attack import ATTACKS, Attack, inside, load
from judge_bundles.sandbox.proof.decoy import decoy
from judge_bundles.sandbox.proof.prove import attempt
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Trial
from tests.support.containers import containers

pytestmark = pytest.mark.docker

CANARY = "sk-ant-JBCANARY-0123456789"


@pytest.fixture(scope="module")
def target(docker_engine: Engine) -> Iterator[Target]:
    with decoy() as shown:
        yield Target(docker_engine, shown)


@pytest.fixture
def secrets_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give the orchestrator what it must keep to itself."""
    for name in ("ANTHROPIC_API_KEY", "HTTPS_PROXY", "http_proxy", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, CANARY)
    # The client would hand proxies of this file to every container if it were let.
    proxies = {"default": {"httpProxy": CANARY, "httpsProxy": CANARY, "noProxy": CANARY}}
    (tmp_path / "config.json").write_text(json.dumps({"proxies": proxies}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


@pytest.mark.usefixtures("secrets_around")
@pytest.mark.parametrize("attack", load(), ids=lambda attack: attack.name)
def test_the_sandbox_holds(attack: Attack, target: Target, docker_engine: Engine) -> None:
    result = attempt(target, attack)

    assert result.outcome == "held", result.detail
    assert CANARY not in result.detail
    assert containers(docker_engine, "proof") == []


def stands(trial: Trial) -> None:
    trial.holds("refused", condition=True)


def falls(trial: Trial) -> None:
    trial.holds("refused", condition=True)
    trial.holds("\x1b[31mdone::error::", condition=False)


def crashes(_trial: Trial) -> None:
    raise RuntimeError("a fault of the attack")


@pytest.fixture
def three_attacks() -> Iterator[None]:
    """Attacks with known ends in the place of all others."""
    load()
    kept = dict(ATTACKS)
    ATTACKS.clear()
    for attack in (stands, falls, crashes):
        inside(attack.__name__, "do what is refused")(attack)
    yield
    ATTACKS.clear()
    ATTACKS.update(kept)


@pytest.fixture
def place(docker_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def looked(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    code = run(["doctor", "--sandbox", "--format", "json", *options])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


@pytest.mark.usefixtures("place", "three_attacks")
def test_doctor_tells_what_fell_and_what_could_not_be_tried_and_exits_with_3(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, found = looked(capsys)

    assert code == 3
    assert [check["fine"] for check in found["checks"]] == [True, True]
    assert {attack["name"]: attack["outcome"] for attack in found["attacks"]} == {
        "stands": "held",
        "falls": "broken",
        "crashes": "untried",
    }
    assert found["attacks"][2]["detail"].endswith("RuntimeError: a fault of the attack")


@pytest.mark.usefixtures("place", "three_attacks")
@pytest.mark.parametrize(("name", "code"), [("stands", 0), ("falls", 3), ("crashes", 3)])
def test_only_what_was_held_ends_with_0(
    capsys: pytest.CaptureFixture[str], name: str, code: int
) -> None:
    for other in {"stands", "falls", "crashes"} - {name}:
        del ATTACKS[other]

    assert looked(capsys)[0] == code


@pytest.mark.usefixtures("place", "three_attacks")
def test_doctor_prints_a_row_for_each_attack(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--sandbox"]) == 3
    lines = capsys.readouterr().out.splitlines()

    assert [line.split()[:2] for line in lines[2:5]] == [
        ["held", "stands"],
        ["BROKEN", "falls"],
        ["untried", "crashes"],
    ]
    assert "do what is refused  could not be tried: the attack itself failed" in lines[4]
    assert "\x1b" not in lines[3]
    assert lines[-1] == "3 attacks: 1 held, 1 broken, 1 could not be tried"


@pytest.mark.usefixtures("place")
def test_a_runtime_that_the_engine_lacks_is_a_mistake_of_the_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["doctor", "--runtime", "nope"]) == 2
    assert "no runtime nope" in capsys.readouterr().err
    assert run(["doctor", "--runtime", "runc"]) == 0
    assert "runtime runc" in capsys.readouterr().out
