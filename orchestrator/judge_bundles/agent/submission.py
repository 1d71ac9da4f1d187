"""The only way to a verdict: a `submit_verdict` call that fits this schema.

Nothing is converted: the text "false", the number 0, a missing or an unknown key are refused, with
sentences the judge can act on. Prose is never looked at.
"""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judge_bundles.escape import line
from judge_bundles.limits import MAX_QUOTE_CHARACTERS
from judge_bundles.models.base import ToolSpec

SUBMIT: Final = "submit_verdict"
MAX_EVIDENCE_ITEMS: Final = 20
MAX_CRITERIA: Final = 100
MAX_PROSE_CHARACTERS: Final = 20_000
MAX_LINE: Final = 2**31 - 1
"""The highest line number; no file that is taken in has as many."""
_MAX_PROBLEMS_NAMED: Final = 10
_MAX_KEY_CHARACTERS: Final = 80
_MAX_PROBLEM_CHARACTERS: Final = 200

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)


class SubmittedEvidence(BaseModel):
    """Either text (lines and quote) or a page of an image or PDF."""

    model_config = _STRICT

    file: str = Field(min_length=1, max_length=4096)
    line_start: int | None = Field(default=None, ge=1, le=MAX_LINE)
    line_end: int | None = Field(default=None, ge=1, le=MAX_LINE)
    quote: str | None = Field(default=None, max_length=MAX_QUOTE_CHARACTERS)
    page: int | None = Field(default=None, ge=1, le=100_000)


class SubmittedCriterion(BaseModel):
    """One criterion with its answer; the explanation stands before the decision."""

    model_config = _STRICT

    id: str = Field(min_length=1, max_length=200)
    explanation: str = Field(min_length=1, max_length=MAX_PROSE_CHARACTERS)
    evidence: list[SubmittedEvidence] = Field(max_length=MAX_EVIDENCE_ITEMS)
    met: bool


class Submission(BaseModel):
    """The whole verdict as the judge submits it."""

    model_config = _STRICT

    criteria: list[SubmittedCriterion] = Field(min_length=1, max_length=MAX_CRITERIA)
    reason: str = Field(min_length=1, max_length=MAX_PROSE_CHARACTERS)
    passed: bool


def parse(value: Any) -> Submission | str:
    """Return the submission, or a text that says what does not fit."""
    try:
        submission = Submission.model_validate(value)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        named = [
            f"{_path(problem['loc'])}: {line(problem['msg'], limit=_MAX_PROBLEM_CHARACTERS)}"
            for problem in problems[:_MAX_PROBLEMS_NAMED]
        ]
        return "; ".join(named)
    problems_of_form = [
        f"criteria[{index}].evidence[{position}]: {problem}"
        for index, criterion in enumerate(submission.criteria)
        for position, item in enumerate(criterion.evidence)
        if (problem := _form_problem(item))
    ]
    return "; ".join(problems_of_form[:_MAX_PROBLEMS_NAMED]) or submission


def spec(criterion_ids: Sequence[str]) -> ToolSpec:
    """Return the tool; with declared criteria their ids are an enumeration in the schema."""
    identifier: dict[str, Any] = {
        "type": "string",
        "description": "The criterion's id, exactly as given."
        if criterion_ids
        else "A short name of your own for this criterion of the rubric.",
    }
    if criterion_ids:
        identifier["enum"] = list(criterion_ids)
    criterion = _object(
        id=identifier,
        explanation={"type": "string", "description": "What you found, before you decide."},
        evidence={
            "type": "array",
            "description": "At least one item when the criterion is met.",
            "items": {"anyOf": [_TEXT_EVIDENCE, _PAGE_EVIDENCE]},
        },
        met={"type": "boolean"},
    )
    return ToolSpec(
        name=SUBMIT,
        description="Submit the verdict. This is the only way to answer, and it ends the judgement.",
        input_schema=_object(
            criteria={"type": "array", "items": criterion},
            reason={"type": "string", "description": "The verdict's reason, grounded in evidence."},
            passed={"type": "boolean", "description": "True only if every criterion is met."},
        ),
        strict=True,
    )


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_FILE: Final = {"type": "string", "description": "The file's path as the tools show it."}
_TEXT_EVIDENCE: Final = _object(
    file=_FILE,
    line_start={"type": "integer", "description": "First line of the quote, from 1."},
    line_end={"type": "integer", "description": "Last line of the quote."},
    quote={
        "type": "string",
        "description": f"Text you were shown, word for word, at most {MAX_QUOTE_CHARACTERS} characters.",
    },
)
_PAGE_EVIDENCE: Final = _object(
    file=_FILE,
    page={"type": "integer", "description": "Page of a PDF from 1; 1 for an image."},
)


def _form_problem(item: SubmittedEvidence) -> str | None:
    lines = (item.line_start, item.line_end, item.quote)
    if item.page is not None:
        return "give either a page or lines with a quote" if any(lines) else None
    if item.line_start is None or item.line_end is None or item.quote is None:
        return "line_start, line_end and quote are all needed (page alone for an image or PDF)"
    if item.line_end < item.line_start:
        return "line_end is before line_start"
    return None if item.quote.strip() else "the quote is blank"


def _path(location: tuple[int | str, ...]) -> str:
    shown = "".join(
        f"[{part}]" if isinstance(part, int) else f".{line(part, limit=_MAX_KEY_CHARACTERS)}"
        for part in location
    )
    return shown.lstrip(".") or "the input"
