"""The whole product against the hostile corpus: real containers, scripted judge, a canary as key."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.bundles.discover import discover
from judge_bundles.sandbox.engine import Engine
from tests.support.ordinary_install import ordinary_install

GENERATOR = Path(__file__).parents[3] / "shared" / "hostile" / "gen_corpus.py"
SOCKET = Path("/var/run/docker.sock")
CANARY = "sk-ant-JBCANARY"
JUDGED = {"pass", "judged"}  # the gate holds and the judge is asked; the script says no
EXPECTED = {
    "fail": {("fail", "precheck")},
    "rejected": {("error", "intake")},
    "not_pass": {("fail", "precheck"), ("error", "intake")},
}
SCRIPT = {
    "conversations": [
        {
            "turns": [
                {"calls": [{"list_files": {}}, {"read_file": {"path": "report.md"}}]},
                {
                    "submit": {
                        "criteria": [
                            {"id": "a", "explanation": "no", "evidence": [], "met": False}
                        ],
                        "reason": "not shown",
                        "passed": False,
                    }
                },
            ]
        }
    ]
}

pytestmark = pytest.mark.docker


@dataclass(frozen=True)
class Auditor:
    """Who runs the program, and where."""

    place: Path
    start: Callable[..., "subprocess.CompletedProcess[bytes]"]
    python: Callable[..., "subprocess.CompletedProcess[bytes]"]

    @property
    def corpus(self) -> Path:
        return self.place / "corpus"

    def generate(self, *options: str) -> None:
        """Run the generator of the corpus as the one who runs the program."""
        ended = self.python(GENERATOR.name, str(self.corpus), *options)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    @contextmanager
    def generated(self) -> Iterator[None]:
        """Have the corpus, with everything that it leaves on the machine, for so long."""
        self.generate()
        try:
            yield
        finally:
            self.generate("--clean")


@pytest.fixture(params=["root", "ordinary user"])
def auditor(
    request: pytest.FixtureRequest, docker_engine: Engine, tmp_path: Path
) -> Iterator[Auditor]:
    """The corpus, once in the hands of who runs the tests and once of a user without privileges."""
    if not GENERATOR.exists():
        reason = f"{GENERATOR} is not here: the corpus of hostile bundles cannot be made"
        print(reason)
        pytest.skip(reason)
    if request.param == "root":
        place = tmp_path

        def start(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
            command = [sys.executable, "-m", "judge_bundles", *arguments]
            environment = os.environ | {"ANTHROPIC_API_KEY": CANARY}
            return subprocess.run(
                command, cwd=place, env=environment, capture_output=True, timeout=300, check=False
            )

        def generate(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
            command = [sys.executable, *arguments]
            return subprocess.run(command, cwd=place, capture_output=True, timeout=300, check=False)

        shutil.copyfile(GENERATOR, place / GENERATOR.name)
        auditor = Auditor(place, start, generate)
        with auditor.generated():
            yield auditor
    elif os.geteuid() != 0:
        reason = "only root can become another user; whoever runs this is an ordinary one already"
        print(reason)
        pytest.skip(reason)
    else:
        with ordinary_install(groups=(SOCKET.stat().st_gid,)) as install:
            shutil.copyfile(GENERATOR, install.home / GENERATOR.name)
            start = partial(install.run, environment={"ANTHROPIC_API_KEY": CANARY})
            auditor = Auditor(install.home, start, install.python_run)
            with auditor.generated():
                yield auditor


def test_every_hostile_bundle_ends_as_its_manifest_says_and_nothing_gets_out(
    auditor: Auditor,
) -> None:
    place, corpus = auditor.place, auditor.corpus
    (place / "script.json").write_text(json.dumps(SCRIPT))
    arguments = ("--rule", "corpus/rules/default.json", "--model", "script:script.json")
    ended = auditor.start("corpus/runs", *arguments, "--format", "json", "--junit", "junit.xml")
    assert ended.returncode == 3, ended.stderr.decode()
    (place / "stdout.json").write_bytes(ended.stdout)
    (place / "stderr.log").write_bytes(ended.stderr)
    by_entry = {record["entry_id"]: record for record in json.loads(ended.stdout)}
    by_source = {
        entry.source: by_entry[entry.entry_id] for entry in discover([corpus / "runs"]).entries
    }
    manifest: dict[str, Any] = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))
    bundles = [one for one in manifest["cases"] if one["kind"] != "rule" and "path" in one]
    assert len(bundles) >= 50
    for case in bundles:
        record = by_source[str(corpus / case["path"])]
        went = (record["status"], record["stage"])
        assert record["passed"] is not True, case["id"]
        if case["outcome"] in JUDGED:
            assert went == ("fail", "judge"), case["id"]
        elif case["outcome"] != "any_safe":
            assert went in EXPECTED[case["outcome"]], case["id"]
    outputs = [str(place / name) for name in ("stdout.json", "stderr.log", "junit.xml")]
    auditor.generate("--verify", "--output", *outputs)
    for path in (place / ".judge-bundles").glob("store.db*"):
        assert CANARY.encode() not in path.read_bytes()


def test_a_hostile_rule_is_refused_before_anything_runs(auditor: Auditor) -> None:
    for name in ("rule_traversal", "rule_schema", "rule_deep", "rule_yaml_bomb"):
        (file,) = (auditor.corpus / "rules").glob(f"{name}.*")
        ended = auditor.start("corpus/runs", "--rule", str(file))
        assert (ended.returncode, ended.stdout) == (2, b""), name
        assert f"{name}.".encode() in ended.stderr
        assert b"Traceback" not in ended.stderr
    assert not (auditor.place / ".judge-bundles").exists()
