"""Hostile bundles beyond the shared corpus, one by one in this process and all at once by the program.

Whatever a bundle is, taking it in ends as its case says, soon and in little memory, writes nothing
outside its copy, brings nothing from outside into it, and says why in words that can be printed.
"""

import hashlib
import json
import stat
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from judge_bundles.bundles.discover import Entry, discover
from judge_bundles.bundles.removal import remove_tree
from judge_bundles.bundles.snapshot import Snapshot, remove, take, verify
from judge_bundles.errors import JudgementError
from judge_bundles.limits import MIB, IntakeLimits
from judge_prechecks import Gate
from tests.hostile import (  # noqa: F401 -- each enters its cases
    more_folder_cases,
    more_json_cases,
    more_tar_cases,
    more_zip_cases,
)
from tests.hostile.more_cases import CASES, GATE, SECRET, Case, Ground
from tests.support.command_line import command

MOST_SECONDS: Final = 60.0
"""Of the processor, for one bundle; the slowest takes a tenth of it."""
MOST_MEMORY: Final = 400 * MIB
"""For any one process of the program that takes all of them in."""
MEASURE: Final = """if True:
    import pathlib, resource, subprocess, sys
    ended = subprocess.run(sys.argv[1:], check=False)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    pathlib.Path("peak").write_text(str(peak))
    sys.exit(ended.returncode)
"""
SHARES_A_SECRET: Final = "folder_with_a_hard_link_to_a_secret"
ENDS: Final = {
    "taken": ("pass", "precheck"),
    "fails": ("fail", "precheck"),
    "refused": ("error", "intake"),
}


@dataclass(frozen=True)
class Made:
    """The bundles as discovery finds them, by the names of their cases."""

    ground: Ground
    entries: dict[str, Entry]


def listing(folder: Path) -> dict[str, tuple[int, str]]:
    """Return every path below a folder with its mode and what it holds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path)] = (status.st_mode, hashlib.sha256(content).hexdigest())
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    place = tmp_path_factory.mktemp("more")
    ground = Ground.lay_out(place)
    sources = {str(case.make(ground, name)): name for name, case in CASES.items()}
    found = discover([ground.runs]).entries
    assert {entry.source for entry in found} == set(sources)
    yield Made(ground, {sources[entry.source]: entry for entry in found})
    remove_tree(place)  # also what is deeper than a path can be long


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_a_bundle_ends_as_its_case_says(case: Case, made: Made, tmp_path: Path) -> None:
    before = listing(made.ground.outside)
    began = time.process_time()
    ended, said = how_it_ends(made.entries[case.name], tmp_path / "copy", case)
    assert time.process_time() - began < MOST_SECONDS
    assert ended == case.outcome, said
    assert case.says in said
    assert list(tmp_path.iterdir()) == []
    assert listing(made.ground.outside) == before


def how_it_ends(entry: Entry, root: Path, case: Case) -> tuple[str, str]:
    """Take one bundle in and gate it; return how that ended and everything that was said."""
    refusal = None
    try:
        snapshot = take(entry, root, IntakeLimits())
    except JudgementError as error:
        refusal = error
    if refusal is not None:
        assert refusal.kind == "intake"
        assert is_printable(refusal.message)
        return "refused", refusal.message
    check_copy(snapshot, case)
    outcomes = Gate.parse(GATE).run(snapshot.tree)
    verify(snapshot)
    remove(snapshot)
    broken = [outcome for outcome in outcomes if not outcome.held]
    said = [text for outcome in broken for text in (outcome.message, *outcome.details)]
    assert is_printable("".join(said))
    if broken:
        return "fails", "\n".join(said)
    files = [file.path for file in snapshot.tree.files]
    skipped = [member.path for member in snapshot.tree.skipped]
    return "taken", "\n".join(files + skipped)


def check_copy(snapshot: Snapshot, case: Case) -> None:
    """See that the copy is plain files and folders that hold nothing from outside."""
    for path in snapshot.tree.root.rglob("*"):
        assert stat.S_IFMT(path.lstat().st_mode) in {stat.S_IFREG, stat.S_IFDIR}
        assert stat.S_IMODE(path.lstat().st_mode) == (0o555 if path.is_dir() else 0o444)
    shared = False
    for file in snapshot.tree.files:
        with snapshot.tree.open(file) as stream:
            shared |= SECRET in stream.read()
    assert shared == (case.name == SHARES_A_SECRET)


def test_the_program_takes_all_of_them_in_and_stays_small(made: Made, tmp_path: Path) -> None:
    place = made.ground.runs.parent
    (tmp_path / "rule.json").write_text(json.dumps({"name": "more", "prechecks": GATE}))
    before = listing(made.ground.outside), sorted(place.iterdir())
    ended, peak = run_measured(
        *(str(made.ground.runs), "--rule", str(tmp_path / "rule.json"), "--prechecks-only"),
        *("--format", "json", "--store", f"sqlite:///{tmp_path}/store.db", "-c", "2"),
        place=tmp_path,
    )
    assert ended.returncode == 3, ended.stderr.decode()
    assert peak < MOST_MEMORY
    assert (listing(made.ground.outside), sorted(place.iterdir())) == before
    records: dict[str, Any] = {one["entry_id"]: one for one in json.loads(ended.stdout)}
    wrong = {}
    for name, case in CASES.items():
        record = records[made.entries[name].entry_id]
        went = (record["status"], record["stage"])
        if went != ENDS[case.outcome] or (case.outcome != "taken" and not says(record, case)):
            wrong[name] = (went, record["reason"])
    assert wrong == {}
    for output in (ended.stdout, ended.stderr):
        assert SECRET not in output
        assert b"Traceback" not in output
        assert is_printable(output.decode().replace("\n", ""))


def is_printable(text: str) -> bool:
    """Whether nothing in a text acts on a terminal or is unseen, but for spaces of any width."""
    return all(one.isprintable() or unicodedata.category(one) == "Zs" for one in text)


def says(record: dict[str, Any], case: Case) -> bool:
    prechecks = [text for one in record["prechecks"] for text in (one["message"], *one["details"])]
    return case.says in "\n".join([record["reason"], *prechecks])


def run_measured(*arguments: str, place: Path) -> tuple["subprocess.CompletedProcess[bytes]", int]:
    """Run the program; return also the peak of the largest of its processes, in bytes.

    A process between here and there is small: a child's peak begins with that of who started it.
    """
    ended = subprocess.run(
        [sys.executable, "-c", MEASURE, *command(*arguments)],
        cwd=place,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return ended, int((place / "peak").read_text()) * 1024
