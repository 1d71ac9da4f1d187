"""Decide whether a submission may stand, given what the judge was shown.

Every problem found is named, so that one correction can put all of them right. Which problems turn
into which kind of error is decided here and nowhere else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from judge_bundles.agent.evidence import Failure, locate
from judge_bundles.agent.injection import addresses_evaluator
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.submission import Submission, SubmittedCriterion, SubmittedEvidence
from judge_bundles.agent.text import Text
from judge_bundles.error_kinds import ErrorKind
from judge_bundles.escape import line
from judge_bundles.verdict import CriterionResult, Evidence

_FAILURES: Final[dict[Failure, str]] = {
    "absent": "the quote is not in the file",
    "not_shown": "the quote is in the file, but you were not shown that part of it",
    "too_short": "the quote is too short to prove anything; quote the whole line",
}
_SHOWN_QUOTE_CHARACTERS: Final = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason to send a submission back; `message` is read by the judge and by people."""

    kind: ErrorKind
    message: str
    waivable: bool = False
    """The policy `evidence: flag` may let it stand."""


@dataclass(frozen=True, slots=True)
class Review:
    """The criteria with their evidence as the host found it, and what is wrong with them."""

    criteria: tuple[CriterionResult, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews the submissions of one judgement.

    `must_read` gives, by printable file name, the share of the file that a pass needs, and
    `must_read_missing` the patterns that no file matched; `read_text` returns a file's text by its printable name, or None for what is not text.
    """

    criterion_ids: tuple[str, ...]
    must_read: dict[str, float]
    must_read_missing: tuple[str, ...]
    looks: Looks
    read_text: Callable[[str], Text | None]

    def review(self, submission: Submission) -> Review:
        """Check one submission; a review without problems may stand."""
        located = [
            (criterion, [self._locate(item) for item in criterion.evidence])
            for criterion in submission.criteria
        ]
        criteria = tuple(
            CriterionResult(
                criterion.id,
                criterion.explanation,
                tuple(evidence for evidence, _ in items),
                criterion.met,
            )
            for criterion, items in located
        )
        evidence_problems = [
            Problem("ungrounded", f"criterion {criterion.id}: {problem}", waivable=True)
            for criterion, items in located
            for _, problem in items
            if problem
        ]
        problems = (
            *self._answer_problems(submission),
            *_contradictions(submission),
            *(self._pass_problems(criteria) if submission.passed else ()),
            *_missing_evidence(submission.criteria),
            *evidence_problems,
        )
        return Review(criteria, problems)

    def _answer_problems(self, submission: Submission) -> Iterator[Problem]:
        answered = [criterion.id for criterion in submission.criteria]
        for identifier in dict.fromkeys(answered):
            if answered.count(identifier) > 1:
                yield Problem(
                    "invalid_verdict", f"criterion {identifier} is answered more than once"
                )
        if not self.criterion_ids:
            return
        for identifier in self.criterion_ids:
            if identifier not in answered:
                yield Problem("invalid_verdict", f"criterion {identifier} is not answered")
        for identifier in dict.fromkeys(answered):
            if identifier not in self.criterion_ids:
                yield Problem(
                    "invalid_verdict", f"there is no criterion {line(identifier, limit=80)}"
                )

    def _pass_problems(self, criteria: tuple[CriterionResult, ...]) -> Iterator[Problem]:
        if self.looks.successful == 0:
            yield Problem("uninspected", "a pass needs a look at the files; nothing was opened")
        for pattern in self.must_read_missing:
            yield Problem("unread", f"a pass needs {pattern} to be read; no file matches it")
        for file, needed in self.must_read.items():
            fraction = self.looks.fraction(file)
            if fraction < needed:
                yield Problem(
                    "unread",
                    f"a pass needs {needed:.0%} of {file} to be read; {fraction:.1%} was",
                )
        quotes = [item for criterion in criteria for item in criterion.evidence]
        if quotes and all(item.addresses_evaluator for item in quotes):
            yield Problem(
                "ungrounded",
                "every quote is text that addresses the evaluator, which proves nothing",
            )

    def _locate(self, item: SubmittedEvidence) -> tuple[Evidence, str | None]:
        file = self.looks.resolve(item.file)
        if file is None:
            shown = line(item.file, limit=_SHOWN_QUOTE_CHARACTERS)
            return _unverified(item, item.file), f"{shown} is no file of the bundle"
        if item.page is not None:
            seen = self.looks.opened_as_media(file)
            problem = None if seen else f"{file} was not opened as an image or document"
            return Evidence(file, page=item.page, verified=seen), problem
        return self._locate_quote(item, file)

    def _locate_quote(self, item: SubmittedEvidence, file: str) -> tuple[Evidence, str | None]:
        assert item.quote is not None
        assert item.line_start is not None
        if not self.looks.opened(file):
            return _unverified(item, file), f"{file} was never opened"
        text = self.read_text(file)
        if text is None:
            return _unverified(item, file), f"{file} is not text; cite a page"
        place = locate(item.quote, text, file, item.line_start, self.looks)
        if isinstance(place, str):
            shown = line(item.quote, limit=_SHOWN_QUOTE_CHARACTERS)
            return _unverified(item, file), f'{_FAILURES[place]} ({file}): "{shown}"'
        stated = (item.line_start, item.line_end)
        return Evidence(
            file,
            place.line_start,
            place.line_end,
            item.quote,
            verified=True,
            corrected=stated != (place.line_start, place.line_end),
            addresses_evaluator=addresses_evaluator(item.quote, file),
        ), None


def _unverified(item: SubmittedEvidence, file: str) -> Evidence:
    return Evidence(file, item.line_start, item.line_end, item.quote, item.page)


def _contradictions(submission: Submission) -> Iterator[Problem]:
    unmet = [criterion.id for criterion in submission.criteria if not criterion.met]
    if submission.passed and unmet:
        named = ", ".join(line(identifier, limit=80) for identifier in unmet)
        yield Problem("contradiction", f"passed is true although not met: {named}")
    if not submission.passed and not unmet:
        yield Problem("contradiction", "passed is false although every criterion is met")


def _missing_evidence(criteria: list[SubmittedCriterion]) -> Iterator[Problem]:
    for criterion in criteria:
        if criterion.met and not criterion.evidence:
            yield Problem(
                "ungrounded",
                f"criterion {line(criterion.id, limit=80)} is met but has no evidence",
                waivable=True,
            )
