"""What the results of a rule's judges amount to for one bundle: a status, and the reason in words.

An error outweighs a no, and a no outweighs a yes. Numbers decide nothing here: they act through
thresholds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judge_bundles.judges.pairwise import TYPE as PAIRWISE
from judge_bundles.judges.pairwise import VALUES
from judge_bundles.limits import MAX_FURTHER_REASON_CHARACTERS
from judge_bundles.scoring.exact import exact, shown
from judge_bundles.verdict import JudgeResult, Stage, Status, VerdictError

_COMPARED: Final = {
    VALUES["candidate"]: "better than the baseline",
    VALUES["tie"]: "as good as the baseline",
    VALUES["baseline"]: "worse than the baseline",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of the judges. With status `error`, `error` is that of one of them."""

    status: Status
    reason: str
    stage: Stage = "judge"
    error: VerdictError | None = None


def decide(results: Sequence[JudgeResult], *, prechecks: int) -> Decision:
    """Return what `results`, at least one, amount to after so many prechecks that all held."""
    errored = [result for result in results if result.error is not None]
    failed = [result for result in results if result.status == "fail"]
    named = len(results) > 1
    if errored:
        # One that cannot be tried again keeps the bundle from a verdict, whatever the others do.
        lasting = next((one for one in errored if one.error and not one.error.retryable), None)
        decisive = lasting or errored[0]
        return Decision("error", _reason(errored, named=named), error=decisive.error)
    if failed:
        return Decision("fail", _reason(failed, named=named))
    if all(result.status == "skipped" for result in results):
        return _nobody_asked(prechecks)
    return Decision("pass", _outcomes(results) if named else _alone(results[0]))


def _nobody_asked(prechecks: int) -> Decision:
    if prechecks:
        held = "the precheck held" if prechecks == 1 else f"all {prechecks} prechecks held"
        return Decision("pass", f"{held}; every judge was skipped", "precheck")
    message = "every judge was skipped, and there is no precheck"
    error = VerdictError("not_judged", message, retryable=False)
    return Decision("error", message, error=error)


def _reason(decisive: Sequence[JudgeResult], *, named: bool) -> str:
    """Return the words of those that decide, the first in full."""
    if not named:
        return _words(decisive[0])
    first, *others = (f"{result.name}: {_words(result)}" for result in decisive)
    return "; ".join([first, *(_cut(words) for words in others)])


def _words(result: JudgeResult) -> str:
    return result.error.message if result.error else result.rationale


def _cut(words: str) -> str:
    if len(words) <= MAX_FURTHER_REASON_CHARACTERS:
        return words
    return words[: MAX_FURTHER_REASON_CHARACTERS - 1] + "…"


def _alone(result: JudgeResult) -> str:
    if result.status == "pass":
        return result.rationale
    return f"{_scored(result)}: {result.rationale}"


def _outcomes(results: Sequence[JudgeResult]) -> str:
    """Return who passed, what the others gave, and who was skipped."""
    passed = [result.name for result in results if result.status == "pass"]
    scores = [_scored(result) for result in results if result.status == "scored"]
    skipped = [result.name for result in results if result.status == "skipped"]
    parts = [
        f"{', '.join(passed)} passed" if passed else "",
        ", ".join(scores),
        f"{', '.join(skipped)} skipped" if skipped else "",
    ]
    return "; ".join(part for part in parts if part)


def _scored(result: JudgeResult) -> str:
    assert result.value is not None
    if result.type == PAIRWISE:
        return _COMPARED[result.value]
    return f"{result.name} {shown(exact(result.value))}"
