"""The whole product against the hostile corpus: real containers, scripted judge, a canary as key."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.bundles.discover import discover
from judge_bundles.sandbox.engine import Engine

GENERATOR = Path(__file__).parents[3] / "shared" / "hostile" / "gen_corpus.py"
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


def generate(folder: Path, *options: str) -> None:
    command = [sys.executable, str(GENERATOR), str(folder), *options]
    subprocess.run(command, check=True, timeout=300, cwd=folder.parent)


@pytest.fixture
def corpus(docker_engine: Engine, tmp_path: Path) -> Iterator[Path]:
    if not GENERATOR.exists():
        reason = f"{GENERATOR} is not here: the corpus of hostile bundles cannot be made"
        print(reason)
        pytest.skip(reason)
    folder = tmp_path / "corpus"
    generate(folder)
    yield folder
    generate(folder, "--clean")


def judge(place: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "judge_bundles", *arguments],
        cwd=place,
        env=os.environ | {"ANTHROPIC_API_KEY": CANARY},
        capture_output=True,
        timeout=300,
        check=False,
    )


def test_every_hostile_bundle_ends_as_its_manifest_says_and_nothing_gets_out(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    arguments = ("--rule", "corpus/rules/default.json", "--model", "script:script.json")
    ended = judge(tmp_path, "corpus/runs", *arguments, "--format", "json", "--junit", "junit.xml")
    assert ended.returncode == 3
    (tmp_path / "stdout.json").write_bytes(ended.stdout)
    (tmp_path / "stderr.log").write_bytes(ended.stderr)
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
    outputs = [str(tmp_path / name) for name in ("stdout.json", "stderr.log", "junit.xml")]
    generate(corpus, "--verify", "--output", *outputs)
    for path in (tmp_path / ".judge-bundles").glob("store.db*"):
        assert CANARY.encode() not in path.read_bytes()


def test_a_hostile_rule_is_refused_before_anything_runs(corpus: Path) -> None:
    for name in ("rule_traversal", "rule_schema", "rule_deep", "rule_yaml_bomb"):
        (file,) = (corpus / "rules").glob(f"{name}.*")
        ended = judge(corpus, "runs", "--rule", str(file))
        assert (ended.returncode, ended.stdout) == (2, b""), name
        assert f"{name}.".encode() in ended.stderr
        assert b"Traceback" not in ended.stderr
    assert not (corpus / ".judge-bundles").exists()
