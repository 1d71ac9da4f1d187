"""Further hostile bundles, of the kinds of the shared corpus: how each is made and how it must end.

A case is a function that builds a bundle in `Ground.runs` under the name it is given and returns where
it is. The cases themselves are in the modules beside this one, one for each kind of bundle; importing
one enters its cases.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from tests.orchestrator.bundles.archives import Zip, tar_member
from tests.orchestrator.bundles.intake import write_tree

Outcome = Literal["taken", "refused", "fails"]
"""`taken`: intake and gate hold. `refused`: at intake. `fails`: taken, and the gate says no."""
SECRET: Final = b"JBSECRET-more-cases"
END: Final = "<!-- END OF REPORT -->"
GATE: Final = [
    {"type": "file_complete", "path": "report.md", "must_end_with": END},
    {"type": "json_valid", "path": "**/*.json"},
    {
        "type": "map_values_in",
        "file": "state.json",
        "path": "phases",
        "allowed": ["completed", "skipped"],
    },
    {
        "type": "count_equals",
        "left": {"file": "state.json", "field": "summary.findings_count"},
        "right": {"file": "findings.json", "len": "findings"},
    },
    {
        "type": "field_any_non_empty",
        "file": "findings.json",
        "array": "findings",
        "fields": ["affected_file"],
    },
]
REPORT: Final = f"# Audit\n\nOne issue was found.\n\n{END}\n".encode()
GOOD: Final = {
    "report.md": REPORT,
    "state.json": json.dumps(
        {"phases": {"scan": "completed"}, "summary": {"findings_count": 1}}
    ).encode(),
    "findings.json": json.dumps({"findings": [{"affected_file": "src/a.py"}]}).encode(),
}
"""A bundle for which the gate holds."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Where bundles are made, and what must neither be read nor written by taking them in."""

    runs: Path
    outside: Path

    @classmethod
    def lay_out(cls, place: Path) -> "Ground":
        """Make both folders, with secrets in the second."""
        (place / "runs").mkdir()
        outside = write_tree(
            place / "outside", {"secret.md": SECRET + REPORT, "secret.json": b'"' + SECRET + b'"'}
        )
        return cls(place / "runs", outside)

    def archive(self, name: str, data: bytes) -> Path:
        """Write an archive."""
        path = self.runs / name
        path.write_bytes(data)
        return path

    def folder(self, name: str, files: dict[str, bytes] | None = None) -> Path:
        """Write a folder with the good files, these besides or instead."""
        return write_tree(self.runs / name, GOOD | (files or {}))


Make = Callable[[Ground, str], Path]


@dataclass(frozen=True, slots=True)
class Case:
    """`says` stands in the message of a refusal or failure; of what is taken it is a member's path.

    `make` returns where the bundle is.
    """

    name: str
    outcome: Outcome
    says: str
    make: Make = field(repr=False)

    def __str__(self) -> str:
        return self.name


CASES: Final[dict[str, Case]] = {}


def case(outcome: Outcome, says: str) -> Callable[[Make], Make]:
    """Enter the decorated function as a case, under its own name."""

    def enter(make: Make) -> Make:
        add(make.__name__.strip("_"), outcome, says, make)
        return make

    return enter


def add(name: str, outcome: Outcome, says: str, make: Make) -> None:
    """Enter a case; no two have one name."""
    assert name not in CASES, name
    CASES[name] = Case(name, outcome, says, make)


def good_members() -> bytes:
    """Return the good files as the beginning of a tar archive."""
    return b"".join(tar_member(name.encode(), content) for name, content in GOOD.items())


def good_zip() -> Zip:
    """Return the good files as the beginning of a zip archive."""
    archive = Zip()
    for name, content in GOOD.items():
        archive.add(name.encode(), content)
    return archive
