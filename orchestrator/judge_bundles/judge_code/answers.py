"""What a judge in Python may return: `(value, rationale)`, or a bare bool or number."""

import re
from dataclasses import dataclass
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final

from judge_bundles.judge_code.refusals import refused
from judge_bundles.limits import MAX_RATIONALE_CHARACTERS
from judge_bundles.record.texts.cutting import end_cut
from judge_bundles.scoring.values import ScoreRange, refusal

_HALF_CHARACTERS: Final = re.compile("[\ud800-\udfff]")
_PLAIN: Final = (bool, int, float)


@dataclass(frozen=True, slots=True)
class Answer:
    """A value that counts, and why. `cut` is how long the rationale was when it was too long."""

    value: bool | float
    rationale: str
    cut: int | None = None


def answer(returned: Any, score_range: ScoreRange | None) -> Answer:
    """Return what a judge returned as an answer; raises `JudgementError` for anything else."""
    refuse_unfinished(returned)
    value, rationale = returned, ""
    if isinstance(returned, tuple):
        if len(returned) != 2:
            raise refused(
                f"it returned a tuple of {len(returned):,}: return (value, rationale), or the value"
            )
        value, rationale = returned
    text = _rationale(rationale)
    cut = len(text) if len(text) > MAX_RATIONALE_CHARACTERS else None
    return Answer(_value(value, score_range), end_cut(text, MAX_RATIONALE_CHARACTERS), cut)


def whole(text: str) -> str:
    """Return text that can be sent and stored: halves of characters become U+FFFD."""
    return _HALF_CHARACTERS.sub("\ufffd", text)


def _value(value: Any, score_range: ScoreRange | None) -> bool | float:
    why = refusal(value, score_range)
    if why is None and type(value) not in _PLAIN:
        why = f"the value is of the type {type(value).__name__}: make it a plain bool, int or float"
    if why is not None:
        raise refused(why)
    plain: bool | float = value
    return plain


def _rationale(rationale: Any) -> str:
    if rationale is None:
        return ""
    if not isinstance(rationale, str):
        raise refused(f"the rationale is no text but of the type {type(rationale).__name__}")
    return whole(str.__str__(rationale))


def refuse_unfinished(returned: Any) -> None:
    """A function that was only begun has answered nothing; it is ended without a warning."""
    if isinstance(returned, CoroutineType):
        returned.close()
        raise refused("it is asynchronous: write it with `def`, not `async def`")
    if isinstance(returned, (GeneratorType, AsyncGeneratorType)):
        raise refused("it yields, where it has to return (value, rationale)")
