"""What doctor found, for people as it is found, or for machines at the end."""

import sys
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from rich.console import Console
from rich.text import Text

from judge_bundles import escape, log
from judge_bundles.reports.style import console, counted, hanging, plain
from judge_bundles.sandbox.proof.attack import Outcome, Result

_MARKS: Final[dict[Outcome, tuple[str, str]]] = {
    "held": ("held    ", "green"),
    "broken": ("BROKEN  ", "bold red"),
    "untried": ("untried ", "yellow"),
}
_DETAIL_CHARACTERS: Final = 200
"""Of a detail on a terminal; machines get all of it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    fine: bool
    text: str


class Findings(Protocol):
    """Takes in what is found."""

    def finding(self, finding: Finding) -> None:
        """Take in one thing that was looked at."""

    def result(self, result: Result) -> None:
        """Take in how one attack ended."""

    def end(self) -> None:
        """Say what is still to be said."""


def for_people(*, color: bool | None) -> Findings:
    """Return what prints rows to stdout."""
    return _Rows(console(sys.stdout, color=color))


def for_machines() -> Findings:
    """Return what prints one JSON object to stdout, at the end."""
    return _Document()


@dataclass(slots=True)
class _Rows:
    screen: Console
    _outcomes: list[Outcome] = field(default_factory=list)

    def finding(self, finding: Finding) -> None:
        mark = Text("ok      ", "green") if finding.fine else Text("problem ", "red")
        lead = Text.assemble(mark, f"{finding.subject:<9}")
        self.screen.print(hanging(lead, plain(finding.text)))

    def result(self, result: Result) -> None:
        self._outcomes.append(result.outcome)
        lead = Text.assemble(_MARKS[result.outcome], f"{result.name:<18} ")
        why = "could not be tried: " if result.outcome == "untried" else ""
        body = Text.assemble(
            plain(result.tried),
            ("  ", ""),
            plain(f"{why}{result.detail}", style="dim", limit=_DETAIL_CHARACTERS),
        )
        self.screen.print(hanging(lead, body))

    def end(self) -> None:
        if self._outcomes:
            held, broken, untried = (self._outcomes.count(outcome) for outcome in _MARKS)
            self.screen.print(
                f"{counted(len(self._outcomes), 'attack')}: {held} held, {broken} broken, "
                f"{untried} could not be tried"
            )


@dataclass(slots=True)
class _Document:
    _checks: list[dict[str, Any]] = field(default_factory=list)
    _attacks: list[dict[str, Any]] = field(default_factory=list)

    def finding(self, finding: Finding) -> None:
        self._checks.append(asdict(finding))

    def result(self, result: Result) -> None:
        self._attacks.append(asdict(result))

    def end(self) -> None:
        found = {"checks": self._checks, "attacks": self._attacks}
        sys.stdout.write(escape.json_text(log.redact_value(found), indent=2) + "\n")
