"""Read `reward` of a rule: how the judges' answers on one bundle become one number.

reward: quality                                  one judge
reward: {judge: quality}                         the same
reward: {weights: {quality: 0.7, tests: 0.3}}    a weighted mean
reward: {formula: "quality if tests else 0"}     anything else
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judge_bundles.scoring.formula import Formula, FormulaSyntaxError, parse_formula
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

_TOP: Final = "reward"
_FORMS: Final = ("judge", "weights", "formula")
_KEYS: Final = (*_FORMS, "gate")


@dataclass(frozen=True, slots=True)
class Weights:
    """Judges with their weights, all above 0; a single judge has the weight 1."""

    shares: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RewardSpec:
    """How a reward is made. With `gate` any failed pass/fail judge of the rule makes it 0."""

    by: Weights | Formula
    gate: bool = False


def parse_reward(raw: object, scales: Sequence[JudgeScale]) -> RewardSpec:
    """Return the spec; `raw` is the plain value of the key, `scales` the rule's judges.

    `ScoringSpecError` carries every problem.
    """
    reading = _Reading({scale.name: scale for scale in scales})
    block = {"judge": raw} if isinstance(raw, str) else raw
    above: KeyPath = (_TOP,)
    if not isinstance(block, Mapping):
        message = f"must be a judge, or one of {', '.join(_FORMS)}, but it is {described(raw)}"
        raise ScoringSpecError([SpecProblem(above, message)])
    reading.problems += _key_problems(block)
    form = next((form for form in _FORMS if form in block), None)
    by: Weights | Formula | None = None
    if form == "judge":
        by = reading.judge(above if isinstance(raw, str) else (*above, form), block[form])
    elif form == "weights":
        by = reading.weights((*above, form), block[form])
    elif form == "formula":
        by = reading.formula((*above, form), block[form])
    if reading.problems:
        raise ScoringSpecError(reading.problems)
    assert by is not None
    return RewardSpec(by, gate=block.get("gate", False))


def _key_problems(block: Mapping[object, object]) -> Iterator[SpecProblem]:
    given = [form for form in _FORMS if form in block]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        message = f"needs exactly one of {', '.join(_FORMS)}, but it has {found}"
        yield SpecProblem((_TOP,), message)
    for key in block:
        if key not in _KEYS:
            message = f"unknown key {quoted(str(key))}: {nearest(str(key), _KEYS)}"
            yield SpecProblem((_TOP, str(key)), message)
    gate = block.get("gate", False)
    if not isinstance(gate, bool):
        message = f"must be true or false, but it is {described(gate)}"
        yield SpecProblem((_TOP, "gate"), message)


class _Reading:
    """Reads one of the forms and collects what is wrong with it."""

    def __init__(self, scales: Mapping[str, JudgeScale]) -> None:
        self.problems: list[SpecProblem] = []
        self._scales = scales

    def judge(self, path: KeyPath, name: object) -> Weights | None:
        if not isinstance(name, str):
            self._add(path, f"must be the name of a judge, but it is {described(name)}")
            return None
        self._check_judge(path, name)
        return Weights(((name, 1.0),))

    def weights(self, path: KeyPath, raw: object) -> Weights | None:
        if not isinstance(raw, Mapping) or not raw:
            self._add(path, f"must be a mapping from judges to weights, but it is {_empty(raw)}")
            return None
        for name, weight in raw.items():
            self._check_judge((*path, str(name)), str(name))
            if not is_number(weight):
                self._add((*path, str(name)), str(number_problem(weight)))
            elif weight <= 0:
                self._add((*path, str(name)), f"must be above 0, but it is {described(weight)}")
        return Weights(tuple(raw.items()))

    def formula(self, path: KeyPath, text: object) -> Formula | None:
        if not isinstance(text, str):
            self._add(path, f"must be text, but it is {described(text)}")
            return None
        try:
            formula = parse_formula(text, self._scales.keys())
        except FormulaSyntaxError as error:
            self._add(path, str(error))
            return None
        for name in sorted(formula.judges):
            self._check_judge(path, name)
        return formula

    def _check_judge(self, path: KeyPath, name: str) -> None:
        scale = self._scales.get(name)
        if scale is None:
            self._add(path, f"no judge is named {quoted(name)}: {nearest(name, self._scales)}")
        elif scale.kind == "numeric" and scale.score_range is None:
            message = f"{quoted(name)} gives numbers of no declared range: give it a `score_range`"
            self._add(path, message)

    def _add(self, path: KeyPath, message: str) -> None:
        self.problems.append(SpecProblem(path, message))


def _empty(raw: object) -> str:
    return "empty" if raw == {} else described(raw)
