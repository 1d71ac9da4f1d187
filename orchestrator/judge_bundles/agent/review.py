"""Decide whether a submission may stand, given what the judge was shown.

Every problem found is named, so that one correction can put all of them right. Which problems turn
into which kind of error is decided here and nowhere else.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from judge_bundles.agent.evidence import Failure, Finder, Place
from judge_bundles.agent.injection import addresses_evaluator
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.submission import Submission, SubmittedCriterion, SubmittedEvidence
from judge_bundles.agent.text import Text
from judge_bundles.error_kinds import ErrorKind
from judge_bundles.escape import line
from judge_bundles.verdict import CriterionResult, Evidence

_FAILURES: Final[dict[Failure, str]] = {
    "absent": "the quote is not in the file; quote whole words exactly as shown",
    "not_shown": "the quote is not in the part of the file that you were shown",
    "too_short": "the quote is too short to prove anything; quote the whole line",
    "restated": "the query's answer is not worded as the file is; read the file and quote that",
    "not_text": "the file is not text; cite a page of an image or PDF that you opened",
}
_SHOWN_NAME_CHARACTERS: Final = 120
_SHOWN_TEXT_CHARACTERS: Final = 80
_QUOTE: Final = '"'
_INNER_QUOTE: Final = "'"


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
    `must_read_missing` the patterns that no file matched; `read_text` returns a file's text by its
    printable name, or None for what is not text.
    """

    criterion_ids: tuple[str, ...]
    must_read: dict[str, float]
    must_read_missing: tuple[str, ...]
    looks: Looks
    read_text: Callable[[str], Text | None]

    def review(self, submission: Submission) -> Review:
        """Check one submission; a review without problems may stand."""
        finder = Finder(self.looks, self.read_text)
        located = [
            (criterion, [self._locate(item, finder) for item in criterion.evidence])
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
            Problem("ungrounded", f"criterion {_data(criterion.id)}: {problem}", waivable=True)
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
                    "invalid_verdict", f"criterion {_data(identifier)} is answered more than once"
                )
        if not self.criterion_ids:
            return
        for identifier in self.criterion_ids:
            if identifier not in answered:
                yield Problem("invalid_verdict", f"criterion {identifier} is not answered")
        for identifier in dict.fromkeys(answered):
            if identifier not in self.criterion_ids:
                yield Problem("invalid_verdict", f"there is no criterion {_data(identifier)}")

    def _pass_problems(self, criteria: tuple[CriterionResult, ...]) -> Iterator[Problem]:
        if self.looks.successful == 0:
            yield Problem("uninspected", "a pass needs a look at the files; nothing was opened")
        for pattern in self.must_read_missing:
            yield Problem("unread", f"a pass needs {pattern} to be read; no file matches it")
        for file, needed in self.must_read.items():
            if self.looks.fraction(file) < needed:
                yield Problem("unread", self._unread(file, needed))
        verified = [item for one in criteria for item in one.evidence if item.verified]
        if verified and all(item.addresses_evaluator for item in verified):
            yield Problem(
                "ungrounded",
                "every quote is text that addresses the evaluator, which proves nothing",
            )

    def _unread(self, file: str, needed: float) -> str:
        size, shown = self.looks.sizes[file], self.looks.shown_bytes(file)
        wanted = max(math.ceil(needed * size), shown + 1)
        return (
            f"a pass needs {wanted:,} of the {size:,} bytes of {_name(file)} to be read; "
            f"{shown:,} were"
        )

    def _locate(self, item: SubmittedEvidence, finder: Finder) -> tuple[Evidence, str | None]:
        file = self.looks.resolve(item.file)
        if file is None:
            return _unverified(item, item.file), f"{_name(item.file)} is no file of the bundle"
        if item.page is not None:
            problem = self._page_problem(file, item.page)
            return Evidence(file, page=item.page, verified=problem is None), problem
        return self._locate_quote(item, file, finder)

    def _page_problem(self, file: str, page: int) -> str | None:
        if not self.looks.opened_as_media(file):
            return f"{_name(file)} was not opened as an image or document"
        pages = self.looks.pages(file)
        if pages is None and page > 1:
            return f"the pages of {_name(file)} cannot be counted; cite page 1"
        if pages is not None and page > pages:
            return f"{_name(file)} has no page {page}; it has about {pages:,}"
        return None

    def _locate_quote(
        self, item: SubmittedEvidence, file: str, finder: Finder
    ) -> tuple[Evidence, str | None]:
        assert item.quote is not None
        assert item.line_start is not None
        if not self.looks.opened(file):
            return _unverified(item, file), f"{_name(file)} was never opened"
        if self.looks.opened_as_media(file) and not self.looks.text_ranges(file):
            return _unverified(item, file), f"{_name(file)} was opened to be looked at; cite a page"
        place = finder.locate(item.quote, file, item.line_start)
        if isinstance(place, str):
            quoted = _data(item.quote)
            return _unverified(item, file), f"{_FAILURES[place]} ({_name(file)}): {quoted}"
        stated = (item.line_start, item.line_end)
        return Evidence(
            file,
            place.line_start,
            place.line_end,
            item.quote,
            verified=True,
            corrected=stated != (place.line_start, place.line_end),
            addresses_evaluator=_addresses_evaluator(place, file),
        ), None


def _name(file: str) -> str:
    """Return a file's name for a sentence: short, on one line, and plainly no part of it."""
    return f'"{line(file, limit=_SHOWN_NAME_CHARACTERS - 2).replace(_QUOTE, _INNER_QUOTE)}"'


def _data(text: str) -> str:
    """Return what the judge wrote, for a sentence."""
    return f'"{line(text, limit=_SHOWN_TEXT_CHARACTERS).replace(_QUOTE, _INNER_QUOTE)}"'


def _addresses_evaluator(place: Place, file: str) -> bool:
    """Tell it from the full lines, and from text that only begins or ends on them."""
    around = f"{place.before}\n{place.lines}\n{place.after}"
    lines = range(1, 2 + place.lines.count("\n"))
    return addresses_evaluator(around, file, lines=lines)


def _unverified(item: SubmittedEvidence, file: str) -> Evidence:
    return Evidence(file, item.line_start, item.line_end, item.quote, item.page)


def _contradictions(submission: Submission) -> Iterator[Problem]:
    unmet = [criterion.id for criterion in submission.criteria if not criterion.met]
    if submission.passed and unmet:
        named = ", ".join(_data(identifier) for identifier in unmet)
        yield Problem("contradiction", f"passed is true although not met: {named}")
    if not submission.passed and not unmet:
        yield Problem("contradiction", "passed is false although every criterion is met")


def _missing_evidence(criteria: list[SubmittedCriterion]) -> Iterator[Problem]:
    for criterion in criteria:
        if criterion.met and not criterion.evidence:
            yield Problem(
                "ungrounded",
                f"criterion {_data(criterion.id)} is met but has no evidence",
            )
