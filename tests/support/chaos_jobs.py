"""Jobs to be disturbed: bundles that pass, fail and are refused, as folders and as archives."""

import json
import random
import zipfile
from pathlib import Path
from typing import Any, Final

from tests.support.chaos import Job
from tests.support.judging import PRICES, look, quote, submit, write_bundle

END: Final = "<!-- end -->"
_GATE: Final = [
    {"type": "file_complete", "path": "report.md", "must_end_with": END},
    {"type": "json_valid", "path": "**/*.json"},
]
_COUNT: Final = [
    {
        "type": "count_equals",
        "left": {"file": "findings.json", "len": "findings"},
        "right": {"file": "findings.json", "field": "count"},
    }
]
_RUBRIC: Final = {
    "name": "audit",
    "rubric": "The report is complete.",
    "criteria": [{"id": "good", "text": "The report is complete."}],
    "prechecks": _GATE,
}


def gate_job(folder: Path, url: str, *, bundles: int, seed: int, concurrency: int = 4) -> Job:
    """Return a job of two gates over bundles of every outcome, that needs neither model nor engine."""
    folder.mkdir(exist_ok=True)
    (folder / "gate.json").write_text(json.dumps(_GATE))
    (folder / "count.json").write_text(json.dumps(_COUNT))
    chance = random.Random(seed)
    for number in range(bundles):
        _write(folder / "r" / f"b{number:05}", chance)
    rules = ("--rule", "gate.json", "--rule", "count.json")
    return Job(folder, ("r", *rules, "-c", str(concurrency)), url)


def agent_job(
    folder: Path,
    url: str,
    *,
    bundles: int,
    concurrency: int = 2,
    delay_s: float = 0.0,
    faults: bool = False,
) -> Job:
    """Return a job with a scripted judge in real containers; a fourth of its bundles fail the gate.

    The judge takes `delay_s` for its first answer. With `faults` the model's server fails before
    some of the answers, each time in another way, and is asked again.
    """
    folder.mkdir(exist_ok=True)
    (folder / "rule.json").write_text(json.dumps(_RUBRIC))
    for number in range(bundles):
        ending = "cut" if number % 4 == 3 else END
        files = {"report.md": f"The report is complete.\nBundle {number}.\n{ending}\n"}
        write_bundle(folder / "r" / f"b{number:05}", files)
    (folder / "script.json").write_text(json.dumps(_script(delay_s, faults=faults)))
    options = ("--rule", "rule.json", "--model", "script:script.json", "-c", str(concurrency))
    return Job(folder, ("r", *options), url)


def _script(delay_s: float, *, faults: bool) -> dict[str, Any]:
    first: dict[str, Any] = {"delay_s": delay_s, **look()}
    passes = submit(evidence=[quote("The report is complete.")])
    fails = submit(passed=False, evidence=[])
    conversations: list[dict[str, Any]] = [{"entry": "b*2", "turns": [first, fails]}]
    if faults:
        troubles: dict[str, list[dict[str, Any]]] = {
            "b*0": [{"status": 429, "retry_after": 0.05, "times": 2}, {"status": 500}],
            "b*4": [{"disconnect": True}, {"status": 529}],
            "b*5": [{"body": "{"}],
        }
        for entry, fail in troubles.items():
            conversations.append({"entry": entry, "turns": [first, {"fail": fail, **passes}]})
    conversations.append({"turns": [first, passes]})
    return {"prices": PRICES, "conversations": conversations}


def _write(path: Path, chance: random.Random) -> None:
    """Write one bundle; what it is comes from `chance` alone."""
    findings = chance.randrange(4)
    count = findings if chance.random() < 0.8 else findings + 1
    data = {"findings": [{"id": number} for number in range(findings)], "count": count}
    files = {
        "report.md": f"{path.name}\n{END if chance.random() < 0.8 else 'cut'}\n",
        "findings.json": json.dumps(data),
        "evidence.log": "evidence\n" * chance.randrange(2_000),
    }
    form = chance.random()
    if form < 0.7:
        write_bundle(path, files)
        return
    path.parent.mkdir(exist_ok=True)
    archive = path.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    if form > 0.95:
        archive.write_bytes(archive.read_bytes()[:-30])  # damaged: refused at intake
