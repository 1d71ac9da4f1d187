"""The attacks as a whole: each can be sent, and none has to be added to a list."""

import ast
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

from judge_bundles.sandbox.proof import attacks, shipping
from judge_bundles.sandbox.proof.attack import ATTACKS, load
from judge_bundles.sandbox.proof.trial import Inside, Trial

OLDEST_PYTHON = (3, 9)


def sent() -> dict[str, Inside]:
    """Every function of an attack that runs in a container: those that take a trial alone."""
    load()
    found: dict[str, Inside] = {}
    for name, module in sys.modules.items():
        if name.startswith(f"{attacks.__name__}."):
            for one in vars(module).values():
                if isinstance(one, types.FunctionType) and one.__module__ == name:
                    parameters = one.__code__.co_varnames[: one.__code__.co_argcount]
                    if len(parameters) == 1 and parameters[0].strip("_") == "trial":
                        found[one.__name__] = one
    return found


def test_there_are_many_attacks_and_each_says_what_it_tries() -> None:
    assert len(load()) >= 40
    assert all(attack.tried and attack.tried[0].islower() for attack in load())
    assert all(attack.name == attack.name.lower() and " " not in attack.name for attack in load())


def test_every_function_in_the_files_is_found_without_a_list() -> None:
    decorated = [
        node.name
        for path in Path(attacks.__path__[0]).glob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and node.decorator_list
        and "side(" in ast.unparse(node.decorator_list[0])
    ]

    assert len(decorated) == len(load()) == len(ATTACKS)


@pytest.mark.parametrize("name", sorted(sent()))
def test_what_is_sent_is_python_that_any_base_image_understands(name: str) -> None:
    text = shipping.text(sent()[name], {"a": "'\"\n\\"})

    ast.parse(text, feature_version=OLDEST_PYTHON)
    assert "judge_bundles" not in {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def harmless(trial: Trial) -> None:
    trial.facts["version"] = sys.version_info[0]
    trial.facts["text"] = trial.given["text"]
    trial.holds("done", condition=True)


def faulty(_trial: Trial) -> None:
    raise RuntimeError("a fault")


def report(attack: Inside, text: str) -> dict[str, object]:
    command = shipping.program(attack, {"text": text})
    done = subprocess.run([sys.executable, *command[1:]], capture_output=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_what_was_given_arrives_and_the_report_comes_back() -> None:
    text = "'\"\\\n\0\u202e"

    assert report(harmless, text) == {
        "facts": {"version": 3, "text": text},
        "held": ["done"],
        "broken": [],
        "untried": [],
    }


def test_a_fault_of_an_attack_is_reported_as_not_tried() -> None:
    assert report(faulty, "")["untried"] == ["the attack itself failed: RuntimeError: a fault"]
