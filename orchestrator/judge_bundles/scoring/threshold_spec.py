"""Read `thresholds` of a rule: which limits the judges of a run are held to.

    thresholds:
      quality: {min_mean: 3.5, max_error_rate: 0.1}

Nothing is measured here. Everything wrong with the block is found before anything runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from judge_bundles.scoring.outcomes import GATE, PAIRWISE
from judge_bundles.scoring.spec_problems import (
    KeyPath,
    ScoringSpecError,
    SpecProblem,
    described,
    nearest,
    number_problem,
    quoted,
)
from judge_bundles.scoring.values import JudgeScale, is_number

ThresholdKey = Literal["min_pass_rate", "min_mean", "min_win_rate", "max_error_rate", "max_drop"]
THRESHOLD_KEYS: Final[tuple[ThresholdKey, ...]] = get_args(ThresholdKey)

_TOP: Final = "thresholds"
_KEYS_OF_RESERVED: Final[dict[str, tuple[ThresholdKey, ...]]] = {
    GATE: ("min_pass_rate", "max_error_rate", "max_drop"),
    PAIRWISE: ("min_win_rate", "max_error_rate"),
}
_KEYS_OF_JUDGES: Final[tuple[ThresholdKey, ...]] = tuple(
    key for key in THRESHOLD_KEYS if key != "min_win_rate"
)
_SHARES: Final = frozenset({"min_pass_rate", "min_win_rate", "max_error_rate"})


@dataclass(frozen=True, slots=True)
class Threshold:
    """One limit of one judge. `default` marks the one of the gate that nobody wrote."""

    judge: str
    key: ThresholdKey
    limit: float
    default: bool = False


def parse_thresholds(
    raw: object, scales: Sequence[JudgeScale], *, has_gate: bool, has_pairwise: bool
) -> tuple[Threshold, ...]:
    """Return the limits in the order of the file, the gate's default first if it applies.

    `raw` is the plain value of the key, `scales` the judges of the rule without `pairwise`.
    `ScoringSpecError` carries every problem.
    """
    scale_of: dict[str, JudgeScale | None] = {scale.name: scale for scale in scales}
    if has_gate:
        scale_of[GATE] = None
    if has_pairwise:
        scale_of[PAIRWISE] = None
    problems = list(_problems(raw, scale_of))
    if problems:
        raise ScoringSpecError(problems)
    assert isinstance(raw, Mapping)
    given = [Threshold(judge, key, raw[judge][key]) for judge in raw for key in raw[judge]]
    if has_gate and "min_pass_rate" not in raw.get(GATE, {}):
        given.insert(0, Threshold(GATE, "min_pass_rate", 1.0, default=True))
    return tuple(given)


def _problems(raw: object, scale_of: Mapping[str, JudgeScale | None]) -> Iterator[SpecProblem]:
    if not isinstance(raw, Mapping):
        message = f"must be a mapping from judges to their limits, but it is {described(raw)}"
        yield SpecProblem((_TOP,), message)
    elif not raw:
        yield SpecProblem((_TOP,), "holds no limit: name a judge, or leave the key out")
    else:
        for judge, limits in raw.items():
            yield from _judge_problems(str(judge), limits, scale_of)


def _judge_problems(
    judge: str, limits: object, scale_of: Mapping[str, JudgeScale | None]
) -> Iterator[SpecProblem]:
    path: KeyPath = (_TOP, judge)
    if judge not in scale_of:
        yield SpecProblem(path, _unknown_judge(judge, scale_of))
    elif not isinstance(limits, Mapping):
        message = f"must be a mapping such as `min_mean: 3.5`, but it is {described(limits)}"
        yield SpecProblem(path, message)
    elif not limits:
        yield SpecProblem(path, "sets no limit: write one, or leave the judge out")
    else:
        for key, limit in limits.items():
            problem = _key_problem(judge, str(key), scale_of[judge]) or _limit_problem(key, limit)
            if problem:
                yield SpecProblem((*path, str(key)), problem)


def _unknown_judge(judge: str, known: Mapping[str, JudgeScale | None]) -> str:
    if judge == GATE:
        return "the rule has no prechecks, so there is no gate to hold to a limit"
    return f"no judge is named {quoted(judge)}: {nearest(judge, known)}"


def _key_problem(judge: str, key: str, scale: JudgeScale | None) -> str | None:
    allowed = _KEYS_OF_RESERVED.get(judge, _KEYS_OF_JUDGES)
    if key not in THRESHOLD_KEYS:
        return f"unknown key {quoted(key)}: {nearest(key, allowed)}"
    if key not in allowed:
        owner = f"only for the judge `{PAIRWISE}`" if key == "min_win_rate" else f"not for {judge}"
        return f"`{key}` is {owner}: {nearest('', allowed)}"
    if key == "min_pass_rate" and scale is not None and scale.kind == "numeric":
        return "the judge gives numbers, which have no pass rate: use `min_mean`"
    return None


def _limit_problem(key: str, limit: object) -> str | None:
    if not is_number(limit):
        return number_problem(limit)
    if key in _SHARES and not 0 <= limit <= 1:
        return f"must be a share from 0 to 1, but it is {described(limit)}"
    if key == "max_drop" and limit < 0:
        return f"must be at least 0, but it is {described(limit)}"
    return None
