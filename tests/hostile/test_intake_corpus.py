"""Every hostile bundle of the shared corpus through intake: refused where it must be, else taken."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.bundles.discover import Entry, discover
from judge_bundles.bundles.snapshot import remove, take, verify
from judge_bundles.errors import JudgementError
from judge_bundles.limits import IntakeLimits

GENERATOR = Path(__file__).parents[3] / "shared" / "hostile" / "gen_corpus.py"
REFUSED = {"rejected"}
TAKEN = {"pass", "judged", "fail"}
EITHER = {"not_pass", "any_safe"}


@dataclass(frozen=True)
class Corpus:
    folder: Path
    cases: list[dict[str, Any]]
    secret: bytes
    entries: dict[str, Entry]

    def run(self, *options: str) -> None:
        command = [sys.executable, str(GENERATOR), *options]
        subprocess.run(command, check=True, timeout=300, cwd=self.folder.parent)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    if not GENERATOR.exists():
        reason = f"{GENERATOR} is not here: the corpus of hostile bundles cannot be made"
        print(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("hostile") / "corpus"
    Corpus(folder, [], b"", {}).run(str(folder))
    document = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    cases = [case for case in document["cases"] if case["kind"] != "rule" and "path" in case]
    entries = {entry.source: entry for entry in discover([folder / "runs"]).entries}
    made = Corpus(folder, cases, document["secret"].encode(), entries)
    yield made
    made.run("--clean", str(folder))


def outcome(corpus: Corpus, case: dict[str, Any], workspace: Path) -> str:
    """Take one bundle and say how it went; no canary may be in what was taken."""
    entry = corpus.entries[str(corpus.folder / case["path"])]
    refusal = None
    try:
        snapshot = take(entry, workspace / "copy", IntakeLimits())
    except JudgementError as error:
        refusal = error
    if refusal is not None:
        assert refusal.kind == "intake"
        assert refusal.message.isprintable()
        return "refused"
    verify(snapshot)
    for file in snapshot.tree.files:
        with snapshot.tree.open(file) as stream:
            assert corpus.secret not in stream.read()
    remove(snapshot)
    return "taken"


def test_every_bundle_of_the_corpus_is_found(corpus: Corpus) -> None:
    assert len(corpus.cases) >= 50
    assert {str(corpus.folder / case["path"]) for case in corpus.cases} == set(corpus.entries)


def test_every_bundle_of_the_corpus_comes_out_of_intake_as_its_manifest_says(
    corpus: Corpus, tmp_path: Path
) -> None:
    outcomes = {}
    for case in corpus.cases:
        assert case["outcome"] in REFUSED | TAKEN | EITHER
        outcomes[case["id"]] = outcome(corpus, case, tmp_path)
        assert list(tmp_path.iterdir()) == [], case["id"]
    must = {case["id"]: case["outcome"] for case in corpus.cases}
    assert [key for key, got in outcomes.items() if must[key] in REFUSED and got != "refused"] == []
    assert [key for key, got in outcomes.items() if must[key] in TAKEN and got != "taken"] == []
    corpus.run("--verify", str(corpus.folder))
