"""What is judged in a bench: bundles, rules and scripts, the same every time.

A bundle is small and sound, so that its gate holds and every verdict is pass.
"""

import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

MARK: Final = "<!-- end -->"
FINDINGS_EACH: Final = 5
QUOTED: Final = "Every file of the change was read."

PRECHECKS: Final[list[dict[str, Any]]] = [
    {"type": "file_complete", "path": "report.md", "must_end_with": MARK},
    {"type": "json_valid", "path": "**/*.json"},
    {
        "type": "count_equals",
        "left": {"file": "findings.json", "len": "findings"},
        "right": {"file": "state.json", "field": "total"},
    },
    {"type": "map_values_in", "file": "scan.json", "path": "status", "allowed": ["done"]},
    {
        "type": "field_any_non_empty",
        "file": "findings.json",
        "array": "findings",
        "fields": ["fix", "mitigation"],
    },
    {
        "type": "refs_exist",
        "file": "findings.json",
        "array": "findings",
        "field": "file",
        "in": {"file": "scan.json", "path": "files"},
    },
]
CALLS: Final[list[dict[str, Any]]] = [
    {"list_files": {}},
    {"read_file": {"path": "report.md"}},
    {"read_file": {"path": "findings.json"}},
    {"search_files": {"pattern": "severity"}},
    {"json_query": {"path": "findings.json", "query": "findings[*].id"}},
    {"file_info": {"path": "scan.json"}},
]
"""Six looks, each of another kind or at another file."""
SUBMISSION: Final[dict[str, Any]] = {
    "criteria": [
        {
            "id": "read",
            "explanation": "The report says so.",
            "evidence": [{"file": "report.md", "line_start": 3, "line_end": 3, "quote": QUOTED}],
            "met": True,
        }
    ],
    "reason": "The report says that everything was read.",
    "passed": True,
}


def write_bundles(folder: Path, count: int) -> Path:
    """Write `count` small bundles of four files, no two alike, and return the folder of them."""
    names = [f"src/part{number}.py" for number in range(FINDINGS_EACH)]
    scan = json.dumps({"files": names, "status": dict.fromkeys(names, "done")}, indent=1)
    state = json.dumps({"total": FINDINGS_EACH, "phase": "closed"})
    findings = json.dumps(
        {"findings": [finding(number, name) for number, name in enumerate(names)]}
    )
    for number in range(count):
        bundle = folder / f"run-{number:05}"
        bundle.mkdir(parents=True)
        lines = [f"# Report {number}", "", QUOTED, *["Nothing of note was found here."] * 40, MARK]
        (bundle / "report.md").write_text("\n".join(lines))
        (bundle / "findings.json").write_text(findings)
        (bundle / "scan.json").write_text(scan)
        (bundle / "state.json").write_text(state)
    return folder


def kept_bundles(home: Path, count: int) -> Path:
    """Return the folder of `count` such bundles below `home`, written once and kept from then on.

    Making and removing tens of thousands of files takes longer than judging them.
    """
    with TemporaryDirectory() as place:
        (sample,) = write_bundles(Path(place), 1).iterdir()
        contents = b"".join(path.read_bytes() for path in sorted(sample.iterdir()))
    kept = home / f"{count}-{hashlib.sha256(contents).hexdigest()[:12]}"
    if not kept.exists():
        home.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=home) as place:
            write_bundles(Path(place) / "runs", count).rename(kept)
    return kept


def finding(number: int, file: str) -> dict[str, Any]:
    """Return one finding as an audit would record it, of about 100 bytes."""
    return {"id": f"F-{number}", "file": file, "severity": "low", "fix": "Check the length first."}


def write_gate_rule(path: Path) -> Path:
    """Write a rule that is six prechecks and nothing else."""
    path.write_text(json.dumps(PRECHECKS))
    return path


def write_agent_rule(path: Path) -> Path:
    """Write a rule with the same gate and one agent judge."""
    rule = {
        "name": "bench",
        "rubric": "The report says that everything was read.",
        "criteria": [{"id": "read", "text": "The report says that every file was read."}],
        "prechecks": PRECHECKS,
    }
    path.write_text(json.dumps(rule))
    return path


def write_script(path: Path, *, calls_a_turn: int = 1, delay_s: float = 0.0) -> Path:
    """Write a conversation of six tool calls and a verdict, each answer after `delay_s`."""
    script = {"conversations": [{"turns": turns(calls_a_turn=calls_a_turn, delay_s=delay_s)}]}
    path.write_text(json.dumps(script))
    return path


def turns(*, calls_a_turn: int = 1, delay_s: float = 0.0) -> list[dict[str, Any]]:
    """Return the answers of that conversation as the scripted model takes them."""
    looks = [
        {"calls": CALLS[at : at + calls_a_turn], "delay_s": delay_s}
        for at in range(0, len(CALLS), calls_a_turn)
    ]
    return [*looks, {"submit": SUBMISSION, "delay_s": delay_s}]
